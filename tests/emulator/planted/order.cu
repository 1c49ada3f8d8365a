/* Faults planted in the order of accesses to shared memory: see test_planted.c. */

/* Each thread reads what another warp writes. */
extern "C" __global__ void planted_transpose(float *out, long long n)
{
	__shared__ float tile[16][17];
	unsigned x = threadIdx.x % 16, y = threadIdx.x / 16;

	tile[y][x] = (float)threadIdx.x;      /* other: planted_transpose */
	out[threadIdx.x] = 0.0f * tile[x][y]; /* wrong: planted_transpose */
}

/* The barrier stands before the loop, and none in it. */
extern "C" __global__ void planted_reduction(float *out, long long n)
{
	__shared__ float sums[256];

	sums[threadIdx.x] = (float)threadIdx.x;
	__syncthreads();
	for (unsigned half = blockDim.x / 2; half > 0; half /= 2)
		if (threadIdx.x < half) {
			float other = sums[threadIdx.x + half]; /* wrong: planted_reduction */

			sums[threadIdx.x] += other; /* other: planted_reduction */
		}
	__syncthreads();
	out[threadIdx.x] = 0.0f * sums[0];
}

/* A second barrier is missing: the tile is filled again while others still read it. */
extern "C" __global__ void planted_refill(float *out, long long n)
{
	__shared__ float tile[256];
	float sum = 0.0f;

#pragma unroll 1
	for (int round = 0; round < 3; round++) {
		tile[threadIdx.x] = (float)round; /* wrong: planted_refill */
		__syncthreads();
		sum += tile[255 - threadIdx.x]; /* other: planted_refill */
	}
	out[threadIdx.x] = 0.0f * sum;
}

/* Counts without an atomic; lanes of one warp are the first to meet. */
extern "C" __global__ void planted_histogram(float *out, long long n)
{
	__shared__ int bins[8];

	if (threadIdx.x < 8)
		bins[threadIdx.x] = 0;
	__syncthreads();
	bins[threadIdx.x % 8] += (int)threadIdx.x; /* wrong: planted_histogram */
	__syncthreads();
	out[threadIdx.x] = 0.0f * (float)bins[threadIdx.x % 8];
}

/* Lanes of one warp trust in lockstep, which is no promise since Volta. */
extern "C" __global__ void planted_lockstep(float *out, long long n)
{
	__shared__ volatile float sums[64];

	if (threadIdx.x < 32) {
		sums[threadIdx.x + 32] = 2.0f;
		sums[threadIdx.x] = 1.0f;           /* other: planted_lockstep */
		float next = sums[threadIdx.x + 1]; /* wrong: planted_lockstep */
		sums[threadIdx.x + 32] = next;
	}
	out[threadIdx.x] = 0.0f;
}

/* An atomic and a plain read of the same word in one stretch. */
extern "C" __global__ void planted_atomic_and_plain(float *out, long long n)
{
	__shared__ int count;

	if (threadIdx.x == 0)
		count = 0;
	__syncthreads();
	atomicAdd(&count, 1);                   /* other: planted_atomic_and_plain */
	out[threadIdx.x] = 0.0f * (float)count; /* wrong: planted_atomic_and_plain */
}

/* A barrier of one warp does not order two. */
extern "C" __global__ void planted_warp_barrier(float *out, long long n)
{
	__shared__ float tile[256];

	tile[threadIdx.x] = (float)threadIdx.x; /* other: planted_warp_barrier */
	__syncwarp();
	out[threadIdx.x] = 0.0f * tile[threadIdx.x ^ 32]; /* wrong: planted_warp_barrier */
}

/* Two warps wait for each other, and the others read what they wrote. */
extern "C" __global__ void planted_barrier_of_others(float *out, long long n)
{
	__shared__ float tile[64];

	if (threadIdx.x < 64) {
		tile[threadIdx.x] = (float)threadIdx.x; /* other: planted_barrier_of_others */
		asm volatile("bar.sync 1, 64;" ::: "memory");
		out[threadIdx.x] = 0.0f * tile[63 - threadIdx.x];
	} else {
		out[threadIdx.x] = 0.0f * tile[threadIdx.x % 64]; /* wrong: planted_barrier_of_others */
	}
}

/* The first warp waits for the others, which go on and do not wait for it. */
extern "C" __global__ void planted_barrier_not_waited(float *out, long long n)
{
	__shared__ float tile[32];

	if (threadIdx.x < 32) {
		tile[threadIdx.x] = (float)threadIdx.x; /* other: planted_barrier_not_waited */
		asm volatile("bar.sync 1, 256;" ::: "memory");
	} else {
		asm volatile("bar.arrive 1, 256;" ::: "memory");
		out[threadIdx.x] = 0.0f * tile[threadIdx.x % 32]; /* wrong: planted_barrier_not_waited */
	}
}

/* Whoever sees the flag reads a value that nothing orders behind it: the flag alone is relaxed. */
extern "C" __global__ void planted_relaxed_flag(float *out, long long n)
{
	__shared__ unsigned flag, value;
	unsigned at = (unsigned)__cvta_generic_to_shared(&flag), seen = 0;

	if (threadIdx.x == 0)
		flag = 0;
	__syncthreads();
	if (threadIdx.x == 0) {
		value = (unsigned)n; /* other: planted_relaxed_flag */
		asm volatile("st.relaxed.cta.shared.u32 [%0], %1;" : : "r"(at), "r"(1) : "memory");
	}
	while (seen == 0)
		asm volatile("ld.relaxed.cta.shared.u32 %0, [%1];"
			     : "=r"(seen)
			     : "r"(at)
			     : "memory");
	if (threadIdx.x == 32)
		out[threadIdx.x] = (float)value; /* wrong: planted_relaxed_flag */
}

/* The halo is read and never written. */
extern "C" __global__ void planted_uninitialised(float *out, long long n)
{
	__shared__ float tile[258];

	tile[threadIdx.x + 1] = (float)threadIdx.x;
	__syncthreads();
	out[threadIdx.x] = 0.0f * tile[threadIdx.x + 2]; /* wrong: planted_uninitialised */
}

/* One byte of a word that is written otherwise. */
extern "C" __global__ void planted_uninitialised_byte(float *out, long long n)
{
	__shared__ volatile unsigned char flags[256];

	if (threadIdx.x != 77)
		flags[threadIdx.x] = 1;
	__syncthreads();
	out[threadIdx.x] = 0.0f * flags[threadIdx.x]; /* wrong: planted_uninitialised_byte */
}
