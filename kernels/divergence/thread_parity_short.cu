/* Odd and even threads of every warp part ways: bodies so short that the compiler predicates them.
 */
#include "divergence.cuh"

extern "C" __global__ void divergence_thread_parity_short(const float *__restrict__ x,
							  float *__restrict__ y, long long n)
{
	long long i = global_thread();

	if (i < n)
		branch<STEPS_SHORT>(x, y, i, threadIdx.x % 2);
}
