/* The element of this thread: blocks beyond those that n needs repeat the first ones. */
#pragma once

static __device__ __forceinline__ long long planted_index(long long n)
{
	long long needed = (n + blockDim.x - 1) / blockDim.x;
	long long block = blockIdx.x < needed ? blockIdx.x : blockIdx.x - needed;

	return block * blockDim.x + threadIdx.x;
}
