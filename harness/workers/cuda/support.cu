/*
 * The worker's own device code: it compares a result with the expected result
 * of the oracle, and it flushes the L2 by reading a large buffer, so that no
 * data of a case stays there.
 */
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "harness/workers/tolerance.h"

/* Has the layout of struct element_check in harness/workers/cuda/operation_verify.c. */
struct element_check {
	unsigned long long mismatches;
	unsigned long long first; /* smallest index that differs */
	/* The bits of doubles >= 0, which have the same order as unsigned integers. */
	unsigned long long largest_error, largest_expected;
};

/* Finds the maximum of the warp, then its first lane updates the maximum of the grid. */
__device__ static void keep_largest(unsigned long long *largest, double value)
{
	for (int offset = 16; offset > 0; offset /= 2)
		value = fmax(value, __shfl_down_sync(0xffffffffu, value, offset));
	if (threadIdx.x % 32 == 0)
		atomicMax(largest, (unsigned long long)__double_as_longlong(value));
}

template <typename T> __device__ double value_of(T element)
{
	return (double)element;
}

template <> __device__ double value_of(__half element)
{
	return (double)__half2float(element);
}

template <> __device__ double value_of(__nv_bfloat16 element)
{
	return (double)__bfloat162float(element);
}

/* Whether two elements differ by less than a double resolves: 64-bit integers beyond 2^53. */
template <typename T> __device__ bool differ_in_bits(T, T)
{
	return false;
}

template <> __device__ bool differ_in_bits(long long a, long long b)
{
	return a != b;
}

template <> __device__ bool differ_in_bits(unsigned long long a, unsigned long long b)
{
	return a != b;
}

/* Whether the bits of two elements are equal. */
template <typename T> __device__ bool have_same_bits(T a, T b)
{
	unsigned long long left = 0, right = 0;

	memcpy(&left, &a, sizeof(a));
	memcpy(&right, &b, sizeof(b));
	return left == right;
}

template <typename T>
__device__ void compare(const T *result, const T *expected, unsigned long long count,
			double tolerance_abs, double tolerance_rel, int recorded,
			struct element_check *out)
{
	unsigned long long stride = (unsigned long long)gridDim.x * blockDim.x;
	double largest_error = 0.0, largest_expected = 0.0;

	for (unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x;
	     i < count; i += stride) {
		double got = value_of(result[i]), wanted = value_of(expected[i]);

		/* NaN counts as a mismatch, but fmax() ignores it in the largest error. An infinite
		 * element would hide the error of all others. */
		if (isfinite(wanted)) {
			largest_error = fmax(largest_error, fabs(got - wanted));
			largest_expected = fmax(largest_expected, fabs(wanted));
		}
		if (!is_right(got, wanted, tolerance_abs, tolerance_rel,
			      recorded && have_same_bits(result[i], expected[i])) ||
		    (tolerance_abs == 0.0 && tolerance_rel == 0.0 &&
		     differ_in_bits(result[i], expected[i]))) {
			atomicAdd(&out->mismatches, 1ull);
			atomicMin(&out->first, i);
		}
	}
	keep_largest(&out->largest_error, largest_error);
	keep_largest(&out->largest_expected, largest_expected);
}

/* The bytes of one thread that differ. */
struct differing_bytes {
	unsigned long long count, first;
};

__device__ static void note_byte(struct differing_bytes *found, const unsigned char *result,
				 const unsigned char *expected, unsigned long long index)
{
	if (result[index] == expected[index])
		return;
	found->count++;
	found->first = min(found->first, index);
}

/* Bytes that must be equal: the memory of a program, perhaps much of it, so it is compared in
 * words. */
__device__ static void compare_bytes(const unsigned char *result, const unsigned char *expected,
				     unsigned long long count, struct element_check *out)
{
	const unsigned long long stride = (unsigned long long)gridDim.x * blockDim.x;
	const unsigned long long first = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x;
	const bool aligned =
		((unsigned long long)result | (unsigned long long)expected) % sizeof(uint4) == 0;
	const unsigned long long words = aligned ? count / sizeof(uint4) : 0;
	struct differing_bytes found = {0, ~0ull};

	for (unsigned long long w = first; w < words; w += stride) {
		const uint4 a = ((const uint4 *)result)[w], b = ((const uint4 *)expected)[w];

		if (a.x == b.x && a.y == b.y && a.z == b.z && a.w == b.w)
			continue;
		for (unsigned long long i = w * sizeof(uint4); i < (w + 1) * sizeof(uint4); i++)
			note_byte(&found, result, expected, i);
	}
	for (unsigned long long i = words * sizeof(uint4) + first; i < count; i += stride)
		note_byte(&found, result, expected, i);
	if (found.count) {
		atomicAdd(&out->mismatches, found.count);
		atomicMin(&out->first, found.first);
	}
}

#define COMPARE(name, type)                                                                       \
	extern "C" __global__ void compare_##name(const type *result, const type *expected,       \
						  unsigned long long count, double tolerance_abs, \
						  double tolerance_rel, int recorded,             \
						  struct element_check *out)                      \
	{                                                                                         \
		compare(result, expected, count, tolerance_abs, tolerance_rel, recorded, out);    \
	}

COMPARE(f32, float)
COMPARE(f64, double)
COMPARE(i32, int)
COMPARE(u32, unsigned)
COMPARE(i8, signed char)
COMPARE(i16, short)
COMPARE(u16, unsigned short)
COMPARE(i64, long long)
COMPARE(u64, unsigned long long)
COMPARE(f16, __half)
COMPARE(bf16, __nv_bfloat16)

extern "C" __global__ void compare_u8(const unsigned char *result, const unsigned char *expected,
				      unsigned long long count, double tolerance_abs,
				      double tolerance_rel, int recorded, struct element_check *out)
{
	if (tolerance_abs == 0.0 && tolerance_rel == 0.0)
		compare_bytes(result, expected, count, out);
	else
		compare(result, expected, count, tolerance_abs, tolerance_rel, recorded, out);
}

/* Reads and never writes: written lines would reach DRAM later, in the counters of a case. */
extern "C" __global__ void flush_by_reading(const uint4 *data, unsigned long long count,
					    unsigned *sink)
{
	unsigned long long stride = (unsigned long long)gridDim.x * blockDim.x;
	unsigned folded = 0;

	for (unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x;
	     i < count; i += stride) {
		uint4 word = data[i];

		folded |= word.x ^ word.y ^ word.z ^ word.w;
	}
	/* Never true, because the buffer is all zeroes; the compiler cannot know that. */
	if (folded == 0x9e3779b9u)
		*sink = folded;
}
