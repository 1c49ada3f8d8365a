/* One of two constants by an if with an else on the index, as in the lecture. */
#include "select.cuh"

extern "C" __global__ void select_branch_constants(float *__restrict__ y, long long n,
						   long long ones)
{
	long long i = global_thread();
	float a;

	if (i < ones) {
		a = 1.0f;
	} else {
		a = 2.0f;
	}
	if (i < n)
		y[i] = a;
}
