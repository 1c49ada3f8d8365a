/*
 * tolerance: decides whether a result is right. support.cu and C files include
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
 * |expected|. An infinite expected value allows only itself, because every
 * number would be within its tolerance. NaN always fails.
 */
TOLERANCE_CODE bool within_tolerance(double result, double expected, double tolerance_abs,
				     double tolerance_rel)
{
	double allowed = tolerance_abs + tolerance_rel * fabs(expected);

	return isfinite(expected) ? fabs(result - expected) <= allowed : result == expected;
}

/* `recorded`: the bits of both are equal, and the expected ones are those of a recorded launch,
 * which are right whatever they mean. */
TOLERANCE_CODE bool is_right(double result, double expected, double tolerance_abs,
			     double tolerance_rel, bool recorded)
{
	return recorded || within_tolerance(result, expected, tolerance_abs, tolerance_rel);
}

#undef TOLERANCE_CODE

#endif
