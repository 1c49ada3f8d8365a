// perflab: needs sm_80
/* Tensor cores, half precision summed in single: a warp multiplies 16 x 16 by 16 x 8 at a time. The
 * operands pass from shared memory through registers, which is what they wait for. */
#include "warp_products.cuh"

extern "C" __global__ void __launch_bounds__(256)
	matmul_tensor_f16(const void *__restrict__ a, const void *__restrict__ b,
			   float *__restrict__ c, long long n)
{
	multiply_tiles<warp_products<half_numbers, tile_shape<128, 256, 3, 256>>>(a, b, c, n);
}
