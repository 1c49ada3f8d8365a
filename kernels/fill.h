/*
 * fill: what the parts of the fills share. Internal to kernels/.
 *
 * A random number depends on a key and an index only, so that any part of a
 * buffer can be filled anywhere and in any order.
 */
#ifndef KERNELS_FILL_H
#define KERNELS_FILL_H

#include "base/random.h"
#include "kernels/kernels.h"

/* The smallest number of elements for which a fill uses another thread: 256 KiB of floats. */
#define FILL_GRAIN (INT64_C(1) << 16)

/* A buffer that is being filled. */
struct filling {
	void *data;
	const struct case_buffer *buffer;
	uint64_t key;
};

/* Most fills compute a tile of random numbers, then a tile of values, and store it. */
#define FILL_TILE ELEMENT_TILE

/* Store the first `count` values of a tile, from index `first` of the buffer on. */
void fill_store(const struct filling *filling, int64_t first, const double *values, int64_t count);
void fill_store_integers(const struct filling *filling, int64_t first, const uint64_t *values,
			 int64_t count);

/* The nearest finite float. */
float fill_float_within(double value);

/* FILL_UNIFORM, FILL_NORMAL and FILL_INTEGERS, before the values are cut to their significant
 * bits. */
void fill_uniform(struct filling *filling);
void fill_normal(struct filling *filling);
void fill_whole_numbers(struct filling *filling);

/*
 * Sets the fill of *out, whose other members are set, from that of a
 * descriptor. Returns 0; PL_EPARSE if a number cannot be computed with these
 * variables; PL_EUSAGE if the fill is impossible: an empty range, a value outside
 * of the type, too many bits. The error names the buffer and the numbers. *out
 * then holds what launch_case_free() accepts.
 */
int fill_resolve(struct case_buffer *out, const struct kernel_buffer *buffer,
		 const struct expression_variable *variables, size_t count, struct error *err);

#endif
