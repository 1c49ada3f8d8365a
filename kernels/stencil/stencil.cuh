/*
 * Shared by the stencil variants: the tile of a block in shared memory, with RADIUS more
 * elements on either side, and the sum over a window. x is padded in the same way, and at
 * its end to whole blocks, so that no thread checks whether it has an element. The
 * variants differ only in which threads fetch the halo. x[i + RADIUS] is the element of
 * y[i].
 */
#pragma once

/* Steps of a weight: so few that the compiler predicates the ifs and leaves no branch, or so many
 * that it must branch. stencil.c uses the same numbers. */
#define RADIUS 4
#define STEPS_SHORT 1
#define STEPS_LONG 32

extern __shared__ float tile[];

__device__ inline long long global_thread()
{
	return (long long)blockIdx.x * blockDim.x + threadIdx.x;
}

/* The window sums a function of the elements, computed once for each element. */
template <int steps> __device__ __forceinline__ float weight(float x)
{
#pragma unroll
	for (int step = 0; step < steps; step++)
		x = fmaf(x, 0.5f, (step + 1) / 32.0f);
	return x;
}

/* Fetches element `at` of the tile. */
template <int steps> __device__ __forceinline__ void fetch(const float *__restrict__ x, unsigned at)
{
	tile[at] = weight<steps>(x[(long long)blockIdx.x * blockDim.x + at]);
}

/* Threads at an end of the block fetch the elements beyond it. */
template <int steps> __device__ __forceinline__ void fetch_by_two_ifs(const float *__restrict__ x)
{
	fetch<steps>(x, threadIdx.x + RADIUS);
	if (threadIdx.x < RADIUS)
		fetch<steps>(x, threadIdx.x);
	if (threadIdx.x >= blockDim.x - RADIUS)
		fetch<steps>(x, threadIdx.x + 2 * RADIUS);
}

/* No thread may be at both ends. */
template <int steps>
__device__ __forceinline__ void fetch_by_if_else_if(const float *__restrict__ x)
{
	fetch<steps>(x, threadIdx.x + RADIUS);
	if (threadIdx.x < RADIUS)
		fetch<steps>(x, threadIdx.x);
	else if (threadIdx.x >= blockDim.x - RADIUS)
		fetch<steps>(x, threadIdx.x + 2 * RADIUS);
}

/* Waits until all elements are fetched, then stores the sum over the thread's window. */
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
