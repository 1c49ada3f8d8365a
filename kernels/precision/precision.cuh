/*
 * Shared by the precision variants: n sums of `steps` products each, in one precision after
 * another. Factors and sums are whole numbers so small that every precision represents them
 * exactly, even bfloat16 with its eight bits, so all variants give the same results. A thread has
 * EACH elements, blockDim.x apart.
 */
#pragma once

/* As in precision.c. */
#define EACH 8
/* Steps after which the products repeat: the first nine are 1, the other seven -1. */
#define PERIOD 16
#define RISING 9

struct elements {
	long long first, n;
	unsigned apart;

	__device__ __forceinline__ explicit elements(long long n)
	    : first((long long)blockIdx.x * blockDim.x * EACH + threadIdx.x), n(n),
	      apart(blockDim.x)
	{
	}
	__device__ __forceinline__ float load(const int *x, int k) const
	{
		return first + k * apart < n ? (float)x[first + k * apart] : 0.0f;
	}
	__device__ __forceinline__ void store(float *y, int k, float value) const
	{
		if (first + k * apart < n)
			y[first + k * apart] = value;
	}
};

/*
 * Sums by fused multiply-adds. Arithmetic provides Value, which holds `numbers` numbers;
 * from(a, b), fused(a, b, c) and number(value, i). `one` is 1, which the compiler must not
 * know.
 */
template <class Arithmetic>
__device__ __forceinline__ void sum_products(const int *__restrict__ x, float *__restrict__ y,
					     long long n, float one, int steps)
{
	using Value = typename Arithmetic::Value;
	constexpr int numbers = Arithmetic::numbers;
	const Value factor = Arithmetic::from(one, one), up = factor;
	const Value down = Arithmetic::from(-one, -one);
	const elements of(n);
	Value sums[EACH / numbers];

#pragma unroll
	for (int v = 0; v < EACH / numbers; v++)
		sums[v] = Arithmetic::from(of.load(x, v * numbers),
					   of.load(x, v * numbers + numbers - 1));
#pragma unroll 1
	for (int step = 0; step < steps; step += PERIOD)
#pragma unroll
		for (int i = 0; i < PERIOD; i++)
#pragma unroll
			for (int v = 0; v < EACH / numbers; v++)
				sums[v] =
					Arithmetic::fused(factor, i < RISING ? up : down, sums[v]);
#pragma unroll
	for (int k = 0; k < EACH; k++)
		of.store(y, k, Arithmetic::number(sums[k / numbers], k % numbers));
}

/*
 * Sums by products of small matrices: the elements are the sums, all factors on the left are
 * 1, and those on the right are the products of the steps. So it does not matter which
 * thread holds which element of a matrix. Product provides Factor and Sum; of_left,
 * of_right, of_sum, the registers of a thread; depth, the steps of one product; ones();
 * factors(first, i), register i of the right matrix with steps from `first` on;
 * multiply(sums, left, right).
 */
template <class Product>
__device__ __forceinline__ void sum_by_matrices(const int *__restrict__ x, float *__restrict__ y,
						long long n, int steps)
{
	using Factor = typename Product::Factor;
	constexpr int of_sum = Product::of_sum, matrices = PERIOD / Product::depth;
	const elements of(n);
	typename Product::Sum sums[EACH / of_sum][of_sum];
	Factor left[Product::of_left], right[matrices][Product::of_right];

#pragma unroll
	for (int i = 0; i < Product::of_left; i++)
		left[i] = Product::ones();
#pragma unroll
	for (int m = 0; m < matrices; m++)
#pragma unroll
		for (int i = 0; i < Product::of_right; i++)
			right[m][i] = Product::factors(m * Product::depth, i);
#pragma unroll
	for (int k = 0; k < EACH; k++)
		sums[k / of_sum][k % of_sum] = of.load(x, k);
#pragma unroll 1
	for (int step = 0; step < steps; step += PERIOD)
#pragma unroll
		for (int m = 0; m < matrices; m++)
#pragma unroll
			for (int t = 0; t < EACH / of_sum; t++)
				Product::multiply(sums[t], left, right[m]);
#pragma unroll
	for (int k = 0; k < EACH; k++)
		of.store(y, k, (float)sums[k / of_sum][k % of_sum]);
}

/* The factor of a step. */
__device__ __forceinline__ float factor_of(int step)
{
	return step < RISING ? 1.0f : -1.0f;
}

/* Place of the thread in its column of the right matrix: PTX ISA, "Matrix fragments for mma". */
__device__ __forceinline__ int place_in_column()
{
	return threadIdx.x % 4;
}
