/* Single precision: the rate with which the others are compared. */
#include "precision.cuh"

struct arithmetic {
	using Value = float;
	static constexpr int numbers = 1;

	__device__ static Value from(float a, float b)
	{
		return a;
	}
	__device__ static Value fused(Value a, Value b, Value c)
	{
		return fmaf(a, b, c);
	}
	__device__ static float number(Value value, int i)
	{
		return value;
	}
};

extern "C" __global__ void precision_f32(const int *__restrict__ x, float *__restrict__ y,
					 long long n, float one, int steps)
{
	sum_products<arithmetic>(x, y, n, one, steps);
}
