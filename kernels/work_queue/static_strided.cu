/* Items are dealt in turn, as by a grid stride: neighbours go to different blocks, so neighbouring
 * heavy items are spread without a queue. */
#include "work_queue.cuh"

extern "C" __global__ void work_queue_static_strided(const unsigned *__restrict__ x,
						     unsigned *__restrict__ y, long long n,
						     unsigned skew)
{
	const long long stride = (long long)gridDim.x * blockDim.x;

#pragma unroll 1
	for (long long i = global_thread(); i < n; i += stride)
		y[i] = worked(x[i], i, n, skew);
}
