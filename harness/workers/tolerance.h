/*
 * When a result is right, for every backend: device code, too, so it is
 * included by check.cu and by C.
 */
#ifndef HARNESS_WORKERS_TOLERANCE_H
#define HARNESS_WORKERS_TOLERANCE_H

#ifdef __CUDACC__
#define TOLERANCE_CODE static __device__ inline
#else
#include <math.h>
#include <stdbool.h>
#define TOLERANCE_CODE static inline
#endif

/*
 * Written so that a NaN on either side fails every comparison. An infinity
 * fails, too: beside an infinite expectation any number would be near enough.
 */
TOLERANCE_CODE bool within_tolerance(double result, double expected, double tolerance_abs,
				     double tolerance_rel)
{
	double allowed = tolerance_abs + tolerance_rel * fabs(expected);

	return isfinite(expected) && fabs(result - expected) <= allowed;
}

#undef TOLERANCE_CODE

#endif
