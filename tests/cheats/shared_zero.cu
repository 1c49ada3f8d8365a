// Adds up in shared memory that nobody set to 0. On a GPU not all blocks fit at once, so later
// blocks find the sums of earlier ones.
// expect: gpu=mismatch reason="elements of 'sums' differ"
// expect: emulator=fault reason="uninitialised shared read"
//
// perflab: axis blocks = 2^13
// perflab: axis block = 32
// perflab: buffer x: i32[blocks * block] in integers(1, 9)
// perflab: buffer sums: i32[blocks] out
// perflab: launch shared_zero<<<blocks, block>>>(x, sums)
// perflab: verify block_sums<<<blocks, 1>>>(block, x, sums)
extern "C" __global__ void block_sums(int block, const int *x, int *sums)
{
	int sum = 0;

	for (int i = 0; i < block; i++)
		sum += x[blockIdx.x * block + i];
	sums[blockIdx.x] = sum;
}

extern "C" __global__ void shared_zero(const int *x, int *sums)
{
	__shared__ int sum[8192]; /* so much that an SM holds few blocks */

	atomicAdd(&sum[0], x[blockIdx.x * blockDim.x + threadIdx.x]);
	__syncthreads();
	if (threadIdx.x == 0)
		sums[blockIdx.x] = sum[0];
}
