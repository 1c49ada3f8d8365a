/* The arrays are padded to whole blocks, so no thread checks: the last block adds elements that
 * nobody needs, with full warps. */
#include "tail.cuh"

extern "C" __global__ void tail_padded(const float *__restrict__ a, const float *__restrict__ b,
				       float *__restrict__ c)
{
	long long i = global_thread();

	c[i] = a[i] + b[i];
}
