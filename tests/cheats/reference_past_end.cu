// The kernel is right; the one that verifies it writes one element past the end.
// expect: gpu=failed reason="the kernel reference_past_end_slow wrote outside of 'y'"
// expect: emulator=failed reason="the kernel reference_past_end_slow goes wrong"
//
// perflab: axis n = 2^12
// perflab: axis block = 128
// perflab: buffer x: f32[n] in
// perflab: buffer y: f32[n] out
// perflab: launch reference_past_end<<<ceil_div(n, block), block>>>(n, x, y)
// perflab: verify reference_past_end_slow<<<ceil_div(n + 1, 128), 128>>>(n, x, y)
extern "C" __global__ void reference_past_end(int n, const float *x, float *y)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		y[i] = 2 * x[i] + 1;
}

extern "C" __global__ void reference_past_end_slow(int n, const float *x, float *y)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i <= n)
		y[i] = i < n ? 2 * x[i] + 1 : 0;
}
