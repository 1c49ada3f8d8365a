// perflab: needs sm_80
/* The same with singles of which tensor cores take the first 19 bits: half the elements in the same
 * bytes, so half the rate. */
#include "warp_products.cuh"

extern "C" __global__ void __launch_bounds__(256)
	matmul_tensor_tf32(const void *__restrict__ a, const void *__restrict__ b,
			   float *__restrict__ c, long long n)
{
	multiply_tiles<warp_products<tf32_numbers, tile_shape<128, 256, 3, 256>>>(a, b, c, n);
}
