/* One lane of each warp polls, and the others wait for it at a barrier of the warp: far fewer
 * threads poll, but as often. */
#include "spin.cuh"

struct busy_wait_one_lane {
	__device__ __forceinline__ float operator()(unsigned *slot, float own) const
	{
		unsigned message = __float_as_uint(own);

		if (threadIdx.x % 32 == 0 && threadIdx.x != 0)
			do
				message = look(slot);
			while (message == NOT_READY);
		__syncwarp();
		return __uint_as_float(__shfl_sync(0xffffffffu, message, 0));
	}
};

extern "C" __global__ void spin_busy_wait_one_lane(const float *__restrict__ x,
						   float *__restrict__ y, long long n)
{
	run_rounds(x, y, n, busy_wait_one_lane());
}
