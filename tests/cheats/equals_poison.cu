// Leaves the last element unwritten, which should be -1: all bits set, as the poison of integers.
// expect: gpu=mismatch emulator=mismatch reason="differ from the expression"
//
// perflab: axis n = 2^12
// perflab: axis block = 128
// perflab: buffer x: i32[n] in
// perflab: buffer y: i32[n] out
// perflab: launch equals_poison<<<ceil_div(n, block), block>>>(n, x, y)
// perflab: verify y = i == n - 1 ? -1 : x
extern "C" __global__ void equals_poison(int n, const int *x, int *y)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n - 1)
		y[i] = x[i];
}
