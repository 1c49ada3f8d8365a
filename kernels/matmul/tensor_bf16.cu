// perflab: needs sm_80
/* As tensor_f16 with bfloat16, which has the range of single precision and 8 bits. The rate is the
 * same, because the number of bytes decides. */
#include "warp_products.cuh"

extern "C" __global__ void __launch_bounds__(64, 3) matmul_tensor_bf16_64(MATRICES)
{
	multiply_tiles<warp_products<bfloat16_numbers, warp_tile_64>>(a, b, c, n);
}

extern "C" __global__ void __launch_bounds__(128, 2) matmul_tensor_bf16_128(MATRICES)
{
	multiply_tiles<warp_products<bfloat16_numbers, warp_tile_128>>(a, b, c, n);
}

extern "C" __global__ void __launch_bounds__(256) matmul_tensor_bf16_256(MATRICES)
{
	multiply_tiles<warp_products<bfloat16_numbers, warp_tile_256>>(a, b, c, n);
}

extern "C" __global__ void __launch_bounds__(512) matmul_tensor_bf16_512(MATRICES)
{
	multiply_tiles<warp_products<bfloat16_numbers, warp_tile_512>>(a, b, c, n);
}

extern "C" __global__ void __launch_bounds__(1024) matmul_tensor_bf16_1024(MATRICES)
{
	multiply_tiles<warp_products<bfloat16_numbers, warp_tile_1024, 2>>(a, b, c, n);
}
