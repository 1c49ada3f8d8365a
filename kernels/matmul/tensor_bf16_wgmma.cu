// perflab: needs sm_90a
/* bfloat16 by groups of four warps, which read both operands out of shared memory: no registers but
 * the sums, and the device's full rate. */
#include "group_products.cuh"

extern "C" __global__ void __launch_bounds__(GROUP_TILE::threads)
	matmul_tensor_bf16_wgmma(const void *__restrict__ a, const void *__restrict__ b,
			       float *__restrict__ c, long long n)
{
	multiply_tiles<group_products<bfloat16_numbers, GROUP_TILE>>(a, b, c, n);
}
