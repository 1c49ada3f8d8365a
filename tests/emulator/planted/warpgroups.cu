// perflab: needs sm_90a
/* Faults planted in products of wgmma, and a kernel that has none: see test_planted.c. All elements
 * of A and B are one, so that each product adds 16 to every sum, wherever an element lies. */

#define WORDS 1024 /* A: 64 rows of 16 halves; B, from word 512 on: 8 columns of 16 */
#define B_WORD 512
#define ONES 0x3c003c00u

__device__ __forceinline__ void fill(unsigned *tile, unsigned value)
{
	for (int i = threadIdx.x; i < WORDS; i += blockDim.x)
		tile[i] = value;
}

/* Halves of lines lie `lines` * 16 bytes apart, eight lines 128. */
__device__ __forceinline__ unsigned long long describe(const unsigned *matrix,
						       unsigned long long lines)
{
	return (unsigned)__cvta_generic_to_shared(matrix) >> 4 | lines << 16 | 8ull << 32;
}

/* A macro, so that its line is that of the kernel. */
#define MULTIPLY(sums, tile)                                                                   \
	asm volatile(                                                                          \
		"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, " \
		"1, 1, 1, 0, 0;"                                                               \
		: "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])                   \
		: "l"(describe(tile, 64)), "l"(describe(tile + B_WORD, 8)))

__device__ __forceinline__ void publish(void)
{
	asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

__device__ __forceinline__ void begin(void)
{
	asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

__device__ __forceinline__ void commit(void)
{
	asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

template <int left> __device__ __forceinline__ void wait_for_all_but(void)
{
	asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(left) : "memory");
}

/* The sums are stored while the tensor cores may still add to them. */
extern "C" __global__ void planted_product_no_wait(float *out, long long n)
{
	__shared__ alignas(128) unsigned tile[WORDS];
	float sums[4] = {};

	fill(tile, ONES);
	publish();
	__syncthreads();
	begin();
	MULTIPLY(sums, tile); /* other: planted_product_no_wait */
	commit();
	if (threadIdx.x < n)
		out[threadIdx.x] = sums[0]; /* wrong: planted_product_no_wait */
	wait_for_all_but<0>();
}

/* The tile is filled again before all warps have waited for the product that reads it. */
extern "C" __global__ void planted_product_refill(float *out, long long n)
{
	__shared__ alignas(128) unsigned tile[WORDS];
	float sums[4] = {};

	fill(tile, ONES);
	publish();
	__syncthreads();
	begin();
	MULTIPLY(sums, tile); /* other: planted_product_refill */
	commit();
	__syncthreads();
	tile[threadIdx.x] = 0; /* wrong: planted_product_refill */
	wait_for_all_but<0>();
	if (threadIdx.x < n)
		out[threadIdx.x] = sums[0];
}

/* A barrier alone does not show the stores to the tensor cores. */
extern "C" __global__ void planted_product_no_proxy_fence(float *out, long long n)
{
	__shared__ alignas(128) unsigned tile[WORDS];
	float sums[4] = {};

	for (int i = threadIdx.x; i < WORDS; i += blockDim.x)
		tile[i] = ONES; /* other: planted_product_no_proxy_fence */
	__syncthreads();
	begin();
	MULTIPLY(sums, tile); /* wrong: planted_product_no_proxy_fence */
	commit();
	wait_for_all_but<0>();
	if (threadIdx.x < n)
		out[threadIdx.x] = sums[0];
}

/* The last warp leaves before its warpgroup multiplies. */
extern "C" __global__ void planted_product_without_a_warp(float *out, long long n)
{
	__shared__ alignas(128) unsigned tile[WORDS];
	float sums[4] = {};

	fill(tile, ONES);
	publish();
	__syncthreads();
	if (threadIdx.x >= 224)
		return;
	begin();
	MULTIPLY(sums, tile); /* wrong: planted_product_without_a_warp */
	commit();
	wait_for_all_but<0>();
	if (threadIdx.x < n)
		out[threadIdx.x] = sums[0];
}

/* Two tiles take turns: one is filled while the product of the other runs. */
extern "C" __global__ void right_product_pipeline(float *out, long long n)
{
	__shared__ alignas(128) unsigned tiles[2][WORDS];
	float sums[4] = {};

	fill(tiles[0], ONES);
	for (int turn = 0; turn < 16; turn++) {
		publish();
		__syncthreads();
		begin();
		MULTIPLY(sums, tiles[turn % 2]);
		commit();
		/* The product before has been read by all warps only after a barrier. */
		wait_for_all_but<1>();
		__syncthreads();
		fill(tiles[(turn + 1) % 2], ONES);
	}
	wait_for_all_but<0>();
	if (threadIdx.x == 0 && blockIdx.x < n)
		out[blockIdx.x] = sums[0];
}
