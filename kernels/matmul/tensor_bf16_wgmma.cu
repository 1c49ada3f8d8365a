// perflab: needs sm_90a
/* bfloat16 by groups of four warps, which read both operands out of shared memory: no registers but
 * the sums, and the device's full rate. The axis `shape` says which tile. */
#include "group_products.cuh"

#define MATRICES                                                                             \
	const void *__restrict__ a, const void *__restrict__ b, float *__restrict__ c, long long n

extern "C" __global__ void __launch_bounds__(SHAPE_1::threads)
	matmul_tensor_bf16_wgmma_1(MATRICES)
{
	multiply_tiles<group_products<bfloat16_numbers, SHAPE_1>>(a, b, c, n);
}

extern "C" __global__ void __launch_bounds__(SHAPE_2::threads)
	matmul_tensor_bf16_wgmma_2(MATRICES)
{
	multiply_tiles<group_products<bfloat16_numbers, SHAPE_2>>(a, b, c, n);
}

extern "C" __global__ void __launch_bounds__(SHAPE_3::threads)
	matmul_tensor_bf16_wgmma_3(MATRICES)
{
	multiply_tiles<group_products<bfloat16_numbers, SHAPE_3>>(a, b, c, n);
}

extern "C" __global__ void __launch_bounds__(SHAPE_4::threads, 2)
	matmul_tensor_bf16_wgmma_4(MATRICES)
{
	multiply_tiles<group_products<bfloat16_numbers, SHAPE_4>>(a, b, c, n);
}
