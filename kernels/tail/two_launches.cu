/* Whole blocks in one launch, and in another one block of just as many threads as there are
 * elements left: nobody asks, and what that saves is paid for by the second launch. */
#include "tail.cuh"

extern "C" __global__ void tail_two_launches(const float *__restrict__ a,
					     const float *__restrict__ b, float *__restrict__ c,
					     long long first)
{
	long long i = first + global_thread();

	c[i] = a[i] + b[i];
}
