/* A run that was measured beside a base variant, for the tests of reports. */
#ifndef TESTS_REPORTS_CONSTRUCTED_SPEEDUPS_H
#define TESTS_REPORTS_CONSTRUCTED_SPEEDUPS_H

#include "metrics/metrics.h"

/* Variants of a user's kernel beside "old": one case of each verdict, an unverified one that is
 * faster than all others, one on other buffers, and cases without a speed-up. Release with
 * run_release(). */
void constructed_speedups_init(struct run *run);
/* The base case and so many others beside it. */
void constructed_speedups_many(struct run *run, size_t count);

#endif
