/* Faults planted in clusters of two blocks, and kernels that have none: see test_planted.c. */
#include <cooperative_groups.h>

namespace groups = cooperative_groups;

/* A block reads what the other one writes, with no barrier of the cluster between. */
extern "C" __global__ void __cluster_dims__(2) planted_no_cluster_sync(float *out, long long n)
{
	__shared__ float value;
	groups::cluster_group cluster = groups::this_cluster();

	cluster.sync();
	if (threadIdx.x == 0)
		value = 0.0f; /* other: planted_no_cluster_sync */
	__syncthreads();
	if (threadIdx.x == 0)
		out[blockIdx.x] =
			*cluster.map_shared_rank(&value, 1); /* wrong: planted_no_cluster_sync */
	cluster.sync();
}

/* A block stores to the other one, which may not have begun. */
extern "C" __global__ void __cluster_dims__(2) planted_not_begun(float *out, long long n)
{
	__shared__ float value;
	groups::cluster_group cluster = groups::this_cluster();
	float *there = cluster.map_shared_rank(&value, cluster.block_rank() ^ 1);

	if (threadIdx.x == 0)
		*there = 1.0f; /* wrong: planted_not_begun */
	cluster.sync();
	if (threadIdx.x < n)
		out[threadIdx.x] = 0.0f * value;
}

/* The block that is read ends before the other one has read. */
extern "C" __global__ void __cluster_dims__(2) planted_ends_early(float *out, long long n)
{
	__shared__ float values[256];
	groups::cluster_group cluster = groups::this_cluster();

	values[threadIdx.x] = 0.0f;
	cluster.sync();
	if (cluster.block_rank() == 0 && threadIdx.x < n)
		out[threadIdx.x] = cluster.map_shared_rank(values, 1)[threadIdx.x];
} /* wrong: planted_ends_early */

/* The cluster has blocks 0 and 1. */
extern "C" __global__ void __cluster_dims__(2) planted_no_such_rank(float *out, long long n)
{
	__shared__ float values[256];
	groups::cluster_group cluster = groups::this_cluster();

	values[threadIdx.x] = 0.0f;
	cluster.sync();
	if (threadIdx.x < n)
		out[threadIdx.x] = cluster.map_shared_rank(
			values,
			cluster.block_rank() + 1)[threadIdx.x]; /* wrong: planted_no_such_rank */
	cluster.sync();
}

/* The array of the other block ends. */
extern "C" __global__ void __cluster_dims__(2) planted_past_other_block(float *out, long long n)
{
	__shared__ float values[256];
	groups::cluster_group cluster = groups::this_cluster();

	values[threadIdx.x] = 0.0f;
	cluster.sync();
	if (threadIdx.x < n)
		out[threadIdx.x] = cluster.map_shared_rank(
			values, 0)[threadIdx.x + 1]; /* wrong: planted_past_other_block */
	cluster.sync();
}

/* The next value is stored while the other block may still read the last one. */
extern "C" __global__ void __cluster_dims__(2) planted_refill_of_cluster(float *out, long long n)
{
	__shared__ float value;
	groups::cluster_group cluster = groups::this_cluster();
	float *there = cluster.map_shared_rank(&value, cluster.block_rank() ^ 1);
	float sum = 0.0f;

	cluster.sync();
	for (int round = 0; round < 3; round++) {
		if (threadIdx.x == 0)
			*there = (float)round; /* wrong: planted_refill_of_cluster */
		cluster.sync();
		sum += value; /* other: planted_refill_of_cluster */
	}
	cluster.sync();
	if (threadIdx.x < n)
		out[threadIdx.x] = 0.0f * sum;
}

/* One thread waits for its cluster, the others for their block. */
extern "C" __global__ void __cluster_dims__(2) planted_one_thread_syncs(float *out, long long n)
{
	groups::cluster_group cluster = groups::this_cluster();

	if (threadIdx.x / 32 == 0)
		cluster.sync();
	__syncthreads(); /* wrong: planted_one_thread_syncs */
	if (threadIdx.x < n)
		out[threadIdx.x] = 0.0f;
}

/* A thread must wait before it arrives again. */
extern "C" __global__ void __cluster_dims__(2) planted_arrives_twice(float *out, long long n)
{
	groups::cluster_group cluster = groups::this_cluster();

	cluster.barrier_arrive();
	if (n > 0)
		cluster.barrier_arrive(); /* wrong: planted_arrives_twice */
	cluster.barrier_wait();
	if (threadIdx.x < n)
		out[threadIdx.x] = 0.0f;
}

/* Each block stores to the other, and barriers of the cluster keep the rounds apart. */
extern "C" __global__ void __cluster_dims__(2) right_rounds_of_cluster(float *out, long long n)
{
	__shared__ float values[256];
	groups::cluster_group cluster = groups::this_cluster();
	float *there = cluster.map_shared_rank(values, cluster.block_rank() ^ 1), sum = 0.0f;

	for (int round = 0; round < 4; round++) {
		cluster.sync();
		there[threadIdx.x] = 1.0f;
		cluster.sync();
		for (int i = 64 * round; threadIdx.x == 0 && i < 64 * round + 64; i++)
			sum += values[i];
	}
	if (threadIdx.x == 0)
		out[blockIdx.x] = sum;
}

/* All threads count on the other block. The barriers of the block alone come between, too. */
extern "C" __global__ void __cluster_dims__(2) right_counts_in_cluster(float *out, long long n)
{
	__shared__ int count, seen[256];
	groups::cluster_group cluster = groups::this_cluster();

	if (threadIdx.x == 0)
		count = 0;
	seen[threadIdx.x] = 0;
	__syncthreads();
	cluster.sync();
	atomicAdd(cluster.map_shared_rank(&count, cluster.block_rank() ^ 1), 1);
	cluster.sync();
	seen[threadIdx.x] = count;
	__syncthreads();
	if (threadIdx.x == 0)
		out[blockIdx.x] = (float)seen[255];
}
