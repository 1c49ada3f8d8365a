/* Bulk and tensor copies in cuda::ptx and cuda::barrier: see test_bulk_programs.c. nvcc -ptx
 * -arch=compute_90 -std=c++17 -diag-suppress 20054. */
#include <cuda.h>
#include <cuda/barrier>
#include <cuda/ptx>

namespace ptx = cuda::ptx;

using barrier = cuda::barrier<cuda::thread_scope_block>;

/* cuda::memcpy_async of aligned bytes is a bulk copy. Each block adds up its 256 words, n times. */
extern "C" __global__ void copies(unsigned *out, const unsigned *in, unsigned n,
				  const __grid_constant__ CUtensorMap)
{
	__shared__ alignas(16) unsigned tile[256];
	__shared__ barrier full;
	unsigned sum = 0;

	if (threadIdx.x == 0)
		init(&full, blockDim.x);
	__syncthreads();
	for (unsigned round = 0; round < n; round++) {
		if (threadIdx.x == 0)
			cuda::memcpy_async(tile, in + 256 * blockIdx.x, cuda::aligned_size_t<16>(1024), full);
		full.arrive_and_wait();
		sum += tile[threadIdx.x] + tile[255 - threadIdx.x];
		__syncthreads();
	}
	out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

#define STAGES 3

/* One warp loads n tiles of 32 x 8 words in turn; the others add them up, word by word. */
extern "C" __global__ void pipeline(unsigned *out, const unsigned *, unsigned n,
				    const __grid_constant__ CUtensorMap map)
{
	__shared__ alignas(128) unsigned tiles[STAGES][256];
	__shared__ alignas(8) uint64_t full[STAGES], empty[STAGES];
	const unsigned consumers = blockDim.x - 32;
	unsigned sum = 0;

	if (threadIdx.x == 0) {
		for (int i = 0; i < STAGES; i++) {
			ptx::mbarrier_init(&full[i], 1);
			ptx::mbarrier_init(&empty[i], consumers);
		}
		ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
	}
	__syncthreads();
	if (threadIdx.x >= consumers) {
		for (unsigned k = 0; threadIdx.x == consumers && k < n; k++) {
			const unsigned stage = k % STAGES;
			const int at[] = {(int)blockIdx.x * 32, (int)k * 8};

			while (!ptx::mbarrier_try_wait_parity(&empty[stage], (k / STAGES & 1) ^ 1))
				;
			ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta,
						       ptx::space_shared, &full[stage], 1024);
			ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global,
						  tiles[stage], &map, at, &full[stage]);
		}
		return;
	}
	for (unsigned k = 0; k < n; k++) {
		const unsigned stage = k % STAGES;

		while (!ptx::mbarrier_try_wait_parity(&full[stage], k / STAGES & 1))
			;
		for (unsigned i = threadIdx.x; i < 256; i += consumers)
			sum += tiles[stage][i];
		ptx::mbarrier_arrive(&empty[stage]);
	}
	out[blockIdx.x * consumers + threadIdx.x] = sum;
}

/* Stores n rows of 256 words through two buffers in turn. */
extern "C" __global__ void rows(unsigned *, const unsigned *, unsigned n,
				const __grid_constant__ CUtensorMap map)
{
	__shared__ alignas(128) unsigned row[2][256];

	for (unsigned k = 0; k < n; k++) {
		const int at[] = {0, (int)(blockIdx.x * n + k)};

		if (threadIdx.x == 0)
			ptx::cp_async_bulk_wait_group_read(ptx::n32_t<1>());
		__syncthreads();
		row[k % 2][threadIdx.x] = 1000 * at[1] + threadIdx.x;
		ptx::fence_proxy_async(ptx::space_shared);
		__syncthreads();
		if (threadIdx.x == 0) {
			ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, &map, at,
						  row[k % 2]);
			ptx::cp_async_bulk_commit_group();
		}
	}
	if (threadIdx.x == 0)
		ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
}

/* All blocks add to the same words, and take their maximum in the next ones. */
extern "C" __global__ void sums(unsigned *out, const unsigned *, unsigned n,
				const __grid_constant__ CUtensorMap)
{
	__shared__ alignas(16) unsigned mine[256];

	mine[threadIdx.x] = n * blockIdx.x + threadIdx.x;
	ptx::fence_proxy_async(ptx::space_shared);
	__syncthreads();
	if (threadIdx.x == 0) {
		ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_add, out,
					  mine, sizeof(mine));
		ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_max,
					  out + 256, mine, sizeof(mine));
		ptx::cp_async_bulk_commit_group();
		ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
	}
}
