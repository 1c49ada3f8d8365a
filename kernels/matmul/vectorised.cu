/* 128 x 128 elements of C a block, 8 x 8 a thread, and every load and store moves four floats: a
 * quarter of the memory instructions. A warp's share of the tile is square, so it reads little. */
#include "warp_tiles.cuh"

extern "C" __global__ void __launch_bounds__(256, 2)
	matmul_vectorised(const float *__restrict__ a, const float *__restrict__ b,
			  float *__restrict__ c, long long n)
{
	multiply_warp_tiles<warp_tiles<128, 128, 8, 32, 64, 1, FILL_AND_WAIT>>(a, b, c, n);
}
