/* Half precision, two numbers per register: one instruction is two multiply-adds. */
#include <cuda_fp16.h>

#include "precision.cuh"

struct arithmetic {
	using Value = __half2;
	static constexpr int numbers = 2;

	__device__ static Value from(float a, float b)
	{
		return __floats2half2_rn(a, b);
	}
	__device__ static Value fused(Value a, Value b, Value c)
	{
		return __hfma2(a, b, c);
	}
	__device__ static float number(Value value, int i)
	{
		return i ? __high2float(value) : __low2float(value);
	}
};

extern "C" __global__ void precision_f16(const int *__restrict__ x, float *__restrict__ y,
					 long long n, float one, int steps)
{
	sum_products<arithmetic>(x, y, n, one, steps);
}
