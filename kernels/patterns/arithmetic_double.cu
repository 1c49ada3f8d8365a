/* Additions, multiplications and fused multiply-adds in double precision: 9 operations. */
#include "patterns.cuh"

extern "C" __global__ void patterns_arithmetic_double(const unsigned *in, unsigned *out,
						      PATTERN_PARAMETERS)
{
	long long i = ELEMENT;

	if (TAKES_PART(i)) {
		double a = in[i] % 64, b = in[i] / 64 % 64;
		double sum = a + b, product = __dmul_rn(sum, b), mixed = fma(product, a, sum);

		out[i] = (unsigned)(__dadd_rn(__dmul_rn(mixed, 0.5), 3.0) - fma(a, b, 1.0));
	}
}
