/* All threads poll the message until it is there. They take issue slots from the thread that they
 * wait for, which may be in their own warp. */
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
