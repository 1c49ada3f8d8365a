/*
 * affine: chains of affine steps, value * a + b, computed as one step. For
 * oracles. Internal to kernels/.
 *
 * The composition of affine steps is affine, scale * x + shift. Computed so, a
 * result differs from that of the steps one by one, because both round in
 * doubles, but by less than a margin that the oracle proves. If both ends of
 * the margin round to the same float, so does the result of the steps, because
 * rounding is monotonic. Otherwise the oracle takes the steps: about once in
 * 10^5 elements. So the floats are those of the steps, to the last bit.
 */
#ifndef KERNELS_AFFINE_H
#define KERNELS_AFFINE_H

#include <math.h>

#include "kernels/vectors.h"

/* How many elements an oracle computes at a time. The loops over them have a fixed length, so that
 * compilers vectorise them. */
#define AFFINE_GROUP 32

/* The margin of an element x is factor * |x| + addend. */
struct affine_margin {
	double factor, addend;
};

/*
 * The margin of `steps` steps in doubles whose factors are 0 to 1, and whose
 * intermediate values never exceed |x| + reach. No step enlarges an earlier
 * rounding error. A step rounds twice, when it is taken and when shift is
 * computed by the same steps; the computation of scale rounds once a step; the
 * composition rounds twice. The two results therefore differ by less than
 * (5 * steps + 2) * 2^-53 * (|x| + reach). Twice that also covers the rounding
 * of the margin itself.
 */
static inline struct affine_margin affine_margin_of_steps(double steps, double reach)
{
	const double factor = 2 * (5 * steps + 2) * 0x1p-53;

	return (struct affine_margin){factor, factor * reach};
}

/*
 * Returns the float of `value`. Sets *unsure if a number within `distance` may
 * round to another float; else leaves it unchanged. NaN is unsure.
 */
ALWAYS_INLINE float affine_float_within(double value, double distance, int *unsure)
{
	const float low = (float)(value - distance), high = (float)(value + distance);

	*unsure |= !(low == high);
	return low;
}

/* Returns the float of scale * x + shift, and sets *unsure as affine_float_within() does. */
ALWAYS_INLINE float affine_float(double scale, double shift, struct affine_margin margin, double x,
				 int *unsure)
{
	return affine_float_within(scale * x + shift, margin.factor * fabs(x) + margin.addend,
				   unsure);
}

#endif
