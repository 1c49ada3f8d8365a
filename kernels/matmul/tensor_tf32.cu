// perflab: needs sm_80
/* As tensor_f16 with floats; tensor cores use their first 19 bits. The same bytes hold half as many
 * elements, so the rate is half. */
#include "warp_products.cuh"

extern "C" __global__ void __launch_bounds__(64, 3) matmul_tensor_tf32_64(MATRICES)
{
	multiply_tiles<warp_products<tf32_numbers, warp_tile_64>>(a, b, c, n);
}

extern "C" __global__ void __launch_bounds__(128, 2) matmul_tensor_tf32_128(MATRICES)
{
	multiply_tiles<warp_products<tf32_numbers, warp_tile_128>>(a, b, c, n);
}

extern "C" __global__ void __launch_bounds__(256) matmul_tensor_tf32_256(MATRICES)
{
	multiply_tiles<warp_products<tf32_numbers, warp_tile_256>>(a, b, c, n);
}

extern "C" __global__ void __launch_bounds__(512) matmul_tensor_tf32_512(MATRICES)
{
	multiply_tiles<warp_products<tf32_numbers, warp_tile_512>>(a, b, c, n);
}

extern "C" __global__ void __launch_bounds__(1024) matmul_tensor_tf32_1024(MATRICES)
{
	multiply_tiles<warp_products<tf32_numbers, warp_tile_1024, 2>>(a, b, c, n);
}
