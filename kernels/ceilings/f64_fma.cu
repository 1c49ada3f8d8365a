/* Fused multiply-adds in double precision. */
#include "ceilings.cuh"

struct arithmetic {
	using Value = double;
	using Result = double;
	__device__ static Value from(float value, float)
	{
		return value;
	}
	__device__ static Value fused(Value a, Value b, Value c)
	{
		return fma(a, b, c);
	}
	__device__ static Result to(Value value)
	{
		return value;
	}
};

extern "C" __global__ void ceilings_f64_fma(double *out, float minus_one, float nothing, int turns)
{
	chain<arithmetic, 4, 1>(out, minus_one, nothing, turns);
}
