/*
 * Shared by the occupancy variants: a stream, in which the threads wait for memory,
 * and a recurrence on so many values at once that they fill the registers of a
 * thread.
 */
#pragma once

/* As in occupancy.c. */
#define AT_ONCE 8
#define VALUES 64
#define STEPS 16

__device__ __forceinline__ float of_stream(float x)
{
	return fmaf(x, 2.0f, 1.0f);
}

/* Every step needs all values: they stay in registers or are spilled to local memory. */
__device__ __forceinline__ float recurrence(float x)
{
	float values[VALUES], sum = 0.0f;

#pragma unroll
	for (int k = 0; k < VALUES; k++)
		values[k] = fmaf(x, (k + 1) / 64.0f, 1.0f);
#pragma unroll 1
	for (int step = 0; step < STEPS; step++)
#pragma unroll
		for (int k = 0; k < VALUES; k++)
			values[k] = fmaf(values[(k + 1) % VALUES], 0.5f, values[k]);
#pragma unroll
	for (int k = 0; k < VALUES; k++)
		sum += values[k];
	return sum;
}

/* One element per thread. */
__device__ __forceinline__ void run_recurrence(const float *__restrict__ x, float *__restrict__ y,
					       long long n)
{
	long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		y[i] = recurrence(x[i]);
}
