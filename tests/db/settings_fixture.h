/* settings_fixture: the runs of version_6.sql, the last version with settings as JSON text. */
#ifndef TESTS_DB_SETTINGS_FIXTURE_H
#define TESTS_DB_SETTINGS_FIXTURE_H

#include "context.h"

enum { RUN_PARTIAL = 1, RUN_COMPLETE = 2, RUN_EMULATED = 5, RUN_IMPORTED = 6, RUNS = 7 };

/* The run without its samples; the caller releases it. */
struct run settings_run(struct context *context, struct db *db, int64_t id);

/* These two runs are as they were stored, before and after the migration. */
void assert_complete_run(struct context *context, struct db *db);
void assert_emulated_run(struct context *context, struct db *db);

#endif
