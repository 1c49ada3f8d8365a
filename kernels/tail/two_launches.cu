/* One launch of whole blocks, and one of a single block with as many threads as there are elements
 * left. No thread checks, but the second launch costs more than that saves. */
#include "tail.cuh"

extern "C" __global__ void tail_two_launches(const float *__restrict__ a,
					     const float *__restrict__ b, float *__restrict__ c,
					     long long first)
{
	long long i = first + global_thread();

	c[i] = a[i] + b[i];
}
