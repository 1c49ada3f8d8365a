/* Reads elements 33 apart, so that each lane needs a sector of its own, and does part of the work
 * twice: the limiter is the number of sectors. */
#include "planted.cuh"

extern "C" __global__ void planted_gather(const float *__restrict__ a, float *__restrict__ c,
					  long long n)
{
	long long i = planted_index(n);

	if (i < n)
		c[i] = a[i * 33 % n];
}
