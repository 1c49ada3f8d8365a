/* All threads look at the message over and over until it is there: they take turns of the scheduler
 * from the one that they wait for, which may be of their own warp. */
#include "spin.cuh"

struct busy_wait {
	__device__ __forceinline__ float operator()(unsigned *slot, float own) const
	{
		unsigned message = __float_as_uint(own);

		if (threadIdx.x != 0)
			do
				message = look(slot);
			while (message == NOT_READY);
		return __uint_as_float(message);
	}
};

extern "C" __global__ void spin_busy_wait(const float *__restrict__ x, float *__restrict__ y,
					  long long n)
{
	run_rounds(x, y, n, busy_wait());
}
