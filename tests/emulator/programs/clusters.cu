/* Clusters in cooperative groups and cuda::ptx: see test_cluster_programs.c. nvcc -ptx
 * -arch=compute_90 -std=c++17 -diag-suppress 20054. */
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda/ptx>

namespace groups = cooperative_groups;

/* Each thread passes a word around the ring of blocks, n times. */
extern "C" __global__ void ring(unsigned *out, long long n)
{
	__shared__ unsigned words[2][256];
	groups::cluster_group cluster = groups::this_cluster();
	unsigned thread = threadIdx.x, size = cluster.num_blocks(), rank = cluster.block_rank();
	unsigned *next = cluster.map_shared_rank(&words[0][0], (rank + 1) % size);

	words[0][thread] = blockIdx.x * blockDim.x + thread;
	for (unsigned round = 0; round < n; round++) {
		cluster.sync();
		next[(round + 1) % 2 * 256 + thread] = words[round % 2][thread];
	}
	cluster.sync();
	out[blockIdx.x * blockDim.x + thread] = words[n % 2][thread];
}

/* The histogram of CUDA's programming guide: the bins lie in all blocks of the cluster. Value i of
 * the input is i * i % n. */
extern "C" __global__ void histogram(unsigned *out, long long n)
{
	extern __shared__ unsigned bins[];
	groups::cluster_group cluster = groups::this_cluster();
	unsigned size = cluster.num_blocks(), rank = cluster.block_rank();
	unsigned per_block = (n + size - 1) / size;

	for (unsigned i = threadIdx.x; i < per_block; i += blockDim.x)
		bins[i] = 0;
	cluster.sync();
	for (unsigned i = groups::this_grid().thread_rank(); i < 4096;
	     i += blockDim.x * gridDim.x) {
		unsigned value = i * i % (unsigned)n;

		atomicAdd(cluster.map_shared_rank(bins, value / per_block) + value % per_block, 1);
	}
	cluster.sync();
	for (unsigned i = threadIdx.x; i < per_block && rank * per_block + i < n; i += blockDim.x)
		atomicAdd(&out[rank * per_block + i], bins[i]);
}

/* The first block adds up what all blocks have. Blocks work between arriving and waiting. */
extern "C" __global__ void __cluster_dims__(4, 1, 1) sums(unsigned *out, long long n)
{
	__shared__ unsigned part, own;
	groups::cluster_group cluster = groups::this_cluster();

	if (threadIdx.x == 0)
		part = 0;
	__syncthreads();
	for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
		atomicAdd(&part, i);
	cluster.barrier_arrive();
	if (threadIdx.x == 0)
		own = blockIdx.x;
	cluster.barrier_wait();
	if (cluster.block_rank() == 0 && threadIdx.x == 0) {
		unsigned sum = 0;

		for (unsigned i = 0; i < cluster.num_blocks(); i++)
			sum += *cluster.map_shared_rank(&part, i);
		out[blockIdx.x] = sum;
	}
	cluster.sync();
	if (cluster.block_rank() != 0 && threadIdx.x == 0)
		out[blockIdx.x] = *cluster.map_shared_rank(&own, cluster.block_rank() - 1);
	cluster.sync();
}

/* The asynchronous stores of CUDA's programming guide: each block receives words of its peer and
 * waits for their bytes. */
extern "C" __global__ void __cluster_dims__(2, 1, 1) exchange(unsigned *out, long long n)
{
	using barrier = cuda::barrier<cuda::thread_scope_block>;
	__shared__ alignas(16) int received[256];
#pragma nv_diag_suppress static_var_with_dynamic_init
	__shared__ barrier bar;
	groups::cluster_group cluster = groups::this_cluster();
	unsigned peer = cluster.block_rank() ^ 1, thread = threadIdx.x;
	uint64_t *own_bar = cuda::device::barrier_native_handle(bar);
	uint64_t *peer_bar = cluster.map_shared_rank(own_bar, peer);
	int *to = cluster.map_shared_rank(&received[0], peer);
	unsigned sum = 0;

	if (thread == 0) {
		init(&bar, blockDim.x);
		cuda::ptx::fence_mbarrier_init(cuda::ptx::sem_release, cuda::ptx::scope_cluster);
	}
	cluster.sync();
	for (unsigned round = 0; round < n; round++) {
		barrier::arrival_token token = cuda::device::barrier_arrive_tx(bar, 1, sizeof(int));

		cuda::ptx::st_async(&to[thread],
				    (int)(1000 * round + blockIdx.x * blockDim.x + thread),
				    peer_bar);
		bar.wait(std::move(token));
		sum += received[blockDim.x - 1 - thread];
		/* the peer must not send the next words before these are read */
		cluster.sync();
	}
	out[blockIdx.x * blockDim.x + thread] = sum;
}

/* A block fills the memory of the next one when that one has said that it is free. */
extern "C" __global__ void __cluster_dims__(4, 1, 1) stages(unsigned *out, long long n)
{
	__shared__ unsigned words[64];
	__shared__ uint64_t full, empty;
	groups::cluster_group cluster = groups::this_cluster();
	unsigned rank = cluster.block_rank(), size = cluster.num_blocks(), thread = threadIdx.x;
	unsigned after = (rank + 1) % size, before = (rank + size - 1) % size, sum = 0;
	unsigned *to = cluster.map_shared_rank(&words[0], after);
	uint64_t *full_there = cluster.map_shared_rank(&full, after);
	uint64_t *empty_there = cluster.map_shared_rank(&empty, before);

	if (thread == 0) {
		cuda::ptx::mbarrier_init(&full, blockDim.x);
		cuda::ptx::mbarrier_init(&empty, blockDim.x);
		cuda::ptx::fence_mbarrier_init(cuda::ptx::sem_release, cuda::ptx::scope_cluster);
	}
	cluster.sync();
	for (unsigned round = 0; round < n; round++) {
		/* `empty` says that the words of the next block were read. */
		if (round > 0)
			while (!cuda::ptx::mbarrier_try_wait_parity(cuda::ptx::sem_acquire,
								    cuda::ptx::scope_cluster,
								    &empty, (round - 1) % 2))
				;
		to[thread] = 100 * round + blockIdx.x;
		cuda::ptx::mbarrier_arrive(cuda::ptx::sem_release, cuda::ptx::scope_cluster,
					   cuda::ptx::space_cluster, full_there);
		while (!cuda::ptx::mbarrier_try_wait_parity(
			cuda::ptx::sem_acquire, cuda::ptx::scope_cluster, &full, round % 2))
			;
		sum += words[(thread + 33) % 64];
		cuda::ptx::mbarrier_arrive(cuda::ptx::sem_release, cuda::ptx::scope_cluster,
					   cuda::ptx::space_cluster, empty_there);
	}
	cluster.sync();
	out[blockIdx.x * blockDim.x + thread] = sum;
}
