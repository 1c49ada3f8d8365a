/* All threads poll, and sleep after each vain poll: they leave the scheduler to the others. */
#include "spin.cuh"

struct busy_wait_sleeping {
	__device__ __forceinline__ float operator()(unsigned *slot, float own) const
	{
		unsigned message = __float_as_uint(own);

		if (threadIdx.x != 0)
			while ((message = look(slot)) == NOT_READY)
				__nanosleep(100);
		return __uint_as_float(message);
	}
};

extern "C" __global__ void spin_busy_wait_sleeping(const float *__restrict__ x,
						   float *__restrict__ y, long long n)
{
	run_rounds(x, y, n, busy_wait_sleeping());
}
