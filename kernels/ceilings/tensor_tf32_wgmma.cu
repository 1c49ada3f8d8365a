/* Tensor cores, tf32 with sums in single precision, by wgmma. */
// perflab: needs sm_90a
#include "wgmma.cuh"

struct instruction {
	using Element = float;
	__device__ static void add(float (&sums)[HELD], unsigned long long a, unsigned long long b)
	{
		WGMMA("m64n256k8.f32.tf32.tf32", "1", "");
	}
	__device__ static void subtract(float (&sums)[HELD], unsigned long long a,
					unsigned long long b)
	{
		WGMMA("m64n256k8.f32.tf32.tf32", "-1", "");
	}
};

extern "C" __global__ void ceilings_tensor_tf32_wgmma(int *out, const int *a, const int *b,
						      int turns)
{
	multiply_in_groups<instruction>(out, a, b, turns);
}
