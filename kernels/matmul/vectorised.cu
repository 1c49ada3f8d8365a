/* 8 x 8 elements of C per thread, and every load and store moves four floats: a quarter of the
 * memory instructions. In blocks of 1024 a thread has registers for half as many elements. */
#include "warp_tiles.cuh"

template <int rows, int columns, int depth, int warp_rows, int warp_columns>
using tiles = warp_tiles<rows, columns, depth, warp_rows, warp_columns, 1, FILL_AND_WAIT>;

extern "C" __global__ void __launch_bounds__(64, 8) matmul_vectorised_64(MATRICES)
{
	multiply_warp_tiles<tiles<64, 64, 8, 32, 64>>(a, b, c, n);
}

extern "C" __global__ void __launch_bounds__(128, 4) matmul_vectorised_128(MATRICES)
{
	multiply_warp_tiles<tiles<128, 64, 8, 32, 64>>(a, b, c, n);
}

extern "C" __global__ void __launch_bounds__(256, 2) matmul_vectorised_256(MATRICES)
{
	multiply_warp_tiles<tiles<128, 128, 8, 32, 64>>(a, b, c, n);
}

extern "C" __global__ void __launch_bounds__(512) matmul_vectorised_512(MATRICES)
{
	multiply_warp_tiles<tiles<128, 256, 16, 32, 64>>(a, b, c, n);
}

extern "C" __global__ void __launch_bounds__(1024) matmul_vectorised_1024(MATRICES)
{
	multiply_warp_tiles<tiles<128, 256, 32, 16, 64>>(a, b, c, n);
}
