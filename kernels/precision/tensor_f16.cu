/* Tensor cores, half precision with sums in single precision: products of 16 x 8 x 16. */
// perflab: needs sm_80
#include <cuda_fp16.h>

#include "precision.cuh"

/* Two factors in one register. */
__device__ __forceinline__ unsigned packed(float a, float b)
{
	__half2 pair = __floats2half2_rn(a, b);

	return *reinterpret_cast<const unsigned *>(&pair);
}

struct product {
	using Factor = unsigned;
	using Sum = float;
	static constexpr int depth = 16, of_left = 4, of_right = 2, of_sum = 4;

	__device__ static Factor ones()
	{
		return packed(1.0f, 1.0f);
	}
	__device__ static Factor factors(int first, int i)
	{
		int step = first + 8 * i + 2 * place_in_column();

		return packed(factor_of(step), factor_of(step + 1));
	}
	__device__ static void multiply(Sum (&sums)[of_sum], const Factor (&left)[of_left],
					const Factor (&right)[of_right])
	{
		asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
			     "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
			     : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
			     : "r"(left[0]), "r"(left[1]), "r"(left[2]), "r"(left[3]),
			       "r"(right[0]), "r"(right[1]));
	}
};

extern "C" __global__ void precision_tensor_f16(const int *__restrict__ x, float *__restrict__ y,
						long long n, int steps)
{
	sum_by_matrices<product>(x, y, n, steps);
}
