/* Arrays are padded to whole blocks, so that nobody asks: the last block adds what nobody wants,
 * with full warps. */
#include "tail.cuh"

extern "C" __global__ void tail_padded(const float *__restrict__ a, const float *__restrict__ b,
				       float *__restrict__ c)
{
	long long i = global_thread();

	c[i] = a[i] + b[i];
}
