/*
 * What the stencil variants share: the tile of a block in shared memory, with
 * RADIUS elements more on either side, and the sum over a window of it. x is
 * padded by as many, and at its end to whole blocks, so that no thread has to
 * ask whether there is an element: variants differ in who fetches the halo, and
 * in nothing else. x[i + RADIUS] is the element of y[i].
 */
#pragma once

/* So few steps that the compiler predicates them, and no branch is left, or so many that it must
 * branch. stencil.c counts the same. */
#define RADIUS 4
#define STEPS_SHORT 1
#define STEPS_LONG 32

extern __shared__ float tile[];

__device__ inline long long global_thread()
{
	return (long long)blockIdx.x * blockDim.x + threadIdx.x;
}

/* What is summed is a function of the elements, taken once for each. */
template <int steps> __device__ __forceinline__ float weight(float x)
{
#pragma unroll
	for (int step = 0; step < steps; step++)
		x = fmaf(x, 0.5f, (step + 1) / 32.0f);
	return x;
}

/* The element `at` of the tile. */
template <int steps> __device__ __forceinline__ void fetch(const float *__restrict__ x, unsigned at)
{
	tile[at] = weight<steps>(x[(long long)blockIdx.x * blockDim.x + at]);
}

/* Whoever is at an end of the block fetches what lies beyond it. */
template <int steps> __device__ __forceinline__ void fetch_by_two_ifs(const float *__restrict__ x)
{
	fetch<steps>(x, threadIdx.x + RADIUS);
	if (threadIdx.x < RADIUS)
		fetch<steps>(x, threadIdx.x);
	if (threadIdx.x >= blockDim.x - RADIUS)
		fetch<steps>(x, threadIdx.x + 2 * RADIUS);
}

/* Nobody may be at both. */
template <int steps>
__device__ __forceinline__ void fetch_by_if_else_if(const float *__restrict__ x)
{
	fetch<steps>(x, threadIdx.x + RADIUS);
	if (threadIdx.x < RADIUS)
		fetch<steps>(x, threadIdx.x);
	else if (threadIdx.x >= blockDim.x - RADIUS)
		fetch<steps>(x, threadIdx.x + 2 * RADIUS);
}

/* All is fetched: the sum over the thread's window. */
__device__ __forceinline__ void store_sum(float *__restrict__ y, long long n)
{
	long long i = global_thread();
	float sum = 0.0f;

	__syncthreads();
#pragma unroll
	for (int k = 0; k <= 2 * RADIUS; k++)
		sum += tile[threadIdx.x + k];
	if (i < n)
		y[i] = sum;
}
