/*
 * tolerance: decides whether a result is right. check.cu and C files include
 * this header, so every backend decides in the same way.
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
 * Returns whether |result - expected| <= tolerance_abs + tolerance_rel *
 * |expected|. NaN and infinity always fail: with an infinite expected value,
 * every number would be within the tolerance.
 */
TOLERANCE_CODE bool within_tolerance(double result, double expected, double tolerance_abs,
				     double tolerance_rel)
{
	double allowed = tolerance_abs + tolerance_rel * fabs(expected);

	return isfinite(expected) && fabs(result - expected) <= allowed;
}

#undef TOLERANCE_CODE

#endif
