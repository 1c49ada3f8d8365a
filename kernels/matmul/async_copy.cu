// perflab: needs sm_80
/* Tiles are copied into shared memory without passing through registers, several ahead. The
 * registers hold more of C: 128 elements per thread, if a thread has that many registers. */
#include "warp_tiles.cuh"

template <int rows, int columns, int depth, int warp_rows, int warp_columns>
using tiles = warp_tiles<rows, columns, depth, warp_rows, warp_columns, 3, FILL_ASYNC>;

extern "C" __global__ void __launch_bounds__(64, 4) matmul_async_copy_64(MATRICES)
{
	multiply_warp_tiles<tiles<64, 128, 16, 64, 64>>(a, b, c, n);
}

extern "C" __global__ void __launch_bounds__(128, 2) matmul_async_copy_128(MATRICES)
{
	multiply_warp_tiles<tiles<128, 128, 16, 64, 64>>(a, b, c, n);
}

extern "C" __global__ void __launch_bounds__(256) matmul_async_copy_256(MATRICES)
{
	multiply_warp_tiles<tiles<128, 256, 16, 64, 64>>(a, b, c, n);
}

extern "C" __global__ void __launch_bounds__(512) matmul_async_copy_512(MATRICES)
{
	multiply_warp_tiles<tiles<128, 256, 16, 32, 64>>(a, b, c, n);
}

extern "C" __global__ void __launch_bounds__(1024) matmul_async_copy_1024(MATRICES)
{
	multiply_warp_tiles<tiles<128, 128, 32, 16, 32>>(a, b, c, n);
}
