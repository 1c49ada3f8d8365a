/* Asserts a condition that does not hold. */
#include <cassert>

extern "C" __global__ void fault_assertion(float *out, long long n)
{
	long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;

	assert(i != n / 2);
	if (i < n)
		out[i] = 0.0f;
}
