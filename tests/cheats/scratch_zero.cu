// Adds up in scratch memory that nobody set to 0.
// expect: gpu=mismatch emulator=fault reason="1 of 1 elements of 'total' differ"
//
// perflab: axis n = 2^12
// perflab: axis block = 128
// perflab: buffer x: i32[n] in integers(0, 9)
// perflab: buffer sum: i32[1] scratch
// perflab: buffer total: i32[1] out
// perflab: launch scratch_zero<<<1, block>>>(n, x, sum, total)
// perflab: verify plain_sum<<<1, 1>>>(n, x, total)
extern "C" __global__ void plain_sum(int n, const int *x, int *total)
{
	int all = 0;

	for (int i = 0; i < n; i++)
		all += x[i];
	*total = all;
}

extern "C" __global__ void scratch_zero(int n, const int *x, int *sum, int *total)
{
	for (int i = threadIdx.x; i < n; i += blockDim.x)
		atomicAdd(sum, x[i]);
	__syncthreads();
	if (threadIdx.x == 0)
		*total = atomicAdd(sum, 0);
}
