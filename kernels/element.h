/*
 * Elements of buffers beyond what a double holds: 64-bit integers exactly,
 * rounding to nearest, and differences. kernels.h has the basic accessors.
 */
#ifndef KERNELS_ELEMENT_H
#define KERNELS_ELEMENT_H

#include "kernels/kernels.h"

/* Element `index` of an array of an integer type. The value of a U64 is modulo 2^64: cast the
 * result to uint64_t. A type that is not an integer gives 0. */
int64_t element_integer(enum element_type type, const void *data, int64_t index);
/* Stores the low bits of `value`, as a cast does in C. The type must be an integer. */
void element_store_integer(enum element_type type, void *data, int64_t index, uint64_t value);
/* Rounds to nearest, ties to even, as the conversions of CUDA do by default. A value beyond the
 * range of a floating-point type becomes infinite. Integers are as in element_store(). */
void element_store_nearest(enum element_type type, void *data, int64_t index, double value);
/*
 * The absolute difference of two arrays at `index`. It is 0 only if the elements
 * are equal, 64-bit integers beyond 2^53 included. It is NaN if an element is
 * NaN, or if both are the same infinity.
 */
double element_difference(enum element_type type, const void *a, const void *b, int64_t index);

#endif
