/* The words of a row are exchanged, by the exclusive or of column and row: a column lies in 32
 * banks, as with padding, and no word is wasted. */
#include "transpose.cuh"

extern "C" __global__ void transpose_swizzled(const float *__restrict__ from,
					      float *__restrict__ to, long long n)
{
	transpose_by_squares(from, to, n, [](unsigned row, unsigned column) {
		return row * SIDE + (column ^ row);
	});
}
