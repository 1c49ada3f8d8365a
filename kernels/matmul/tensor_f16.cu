// perflab: needs sm_80
/* Tensor cores, half precision with sums in single precision: a warp multiplies 16 x 16 by 16 x 8
 * at a time. The operands pass from shared memory through registers. */
#include "warp_products.cuh"

extern "C" __global__ void __launch_bounds__(64, 3) matmul_tensor_f16_64(MATRICES)
{
	multiply_tiles<warp_products<half_numbers, warp_tile_64>>(a, b, c, n);
}

extern "C" __global__ void __launch_bounds__(128, 2) matmul_tensor_f16_128(MATRICES)
{
	multiply_tiles<warp_products<half_numbers, warp_tile_128>>(a, b, c, n);
}

extern "C" __global__ void __launch_bounds__(256) matmul_tensor_f16_256(MATRICES)
{
	multiply_tiles<warp_products<half_numbers, warp_tile_256>>(a, b, c, n);
}

extern "C" __global__ void __launch_bounds__(512) matmul_tensor_f16_512(MATRICES)
{
	multiply_tiles<warp_products<half_numbers, warp_tile_512>>(a, b, c, n);
}

extern "C" __global__ void __launch_bounds__(1024) matmul_tensor_f16_1024(MATRICES)
{
	multiply_tiles<warp_products<half_numbers, warp_tile_1024, 2>>(a, b, c, n);
}
