// Leaves the last element of an integer result unwritten, and so does the kernel that verifies it.
// expect: gpu=mismatch emulator=mismatch reason="differ from the results of the kernel both_unwritten_slow"
//
// perflab: axis n = 2^12
// perflab: axis block = 128
// perflab: buffer x: i32[n] in
// perflab: buffer y: i32[n] out
// perflab: launch both_unwritten<<<ceil_div(n, block), block>>>(n, x, y)
// perflab: verify both_unwritten_slow<<<ceil_div(n, 128), 128>>>(n, x, y)
extern "C" __global__ void both_unwritten(int n, const int *x, int *y)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n - 1)
		y[i] = x[i] / 2;
}

extern "C" __global__ void both_unwritten_slow(int n, const int *x, int *y)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n - 1)
		y[i] = x[i] / 2;
}
