/*
 * What the variants in passes share: a copy of the input, then one tree kernel
 * again and again, from what it left in one array to the other, until a single
 * block leaves the sum. Blocks are one-dimensional and a power of two.
 */
#pragma once

/* Pointers are 16-byte aligned. */
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

/* Of what pass number `pass` begins with, `count` values, one a thread; ends with a barrier. */
__device__ inline void load_values(float *values, const float *copy, const float *partials,
				   long long count, long long pass)
{
	const float *source = pass % 2 ? partials : copy;
	long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;

	values[threadIdx.x] = i < count ? source[i] : 0.0f;
	__syncthreads();
}

/* Leaves the block's sum for the next pass, and that of a single block as the result. */
__device__ inline void store_sum(const float *values, float *copy, float *partials, float *sum,
				 long long pass)
{
	float *target = gridDim.x == 1 ? sum : pass % 2 ? copy : partials;

	if (threadIdx.x == 0)
		target[blockIdx.x] = values[0];
}
