// perflab: needs sm_90a
/* tf32 by groups of four warps, which read both operands from shared memory: only the sums take
 * registers, which opens the way to the full rate. */
#include "group_products.cuh"

extern "C" __global__ void __launch_bounds__(128) matmul_tensor_tf32_wgmma_128(MATRICES)
{
	multiply_tiles<group_products<tf32_numbers, group_tile_128>>(a, b, c, n);
}

extern "C" __global__ void __launch_bounds__(256) matmul_tensor_tf32_wgmma_256(MATRICES)
{
	multiply_tiles<group_products<tf32_numbers, group_tile_256>>(a, b, c, n);
}

extern "C" __global__ void __launch_bounds__(384) matmul_tensor_tf32_wgmma_384(MATRICES)
{
	multiply_tiles<group_products<tf32_numbers, group_tile_384>>(a, b, c, n);
}

extern "C" __global__ void __launch_bounds__(512) matmul_tensor_tf32_wgmma_512(MATRICES)
{
	multiply_tiles<group_products<tf32_numbers, group_tile_512>>(a, b, c, n);
}

extern "C" __global__ void __launch_bounds__(1024) matmul_tensor_tf32_wgmma_1024(MATRICES)
{
	multiply_tiles<group_products<tf32_numbers, group_tile_1024>>(a, b, c, n);
}
