/* The same with two tiles in shared memory: the next one is loaded into registers before the one at
 * hand is multiplied, and stored after it, so that the load's latency is hidden by arithmetic. */
#include "warp_tiles.cuh"

extern "C" __global__ void __launch_bounds__(256, 2)
	matmul_double_buffered(const float *__restrict__ a, const float *__restrict__ b,
			       float *__restrict__ c, long long n)
{
	multiply_warp_tiles<warp_tiles<128, 128, 8, 32, 64, 2, FILL_REGISTERS>>(a, b, c, n);
}
