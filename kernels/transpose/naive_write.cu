/* A warp reads a row and writes a column: 32 elements in 32 sectors, each of 32 bytes, of which 4
 * are used. Sectors wait in the L2 for their other words; what cannot wait is written in parts. */
extern "C" __global__ void transpose_naive_write(const float *__restrict__ from,
						 float *__restrict__ to, long long n)
{
	long long column = (long long)blockIdx.x * blockDim.x + threadIdx.x;
	long long row = (long long)blockIdx.y * blockDim.y + threadIdx.y;

	if (row < n && column < n)
		to[column * n + row] = from[row * n + column];
}
