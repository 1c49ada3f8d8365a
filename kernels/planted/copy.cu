/* A copy that does part of its work twice: the limiter is DRAM. */
#include "planted.cuh"

extern "C" __global__ void planted_copy(const float *__restrict__ a, float *__restrict__ c,
					long long n)
{
	long long i = planted_index(n);

	if (i < n)
		c[i] = a[i];
}
