/* Tensor cores in double precision: products of 8 x 8 x 4. */
// perflab: needs sm_80
#include "precision.cuh"

struct product {
	using Factor = double;
	using Sum = double;
	static constexpr int depth = 4, of_left = 1, of_right = 1, of_sum = 2;

	__device__ static Factor ones()
	{
		return 1.0;
	}
	__device__ static Factor factors(int first, int i)
	{
		return factor_of(first + i + place_in_column());
	}
	__device__ static void multiply(Sum (&sums)[of_sum], const Factor (&left)[of_left],
					const Factor (&right)[of_right])
	{
		asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 "
			     "{%0, %1}, {%2}, {%3}, {%0, %1};"
			     : "+d"(sums[0]), "+d"(sums[1])
			     : "d"(left[0]), "d"(right[0]));
	}
};

extern "C" __global__ void precision_tensor_f64(const int *__restrict__ x, float *__restrict__ y,
						long long n, int steps)
{
	sum_by_matrices<product>(x, y, n, steps);
}
