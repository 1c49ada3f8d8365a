/*
 * run_ends: how the trials of a run ended, and what that means for the sweep
 * that measured them.
 */
#ifndef HARNESS_SESSION_RUN_ENDS_H
#define HARNESS_SESSION_RUN_ENDS_H

#include "metrics/metrics.h"

/* Numbers of trials. */
struct run_ends {
	size_t mismatches; /* a wrong result */
	size_t faults;     /* an error in the kernel */
	size_t others;     /* failed for another reason */
	size_t unverified; /* measured, but no check shows that the result is right */
	size_t sampled;    /* counted on some blocks, so no result was there to compare */
	/* Every case was skipped, so there was nothing to run. Never set for a shard: another shard
	 * may have the cases that can run here. */
	bool nothing_ran;
};
struct run_ends run_ends_count(const struct run *run);

#endif
