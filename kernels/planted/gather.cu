/* Reads 33 elements apart, so that each lane has a sector of its own, and does a part of it twice:
 * bound by sectors. */
#include "planted.cuh"

extern "C" __global__ void planted_gather(const float *__restrict__ a, float *__restrict__ c,
					  long long n)
{
	long long i = planted_index(n);

	if (i < n)
		c[i] = a[i * 33 % n];
}
