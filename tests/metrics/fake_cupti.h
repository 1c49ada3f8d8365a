/*
 * fake_cupti: what the parts of the stand-in for libcupti share. The environment tells it what to
 * do. FAKE_CUPTI_FAIL="cuptiProfilerInitialize=39" makes that function return that result. For
 * ranges, fake_cupti.c has the others; for single instructions there are:
 *
 * FAKE_CUPTI_FULL: the first read finds the buffer of the hardware full; 2: with an error
 * FAKE_CUPTI_BATCHES=3: the samples of a read come in three
 * FAKE_CUPTI_LOST=4: so many samples were dropped at each read
 * FAKE_CUPTI_UNSEEN=6: all samples, which are 6, are of code that was not seen
 * FAKE_CUPTI_UNCOUNTED: no instruction was counted
 */
#ifndef TESTS_METRICS_FAKE_CUPTI_H
#define TESTS_METRICS_FAKE_CUPTI_H

#include "metrics/cupti/cupti_internal.h"

size_t setting(const char *name, size_t otherwise);
CUptiResult result_of(const char *function);

/* Starts every function: fails if the test asks for it. */
#define MAY_FAIL()                                         \
	do {                                               \
		CUptiResult wanted_ = result_of(__func__); \
		if (wanted_ != CUPTI_SUCCESS)              \
			return wanted_;                    \
	} while (0)

#endif
