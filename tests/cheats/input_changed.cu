// Scales its input in place and copies it, so every execution on the same memory sees other data.
// expect: gpu=mismatch emulator=mismatch reason="wrote into 'x', which is an input"
//
// perflab: axis n = 2^12
// perflab: axis block = 128
// perflab: buffer x: f32[n] in
// perflab: buffer y: f32[n] out
// perflab: launch input_changed<<<ceil_div(n, block), block>>>(n, x, y)
// perflab: verify y = 2 * x
extern "C" __global__ void input_changed(int n, float *x, float *y)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		y[i] = x[i] *= 2;
}
