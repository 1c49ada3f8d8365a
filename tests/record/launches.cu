/*
 * launches: times a loop of short launches, for scripts/bench-record. The first launches are not timed.
 *
 * usage: launches [COUNT [BLOCKS]]
 */
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

extern "C" __global__ void short_kernel(float *data)
{
	data[blockIdx.x * blockDim.x + threadIdx.x] += 1;
}

/* Values that do not compress to nothing. */
__global__ void fill(float *data)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x, mixed = (i ^ i >> 15) * 2654435769u;

	data[i] = (float)(mixed ^ mixed >> 13) / 4294967296.0f;
}

int main(int argc, char **argv)
{
	int count = argc > 1 ? atoi(argv[1]) : 100000, blocks = argc > 2 ? atoi(argv[2]) : 1;
	float *data;

	if (count <= 0 || blocks <= 0 || cudaMalloc(&data, blocks * 256 * sizeof *data) != cudaSuccess)
		return 2;
	fill<<<blocks, 256>>>(data);
	for (int i = 0; i < 100; i++)
		short_kernel<<<blocks, 256>>>(data);
	if (cudaDeviceSynchronize() != cudaSuccess)
		return 3;
	auto begin = std::chrono::steady_clock::now();
	for (int i = 0; i < count; i++)
		short_kernel<<<blocks, 256>>>(data);
	if (cudaDeviceSynchronize() != cudaSuccess)
		return 3;
	std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
	printf("seconds %.9f\n", took.count());
	return 0;
}
