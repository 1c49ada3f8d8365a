/* A warp reads a row and writes a column: 32 sectors for 32 elements, using 4 of the 32 bytes of
 * each. Sectors wait in the L2 for their other words; those that cannot are written in parts. */
extern "C" __global__ void transpose_naive_write(const float *__restrict__ from,
						 float *__restrict__ to, long long n)
{
	long long column = (long long)blockIdx.x * blockDim.x + threadIdx.x;
	long long row = (long long)blockIdx.y * blockDim.y + threadIdx.y;

	if (row < n && column < n)
		to[column * n + row] = from[row * n + column];
}
