/* Short bodies by the parity of the thread: the compiler predicates them, so no branch
 * diverges. */
#include "divergence.cuh"

extern "C" __global__ void divergence_thread_parity_short(const float *__restrict__ x,
							  float *__restrict__ y, long long n)
{
	long long i = global_thread();

	if (i < n)
		branch<STEPS_SHORT>(x, y, i, threadIdx.x % 2);
}
