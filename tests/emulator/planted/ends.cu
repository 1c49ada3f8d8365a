/* Faults planted so that a kernel ends early, or never: see test_planted.c. */
#include <cassert>

__device__ int flag;

extern "C" __global__ void planted_trap(float *out, long long n)
{
	if (threadIdx.x == 33)
		__trap(); /* wrong: planted_trap */
	out[threadIdx.x] = 0.0f;
}

extern "C" __global__ void planted_assertion(float *out, long long n)
{
	assert(threadIdx.x < 200); /* wrong: planted_assertion */
	out[threadIdx.x] = 0.0f;
}

/* Nobody sets the flag. */
extern "C" __global__ void planted_waits_forever(float *out, long long n)
{
	while (*(volatile int *)&flag == 0) /* wrong: planted_waits_forever */
		;
	out[threadIdx.x] = 0.0f;
}

/* Wraps around before it gets there. */
extern "C" __global__ void planted_counts_forever(float *out, long long n)
{
	unsigned sum = 0;

#pragma unroll 1
	for (unsigned char k = 0; k < n; k++)
		sum = sum * 3 + k; /* wrong: planted_counts_forever */
	out[threadIdx.x] = 0.0f * (float)sum;
}

/* Blocks of an emulated launch run one after the other: the first cannot wait for the last. */
extern "C" __global__ void planted_waits_for_later_block(float *out, long long n)
{
	if (blockIdx.x == gridDim.x - 1)
		atomicExch(&flag, 1);
	else
		while (atomicAdd(&flag, 0) == 0) /* wrong: planted_waits_for_later_block */
			;
	out[threadIdx.x] = 0.0f;
}

__device__ __noinline__ float deeper(float *out, long long n)
{
	float frame[16];

	for (int k = 0; k < 16; k++)
		frame[k] = out[k];
	if (n >= 0)
		frame[n & 15] += deeper(out + 1, n + 1); /* wrong: planted_endless_recursion */
	return frame[n & 15] + frame[(n + 3) & 15];
}

extern "C" __global__ void planted_endless_recursion(float *out, long long n)
{
	out[threadIdx.x] = 0.0f * deeper(out, 0);
}

/* Does not end, and its callee is where it spends the time. */
__device__ __noinline__ float idle(float x)
{
	return x * 0.5f; /* somewhere: planted_busy_forever */
}

extern "C" __global__ void planted_busy_forever(float *out, long long n)
{
	float x = 1.0f;

	while (x >= 0.0f)
		x = idle(x);
	out[threadIdx.x] = x;
}
