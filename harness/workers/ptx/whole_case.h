/*
 * whole_case: executes all blocks of all launches of a case. Internal to harness/workers/ptx/.
 */
#ifndef HARNESS_WORKERS_PTX_WHOLE_CASE_H
#define HARNESS_WORKERS_PTX_WHOLE_CASE_H

#include "harness/workers/ptx/emulated_case.h"

/* Warp instructions that a launch may execute; 0: no limit. */
uint64_t whole_case_limit(const struct case_runner *runner);
/* Executes all launches without checks and without what device code prints, up to a finding that
 * ends one. */
int whole_case_run(struct emulated_case *emulated, struct error *err);
/*
 * Executes all launches with all checks. Findings that are loads whose value nothing uses are left
 * out (emulation_has_suspects()); to find those, all is executed again from
 * emulated_case_restore(), with the same outcome.
 */
int whole_case_check(struct emulated_case *emulated, struct error *err);

#endif
