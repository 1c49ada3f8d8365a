/* Tensor cores, half precision with sums in single precision, by wgmma. */
// perflab: needs sm_90a
#include <cuda_fp16.h>

#include "wgmma.cuh"

struct instruction {
	using Element = __half;
	__device__ static void add(float (&sums)[HELD], unsigned long long a, unsigned long long b)
	{
		WGMMA("m64n256k16.f32.f16.f16", "1", ", 0, 0");
	}
	__device__ static void subtract(float (&sums)[HELD], unsigned long long a,
					unsigned long long b)
	{
		WGMMA("m64n256k16.f32.f16.f16", "-1", ", 0, 0");
	}
};

extern "C" __global__ void ceilings_tensor_f16_wgmma(int *out, const int *a, const int *b,
						     int turns)
{
	multiply_in_groups<instruction>(out, a, b, turns);
}
