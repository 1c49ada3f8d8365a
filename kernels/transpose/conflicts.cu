/* Through shared memory both accesses to global memory are whole rows. The column is now read from
 * the square in shared memory: 32 words, 32 apart, all in one bank. */
#include "transpose.cuh"

extern "C" __global__ void transpose_conflicts(const float *__restrict__ from,
					       float *__restrict__ to, long long n)
{
	transpose_by_squares(from, to, n, [](unsigned row, unsigned column) {
		return row * SIDE + column;
	});
}
