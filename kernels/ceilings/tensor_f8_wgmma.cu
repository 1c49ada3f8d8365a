/* Tensor cores, 8-bit floats (e4m3) with sums in single precision, by wgmma. */
// perflab: needs sm_90a
#include <cuda_fp8.h>

#include "wgmma.cuh"

struct instruction {
	using Element = __nv_fp8_e4m3;
	__device__ static void add(float (&sums)[HELD], unsigned long long a, unsigned long long b)
	{
		WGMMA("m64n256k32.f32.e4m3.e4m3", "1", "");
	}
	__device__ static void subtract(float (&sums)[HELD], unsigned long long a,
					unsigned long long b)
	{
		WGMMA("m64n256k32.f32.e4m3.e4m3", "-1", "");
	}
};

extern "C" __global__ void ceilings_tensor_f8_wgmma(int *out, const int *a, const int *b, int turns)
{
	multiply_in_groups<instruction>(out, a, b, turns);
}
