// Writes one element past the end.
// expect: gpu=mismatch reason="wrote outside of 'y'"
// expect: emulator=fault reason="out of bounds"
//
// perflab: axis n = 2^12
// perflab: axis block = 128
// perflab: buffer x: f32[n] in
// perflab: buffer y: f32[n] out
// perflab: launch past_end<<<ceil_div(n, block), block>>>(n, x, y)
// perflab: verify y = 2 * x + 1
extern "C" __global__ void past_end(int n, const float *x, float *y)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		y[i] = 2 * x[i] + 1;
	if (i == 0)
		y[n] = 1;
}
