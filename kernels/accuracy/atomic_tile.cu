/* As atomic_shuffle, with the shuffles of a cooperative-groups tile. */
#include <cooperative_groups.h>

#include "accuracy.cuh"

namespace groups = cooperative_groups;

extern "C" __global__ void accuracy_atomic_tile(const float *x, float *sum, long long n)
{
	extern __shared__ float values[];
	groups::thread_block_tile<32> tile =
		groups::tiled_partition<32>(groups::this_thread_block());
	float value;

	load_values(values, x, n);
	fold(values, 32);
	value = values[threadIdx.x];
	for (unsigned offset = tile.size() / 2; offset > 0; offset /= 2)
		value += tile.shfl_down(value, offset);
	if (threadIdx.x == 0)
		atomicAdd(sum, value);
}
