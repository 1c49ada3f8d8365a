/* Faults planted in what lanes do together: see test_planted.c. */

extern "C" __global__ void planted_divergent_barrier(float *out, long long n)
{
	if (threadIdx.x < 48)
		__syncthreads(); /* wrong: planted_divergent_barrier */
	out[threadIdx.x] = 0.0f;
}

/* Lanes leave the loop one after the other. */
extern "C" __global__ void planted_barrier_in_loop(float *out, long long n)
{
#pragma unroll 1
	for (unsigned k = 0; k < threadIdx.x % 3 + 1; k++)
		__syncthreads(); /* wrong: planted_barrier_in_loop */
	out[threadIdx.x] = 0.0f;
}

extern "C" __global__ void planted_absent_lanes(float *out, long long n)
{
	float sum = (float)threadIdx.x;

	if (threadIdx.x % 32 < 16)
		sum += __shfl_down_sync(0xffffffff, sum, 8); /* wrong: planted_absent_lanes */
	out[threadIdx.x] = 0.0f * sum;
}

extern "C" __global__ void planted_not_in_mask(float *out, long long n)
{
	float sum = (float)threadIdx.x;

	sum += __shfl_xor_sync(0x0000ffff, sum, 1); /* wrong: planted_not_in_mask */
	out[threadIdx.x] = 0.0f * sum;
}

extern "C" __global__ void planted_vote_of_absent(float *out, long long n)
{
	unsigned lanes = 0;

	if (threadIdx.x % 2)
		lanes = __ballot_sync(0xffffffff, n > 3); /* wrong: planted_vote_of_absent */
	out[threadIdx.x] = 0.0f * (float)lanes;
}

extern "C" __global__ void planted_syncwarp_of_absent(float *out, long long n)
{
	if (threadIdx.x % 32 == 7)
		__syncwarp(); /* wrong: planted_syncwarp_of_absent */
	out[threadIdx.x] = 0.0f;
}

/* Two warps of eight come to a barrier of three. */
extern "C" __global__ void planted_deadlock(float *out, long long n)
{
	if (threadIdx.x < 64)
		asm volatile("bar.sync 1, 96;" ::: "memory"); /* wrong: planted_deadlock */
	out[threadIdx.x] = 0.0f;
}
