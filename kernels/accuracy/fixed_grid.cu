/* One kernel twice: over all elements in a fixed grid, then over the sums of its blocks. */
#include "fixed_grid.cuh"

extern "C" __global__ void accuracy_fixed_grid(const float *x, float *y, long long n)
{
	sum_of_blocks(x, y, n);
}
