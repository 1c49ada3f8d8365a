/*
 * launches: times loops of short launches, for scripts/bench-record. The first launches are not timed.
 *
 * usage: launches [COUNT [BLOCKS [CYCLES [LOOPS]]]]
 *
 * COUNT   launches of a loop
 * CYCLES  how long a kernel waits, in clock cycles of the GPU
 * LOOPS   loops; the median of their times is printed
 */
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>
#include <sched.h>

extern "C" __global__ void short_kernel(float *data, long long cycles)
{
	long long begin = clock64();

	data[blockIdx.x * blockDim.x + threadIdx.x] += 1;
	while (clock64() - begin < cycles)
		;
}

/* Values that do not compress to nothing. */
__global__ void fill(float *data)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x, mixed = (i ^ i >> 15) * 2654435769u;

	data[i] = (float)(mixed ^ mixed >> 13) / 4294967296.0f;
}

/* A thread that changes its processor is slower for a while. Threads that exist already stay free. */
static void stay_on_this_processor(void)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	sched_setaffinity(0, sizeof one, &one);
}

static double seconds_of_loop(int count, int blocks, float *data, long long cycles)
{
	auto begin = std::chrono::steady_clock::now();

	for (int i = 0; i < count; i++)
		short_kernel<<<blocks, 256>>>(data, cycles);
	if (cudaDeviceSynchronize() != cudaSuccess)
		exit(3);
	return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

int main(int argc, char **argv)
{
	int count = argc > 1 ? atoi(argv[1]) : 100000, blocks = argc > 2 ? atoi(argv[2]) : 1;
	long long cycles = argc > 3 ? atoll(argv[3]) : 0;
	std::vector<double> seconds(argc > 4 ? std::max(atoi(argv[4]), 1) : 1);
	float *data;

	if (count <= 0 || blocks <= 0 || cudaMalloc(&data, blocks * 256 * sizeof *data) != cudaSuccess)
		return 2;
	fill<<<blocks, 256>>>(data);
	stay_on_this_processor();
	seconds_of_loop(1000, blocks, data, cycles);
	for (double &loop : seconds)
		loop = seconds_of_loop(count, blocks, data, cycles);
	std::nth_element(seconds.begin(), seconds.begin() + seconds.size() / 2, seconds.end());
	printf("seconds %.9f\n", seconds[seconds.size() / 2]);
	return 0;
}
