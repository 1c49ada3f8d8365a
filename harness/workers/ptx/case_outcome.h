/*
 * case_outcome: the status of a case and its reason, from what its execution found. Internal to
 * harness/workers/ptx/.
 */
#ifndef HARNESS_WORKERS_PTX_CASE_OUTCOME_H
#define HARNESS_WORKERS_PTX_CASE_OUTCOME_H

#include "harness/workers/ptx/emulated_case.h"

/* Call with the status TRIAL_OK. `mismatch`: how the results differ from the expected ones, or
 * nothing. */
void case_outcome(const struct emulated_case *emulated, const struct case_totals *totals,
		  const struct text *mismatch, enum trial_status *status, struct text *reason);

/* Prints what is no fault with the output of the kernel. */
void case_print_notes(const struct emulated_case *emulated);

#endif
