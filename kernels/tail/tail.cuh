/* Shared by the tail variants. */
#pragma once

__device__ inline long long global_thread()
{
	return (long long)blockIdx.x * blockDim.x + threadIdx.x;
}
