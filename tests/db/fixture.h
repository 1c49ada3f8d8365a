/*
 * fixture: a run with everything in it, and a folder for a test's database.
 */
#ifndef TESTS_DB_FIXTURE_H
#define TESTS_DB_FIXTURE_H

#include "db/db.h"

/* Trials 0 and 1 are to be measured, 2 is skipped, 3 stays pending until a test ends it. */
enum { FIXTURE_OK, FIXTURE_BARE, FIXTURE_SKIPPED, FIXTURE_PENDING, FIXTURE_TRIALS };

/* A run that is not stored yet; run_release() frees it. label may be NULL. */
struct run fixture_run(const char *label);

/* Makes it a run of the emulator. */
void fixture_emulate(struct run *run);

/* Stores the run, two rounds and counters of FIXTURE_OK, and finishes all. */
int fixture_store(struct db *db, struct run *run, struct error *err);

/* One round of `count` samples 1000 * (round + 1) + sequence; round_release() frees it. */
struct round_result fixture_round(int round, size_t count);
void fixture_round_release(struct round_result *round);

/* A fresh folder that anybody may enter; the caller frees the name. */
char *fixture_folder(void);
/* Removes the folder, its files, and frees the name. */
void fixture_folder_remove(char *folder);

#endif
