/*
 * Device code that the worker itself needs: comparing a result with what the
 * oracle expects, and reading a large buffer so that nothing of a case's data
 * is left in the L2.
 */
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "harness/workers/tolerance.h"

/* As struct element_check in harness/workers/cuda/verify.c. */
struct element_check {
	unsigned long long mismatches;
	unsigned long long first; /* smallest index that differs */
	/* Bits of doubles that are not negative, so that they are in order as numbers, too. */
	unsigned long long largest_error, largest_expected;
};

/* The largest of the warp's, in its first lane, to where the largest of all is. */
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

template <typename T>
__device__ void compare(const T *result, const T *expected, unsigned long long count,
			double tolerance_abs, double tolerance_rel, struct element_check *out)
{
	unsigned long long stride = (unsigned long long)gridDim.x * blockDim.x;
	double largest_error = 0.0, largest_expected = 0.0;

	for (unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x;
	     i < count; i += stride) {
		double got = value_of(result[i]), wanted = value_of(expected[i]);

		/* One that is no number is a mismatch, and no error of any size. */
		largest_error = fmax(largest_error, fabs(got - wanted));
		largest_expected = fmax(largest_expected, fabs(wanted));
		if (!within_tolerance(got, wanted, tolerance_abs, tolerance_rel)) {
			atomicAdd(&out->mismatches, 1ull);
			atomicMin(&out->first, i);
		}
	}
	keep_largest(&out->largest_error, largest_error);
	keep_largest(&out->largest_expected, largest_expected);
}

#define COMPARE(name, type)                                                                        \
	extern "C" __global__ void compare_##name(const type *result, const type *expected,       \
						  unsigned long long count, double tolerance_abs, \
						  double tolerance_rel, struct element_check *out)   \
	{                                                                                          \
		compare(result, expected, count, tolerance_abs, tolerance_rel, out);               \
	}

COMPARE(f32, float)
COMPARE(f64, double)
COMPARE(i32, int)
COMPARE(u32, unsigned)
COMPARE(f16, __half)
COMPARE(bf16, __nv_bfloat16)

/* Reading, not writing: lines that were written would go to DRAM later, in somebody's counters. */
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
	/* The buffer is all zeroes: never true, but the compiler cannot know. */
	if (folded == 0x9e3779b9u)
		*sink = folded;
}
