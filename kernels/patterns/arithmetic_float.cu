/* Additions, multiplications and fused multiply-adds in single precision: 9 operations. */
#include "patterns.cuh"

extern "C" __global__ void patterns_arithmetic_float(const unsigned *in, unsigned *out,
						     PATTERN_PARAMETERS)
{
	long long i = ELEMENT;

	if (TAKES_PART(i)) {
		float a = (float)(in[i] % 64), b = (float)(in[i] / 64 % 64);
		float sum = a + b, product = __fmul_rn(sum, b), mixed = fmaf(product, a, sum);

		out[i] = (unsigned)(__fadd_rn(__fmul_rn(mixed, 0.5f), 3.0f) - fmaf(a, b, 1.0f));
	}
}
