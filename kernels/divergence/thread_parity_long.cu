/* Long bodies by the parity of the thread: the compiler branches, and every warp diverges. */
#include "divergence.cuh"

extern "C" __global__ void divergence_thread_parity_long(const float *__restrict__ x,
							 float *__restrict__ y, long long n)
{
	long long i = global_thread();

	if (i < n)
		branch<STEPS_LONG>(x, y, i, threadIdx.x % 2);
}
