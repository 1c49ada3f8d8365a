/* Tensor cores, single precision truncated to 19 bits: products of 16 x 8 x 8. */
// perflab: needs sm_80
#include "precision.cuh"

struct product {
	using Factor = unsigned;
	using Sum = float;
	static constexpr int depth = 8, of_left = 4, of_right = 2, of_sum = 4;

	__device__ static Factor ones()
	{
		return __float_as_uint(1.0f);
	}
	__device__ static Factor factors(int first, int i)
	{
		return __float_as_uint(factor_of(first + 4 * i + place_in_column()));
	}
	__device__ static void multiply(Sum (&sums)[of_sum], const Factor (&left)[of_left],
					const Factor (&right)[of_right])
	{
		asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 "
			     "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
			     : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
			     : "r"(left[0]), "r"(left[1]), "r"(left[2]), "r"(left[3]),
			       "r"(right[0]), "r"(right[1]));
	}
};

extern "C" __global__ void precision_tensor_tf32(const int *__restrict__ x, float *__restrict__ y,
						 long long n, int steps)
{
	sum_by_matrices<product>(x, y, n, steps);
}
