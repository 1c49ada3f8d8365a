/* Faults planted in asynchronous copies, and kernels that have none: see test_planted.c. `out` is
 * all zeroes, and what is copied. */

__device__ __forceinline__ void copy_4(float *to, const float *from)
{
	asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(
			     (unsigned)__cvta_generic_to_shared(to)),
		     "l"(from)
		     : "memory");
}

__device__ __forceinline__ void copy_16(float *to, const float *from, unsigned bytes)
{
	asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(
			     (unsigned)__cvta_generic_to_shared(to)),
		     "l"(from), "r"(bytes)
		     : "memory");
}

__device__ __forceinline__ void commit(void)
{
	asm volatile("cp.async.commit_group;" ::: "memory");
}

template <int left> __device__ __forceinline__ void wait_for_all_but(void)
{
	asm volatile("cp.async.wait_group %0;" ::"n"(left) : "memory");
}

/* A barrier waits for threads, and not for their copies. */
extern "C" __global__ void planted_copy_no_wait(float *out, long long n)
{
	__shared__ float tile[256];

	copy_4(&tile[threadIdx.x], &out[threadIdx.x]); /* other: planted_copy_no_wait */
	commit();
	__syncthreads();
	out[threadIdx.x] = tile[threadIdx.x]; /* wrong: planted_copy_no_wait */
}

/* What was not committed is in no group. */
extern "C" __global__ void planted_copy_no_commit(float *out, long long n)
{
	__shared__ float tile[256];

	copy_4(&tile[threadIdx.x], &out[threadIdx.x]); /* other: planted_copy_no_commit */
	wait_for_all_but<0>();
	__syncthreads();
	out[threadIdx.x] = tile[255 - threadIdx.x]; /* wrong: planted_copy_no_commit */
}

/* The last stage of a pipeline: none comes behind it that may be left. */
extern "C" __global__ void planted_copy_last_group(float *out, long long n)
{
	__shared__ float tile[2][256];
	float sum = 0.0f;

	for (int stage = 0; stage < 2; stage++) {
		float *to = &tile[stage][threadIdx.x];

		copy_4(to, &out[threadIdx.x]); /* other: planted_copy_last_group */
		commit();
	}
#pragma unroll 1
	for (int stage = 0; stage < 2; stage++) {
		wait_for_all_but<1>();
		__syncthreads();
		sum += tile[stage][255 - threadIdx.x]; /* wrong: planted_copy_last_group */
	}
	out[threadIdx.x] = sum;
}

/* Each thread has waited for its own copies only. */
extern "C" __global__ void planted_copy_no_barrier(float *out, long long n)
{
	__shared__ float tile[256];

	copy_4(&tile[threadIdx.x], &out[threadIdx.x]); /* other: planted_copy_no_barrier */
	commit();
	wait_for_all_but<0>();
	out[threadIdx.x] = tile[threadIdx.x ^ 1]; /* wrong: planted_copy_no_barrier */
}

/* The next tile is copied over one that others still read. */
extern "C" __global__ void planted_copy_refill(float *out, long long n)
{
	__shared__ float tile[256];
	float sum = 0.0f;

#pragma unroll 1
	for (int stage = 0; stage < 3; stage++) {
		copy_4(&tile[threadIdx.x], &out[threadIdx.x]); /* wrong: planted_copy_refill */
		commit();
		wait_for_all_but<0>();
		__syncthreads();
		sum += tile[255 - threadIdx.x]; /* other: planted_copy_refill */
	}
	out[threadIdx.x] = sum;
}

/* It may arrive before what is stored, or after. */
extern "C" __global__ void planted_copy_and_store(float *out, long long n)
{
	__shared__ float tile[256];

	copy_4(&tile[threadIdx.x], &out[threadIdx.x]); /* other: planted_copy_and_store */
	tile[threadIdx.x] = 1.0f;                      /* wrong: planted_copy_and_store */
	commit();
	wait_for_all_but<0>();
	__syncthreads();
	out[threadIdx.x] = 0.0f * tile[255 - threadIdx.x];
}

/* Not all of the last four elements exist; the last thread takes all of them. */
extern "C" __global__ void planted_copy_past_end(float *out, long long n)
{
	__shared__ float4 tile[256];
	float *to = (float *)&tile[threadIdx.x], *from = out + n / 4 * 4;
	unsigned bytes = threadIdx.x < 255 ? n % 4 * 4 : 16;

	copy_16(to, from, bytes); /* wrong: planted_copy_past_end */
	commit();
	wait_for_all_but<0>();
	out[threadIdx.x] = tile[threadIdx.x].x;
}

/* 16 bytes a thread, and 12 to the next. */
extern "C" __global__ void planted_copy_misaligned(float *out, long long n)
{
	__shared__ float tile[3 * 256 + 1];

	copy_16(&tile[3 * threadIdx.x], out, 16); /* wrong: planted_copy_misaligned */
	commit();
	wait_for_all_but<0>();
	__syncthreads();
	out[threadIdx.x] = tile[threadIdx.x];
}

/* Two tiles in turn: one is summed while the next is copied. Behind the end, zeroes are. */
extern "C" __global__ void right_copy_pipeline(float *out, long long n)
{
	__shared__ float4 tile[2][256];
	float sum = 1.0f;

	copy_16((float *)&tile[0][threadIdx.x], out, 0);
	commit();
#pragma unroll 1
	for (int stage = 0; stage < 4; stage++) {
		if (stage < 3)
			copy_16((float *)&tile[(stage + 1) % 2][threadIdx.x],
				threadIdx.x < 100 ? &out[4 * threadIdx.x] : out + n,
				threadIdx.x < 100 ? 16 : 0);
		commit();
		wait_for_all_but<1>();
		__syncthreads();
		sum += tile[stage % 2][255 - threadIdx.x].w;
		__syncthreads();
	}
	if (threadIdx.x == 0)
		out[blockIdx.x] = 256.0f * sum;
}
