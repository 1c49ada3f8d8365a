/* A warp reads a column and writes a row: the reads are scattered instead of the writes. A read
 * waits for its sector, but later reads find the other seven words of it in the cache. */
extern "C" __global__ void transpose_naive_read(const float *__restrict__ from,
						float *__restrict__ to, long long n)
{
	long long column = (long long)blockIdx.x * blockDim.x + threadIdx.x;
	long long row = (long long)blockIdx.y * blockDim.y + threadIdx.y;

	if (row < n && column < n)
		to[row * n + column] = from[column * n + row];
}
