/* Tensor cores, double precision, by the smallest shape of mma.sync. */
// perflab: needs sm_80
#include "tensor.cuh"

struct shape {
	using Register = double;
	using Accumulator = double;
	static constexpr int tile_rows = 8, of_a = 1, of_b = 1, of_sum = 2, per_register = 1;
	__device__ static double pack(const int *numbers)
	{
		return *numbers;
	}
	__device__ static double negative(double number)
	{
		return -number;
	}
	__device__ static void multiply(double (&sum)[of_sum], const double (&a)[of_a],
					const double (&b)[of_b])
	{
		asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 "
			     "{%0, %1}, {%2}, {%3}, {%0, %1};"
			     : "+d"(sum[0]), "+d"(sum[1])
			     : "d"(a[0]), "d"(b[0]));
	}
};

extern "C" __global__ void ceilings_tensor_f64(int *out, const int *a, const int *b, int turns)
{
	multiply_tiles<shape, 32, 32>(out, a, b, turns);
}
