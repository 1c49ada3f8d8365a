// perflab: needs sm_80
/* The same with bfloat16, which has the range of single and 8 bits: the same rate, since it is the
 * bytes that count. */
#include "warp_products.cuh"

extern "C" __global__ void __launch_bounds__(256)
	matmul_tensor_bf16(const void *__restrict__ a, const void *__restrict__ b,
			   float *__restrict__ c, long long n)
{
	multiply_tiles<warp_products<bfloat16_numbers, tile_shape<128, 256, 3, 256>>>(a, b, c, n);
}
