/* sweep_end: what perflab sweep says at its end, on standard error. */
#ifndef CLI_SWEEP_END_H
#define CLI_SWEEP_END_H

#include "cli/command.h"
#include "db/db.h"
#include "harness/sweep/sweep.h"

/* The parts of a meter that has been read, the largest first. */
void say_run_parts(const struct invocation *call, const struct meter *meter);
/* How many cases of --against have the same code as then. */
void say_same_code(const struct run *run);
/* What --changed-since left out, and how the times of the sentinels changed. Errors of db/db.h. */
int say_unchanged(struct db *db, const struct run *run, struct error *err);

#endif
