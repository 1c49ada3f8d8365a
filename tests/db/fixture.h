/*
 * fixture: a run that uses every feature of the schema, and a folder for a test's database.
 */
#ifndef TESTS_DB_FIXTURE_H
#define TESTS_DB_FIXTURE_H

#include "db/db.h"

/* Trials 0 and 1 are to be measured, 2 is skipped, 3 stays pending until a test ends it. */
enum { FIXTURE_OK, FIXTURE_BARE, FIXTURE_SKIPPED, FIXTURE_PENDING, FIXTURE_TRIALS };

/* A run that is not stored yet; run_release() frees it. label may be NULL. */
struct run fixture_run(const char *label);

/* Turns the run into a run of the emulator. */
void fixture_emulate(struct run *run);

/* Stores the run, two rounds and counters of FIXTURE_OK, and finishes all. */
int fixture_store(struct db *db, struct run *run, struct error *err);

/* A recording of a program with two kernels, one of two shapes, that is not stored yet;
 * recording_release() frees it. */
struct recording fixture_recording(void);

/* Stands for the machine code of the profile. */
#define FIXTURE_CODE "machine code"
/* A profile that keeps its invariants, with 100 samples: 30 at a.cu:7, 60 at c.cuh:1, which was
 * inlined at b.cuh:3 and with that at a.cu:9, and 10 in a function without lines; profile_free()
 * frees it. */
struct profile *fixture_profile(void);

/* Makes a round of `count` samples 1000 * (round + 1) + sequence; round_release() frees it. */
struct round_result fixture_round(int round, size_t count);
/* Adds samples of a base case, `factor` times those of the case, on the same buffers. */
void fixture_round_pair(struct round_result *round, double factor);
void fixture_round_release(struct round_result *round);

/* Creates a folder that every user may enter; the caller frees the name. */
char *fixture_folder(void);
/* Removes the folder and its files, and frees the name. */
void fixture_folder_remove(char *folder);

#endif
