/* The shuffle in cooperative groups: a tile of 32 threads is a warp. */
#include <cooperative_groups.h>

#include "reduce.cuh"

namespace groups = cooperative_groups;

__device__ static float tile_sum(const groups::thread_block_tile<32> &tile, float value)
{
	for (unsigned offset = tile.size() / 2; offset > 0; offset /= 2)
		value += tile.shfl_down(value, offset);
	return value;
}

extern "C" __global__ void reduce_cooperative_tile(const float *__restrict__ x,
						   float *__restrict__ partials, long long n)
{
	__shared__ float of_tile[32];
	groups::thread_block block = groups::this_thread_block();
	groups::thread_block_tile<32> tile = groups::tiled_partition<32>(block);
	unsigned lane = tile.thread_rank();
	long long i = global_thread();
	float value = tile_sum(tile, i < n ? x[i] : 0.0f);

	if (lane == 0)
		of_tile[tile.meta_group_rank()] = value;
	block.sync();
	if (tile.meta_group_rank() == 0) {
		value = tile_sum(tile, lane < tile.meta_group_size() ? of_tile[lane] : 0.0f);
		if (lane == 0)
			partials[blockIdx.x] = value;
	}
}
