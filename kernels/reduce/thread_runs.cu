/* Every thread first sums a run of neighbouring elements, so the lanes of a warp load from distant
 * addresses: each needs its own sector, where a grid stride needs four for the warp. */
#include "reduce.cuh"

extern "C" __global__ void reduce_thread_runs(const float *__restrict__ x,
					      float *__restrict__ partials, long long n)
{
	long long each = (n + grid_threads() - 1) / grid_threads();
	long long first = global_thread() * each;
	long long end = first + each < n ? first + each : n;
	float total = block_sum(strided_sum(x, end, first, 1));

	if (threadIdx.x == 0)
		partials[blockIdx.x] = total;
}
