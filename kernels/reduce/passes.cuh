/*
 * Shared by the variants that work in passes: a copy of the input, then the same tree kernel again
 * and again, which reads one array and writes the other, until a single block leaves the sum.
 * Blocks are one-dimensional and a power of two.
 */
#pragma once

/* Pointers must be 16-byte aligned. */
extern "C" __global__ void reduce_copy(const float *__restrict__ x, float *__restrict__ copy,
				       long long n)
{
	long long i = 4 * ((long long)blockIdx.x * blockDim.x + threadIdx.x);

	if (i + 4 <= n)
		*reinterpret_cast<float4 *>(copy + i) = *reinterpret_cast<const float4 *>(x + i);
	else
		for (; i < n; i++)
			copy[i] = x[i];
}

/* Loads the `count` inputs of this pass, one per thread. Ends with a barrier. */
__device__ inline void load_values(float *values, const float *copy, const float *partials,
				   long long count, long long pass)
{
	const float *source = pass % 2 ? partials : copy;
	long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;

	values[threadIdx.x] = i < count ? source[i] : 0.0f;
	__syncthreads();
}

/* Stores the block's sum for the next pass, or as the result if there is a single block. */
__device__ inline void store_sum(const float *values, float *copy, float *partials, float *sum,
				 long long pass)
{
	float *target = gridDim.x == 1 ? sum : pass % 2 ? copy : partials;

	if (threadIdx.x == 0)
		target[blockIdx.x] = values[0];
}
