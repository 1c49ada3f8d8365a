/* As vectorised, with two tiles: the next one is loaded into registers before the current one is
 * multiplied and stored after it, so arithmetic hides the latency of the load. */
#include "warp_tiles.cuh"

/* The code is unrolled for `steps` steps, not for all: registers are left for the loaded values. */
template <int rows, int columns, int depth, int warp_rows, int warp_columns, int steps>
using tiles = warp_tiles<rows, columns, depth, warp_rows, warp_columns, 2, FILL_REGISTERS, steps>;

extern "C" __global__ void __launch_bounds__(64, 6) matmul_double_buffered_64(MATRICES)
{
	multiply_warp_tiles<tiles<64, 64, 8, 32, 64, 4>>(a, b, c, n);
}

extern "C" __global__ void __launch_bounds__(128, 3) matmul_double_buffered_128(MATRICES)
{
	multiply_warp_tiles<tiles<128, 64, 8, 32, 64, 4>>(a, b, c, n);
}

extern "C" __global__ void __launch_bounds__(256, 2) matmul_double_buffered_256(MATRICES)
{
	multiply_warp_tiles<tiles<128, 128, 8, 32, 64, 4>>(a, b, c, n);
}

extern "C" __global__ void __launch_bounds__(512) matmul_double_buffered_512(MATRICES)
{
	multiply_warp_tiles<tiles<128, 128, 16, 32, 32, 8>>(a, b, c, n);
}

extern "C" __global__ void __launch_bounds__(1024) matmul_double_buffered_1024(MATRICES)
{
	multiply_warp_tiles<tiles<128, 128, 32, 16, 32, 4>>(a, b, c, n);
}
