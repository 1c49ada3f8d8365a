/* Every thread first sums elements a whole grid apart; the trees see one value per thread. */
#include "reduce.cuh"

extern "C" __global__ void reduce_grid_stride(const float *__restrict__ x,
					      float *__restrict__ partials, long long n)
{
	float total = block_sum(strided_sum(x, n, global_thread(), grid_threads()));

	if (threadIdx.x == 0)
		partials[blockIdx.x] = total;
}
