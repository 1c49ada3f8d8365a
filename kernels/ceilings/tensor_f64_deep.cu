/* Tensor cores, double precision, by the largest shape of mma.sync, available since Hopper. */
// perflab: needs sm_90
#include "tensor.cuh"

struct shape {
	using Register = double;
	using Accumulator = double;
	static constexpr int tile_rows = 16, of_a = 8, of_b = 4, of_sum = 4, per_register = 1;
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
		asm volatile("mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 "
			     "{%0, %1, %2, %3}, {%4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, "
			     "%14, %15}, {%0, %1, %2, %3};"
			     : "+d"(sum[0]), "+d"(sum[1]), "+d"(sum[2]), "+d"(sum[3])
			     : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(a[4]), "d"(a[5]),
			       "d"(a[6]), "d"(a[7]), "d"(b[0]), "d"(b[1]), "d"(b[2]), "d"(b[3]));
	}
};

extern "C" __global__ void ceilings_tensor_f64_deep(int *out, const int *a, const int *b, int turns)
{
	multiply_tiles<shape, 32, 16>(out, a, b, turns);
}
