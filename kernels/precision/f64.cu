/* Double precision: half the rate of single on the large chips, a 64th of it on others. */
#include "precision.cuh"

struct arithmetic {
	using Value = double;
	static constexpr int numbers = 1;

	__device__ static Value from(float a, float b)
	{
		return (double)a;
	}
	__device__ static Value fused(Value a, Value b, Value c)
	{
		return fma(a, b, c);
	}
	__device__ static float number(Value value, int i)
	{
		return (float)value;
	}
};

extern "C" __global__ void precision_f64(const int *__restrict__ x, float *__restrict__ y,
					 long long n, float one, int steps)
{
	sum_products<arithmetic>(x, y, n, one, steps);
}
