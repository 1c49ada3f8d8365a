// perflab: axis n = 2
// perflab: buffer x: f32[16 * 14 * 9 * n] in
// perflab: buffer y: f32[16 * 14 * 9 * n] out
// perflab: launch shift<<<14 * 9 * n / 6, 32>>>(tensormap(x[16, 14, 9, n], im2col(16, 6), lower(-1, -1), upper(-1, -1)), y)
// perflab: verify shift_plainly<<<14 * 9 * n, 16>>>(x, y)
#include <cuda.h>

__global__ void shift(const __grid_constant__ CUtensorMap map, float *y)
{
	__shared__ alignas(128) float pixels[6 * 16];
	__shared__ alignas(8) unsigned long long arrived;
	const unsigned bar = (unsigned)__cvta_generic_to_shared(&arrived);
	const unsigned to = (unsigned)__cvta_generic_to_shared(pixels);
	const int first = blockIdx.x * 6, w = first % 14 - 1, h = first / 14 % 9 - 1;

	if (threadIdx.x == 0) {
		asm volatile("mbarrier.init.shared.b64 [%0], 1;\n"
			     "fence.proxy.async;\n"
			     "mbarrier.arrive.expect_tx.shared.b64 _, [%0], 384;"
			     ::"r"(bar) : "memory");
		asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.im2col"
			     ".mbarrier::complete_tx::bytes [%0], [%1, {0, %3, %4, %5}], [%2], {2, 0};"
			     ::"r"(to), "l"(&map), "r"(bar), "r"(w), "r"(h), "r"(first / 126)
			     : "memory");
	}
	__syncthreads();
	asm volatile("{\n.reg .pred done;\n"
		     "WAIT: mbarrier.try_wait.parity.shared.b64 done, [%0], 0;\n"
		     "@!done bra WAIT;\n}" ::"r"(bar) : "memory");
	for (int i = threadIdx.x; i < 6 * 16; i += 32)
		y[first * 16 + i] = pixels[i];
}

__global__ void shift_plainly(const float *x, float *y)
{
	const int p = blockIdx.x, w = p % 14 + 1, h = p / 14 % 9 - 1;

	y[p * 16 + threadIdx.x] = w < 14 && h >= 0 ? x[(p - 13) * 16 + threadIdx.x] : 0;
}
