// perflab: needs sm_80
/* Tiles are copied into shared memory without passing through registers, several ahead; the
 * registers hold more of C. Which shape is best is the device's to say: the axis `shape`. */
#include "warp_tiles.cuh"

#define SHAPE_1 warp_tiles<128, 128, 16, 32, 64, 3, FILL_ASYNC>
#define SHAPE_2 warp_tiles<128, 256, 16, 64, 64, 3, FILL_ASYNC>
#define SHAPE_3 warp_tiles<256, 128, 16, 64, 64, 3, FILL_ASYNC>
#define SHAPE_4 warp_tiles<128, 128, 16, 64, 64, 3, FILL_ASYNC>

#define MATRICES \
	const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, long long n

extern "C" __global__ void __launch_bounds__(SHAPE_1::threads, 2) matmul_async_copy_1(MATRICES)
{
	multiply_warp_tiles<SHAPE_1>(a, b, c, n);
}

extern "C" __global__ void __launch_bounds__(SHAPE_2::threads) matmul_async_copy_2(MATRICES)
{
	multiply_warp_tiles<SHAPE_2>(a, b, c, n);
}

extern "C" __global__ void __launch_bounds__(SHAPE_3::threads) matmul_async_copy_3(MATRICES)
{
	multiply_warp_tiles<SHAPE_3>(a, b, c, n);
}

extern "C" __global__ void __launch_bounds__(SHAPE_4::threads, 2) matmul_async_copy_4(MATRICES)
{
	multiply_warp_tiles<SHAPE_4>(a, b, c, n);
}
