// Right in its first call only; later calls do nothing.
// expect: gpu=mismatch reason="wrong in the last sample"
// expect: emulator=mismatch reason="right for the first inputs, but wrong for others"
//
// perflab: axis n = 2^12
// perflab: axis block = 128
// perflab: buffer x: f32[n] in
// perflab: buffer y: f32[n] out
// perflab: launch once<<<ceil_div(n, block), block>>>(n, x, y)
// perflab: verify y = 2 * x + 1
__device__ int calls[1 << 12];

extern "C" __global__ void once(int n, const float *x, float *y)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n && calls[i]++ == 0)
		y[i] = 2 * x[i] + 1;
}
