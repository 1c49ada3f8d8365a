/* Fused multiply-adds in half precision, two numbers in one register. */
#include <cuda_fp16.h>

#include "ceilings.cuh"

struct arithmetic {
	using Value = __half2;
	using Result = float;
	__device__ static Value from(float value)
	{
		return __float2half2_rn(value);
	}
	__device__ static Value fused(Value a, Value b, Value c)
	{
		return __hfma2(a, b, c);
	}
	__device__ static Result to(Value value)
	{
		return __low2float(value) + __high2float(value);
	}
};

extern "C" __global__ void ceilings_f16_fma(float *out, float minus_one, float low, float high,
					    int turns)
{
	chain<arithmetic>(out, minus_one, low, high, turns);
}
