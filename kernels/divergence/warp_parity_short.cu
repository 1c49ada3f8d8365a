/* Short bodies by the parity of the warp: the compiler predicates them, so each warp issues both,
 * though it needs only one. */
#include "divergence.cuh"

extern "C" __global__ void divergence_warp_parity_short(const float *__restrict__ x,
							float *__restrict__ y, long long n)
{
	long long i = global_thread();

	if (i < n)
		branch<STEPS_SHORT>(x, y, i, (unsigned)(i / 32) % 2);
}
