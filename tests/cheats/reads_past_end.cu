// Reads one element past the end and takes for granted that it is 0.
// expect: gpu=mismatch reason="1 of 4096 elements of 'y' differ"
// expect: emulator=fault reason="out of bounds"
//
// perflab: axis n = 2^12
// perflab: axis block = 128
// perflab: buffer x: f32[n] in
// perflab: buffer y: f32[n] out
// perflab: launch reads_past_end<<<ceil_div(n, block), block>>>(n, x, y)
// perflab: verify next_or_zero<<<ceil_div(n, block), block>>>(n, x, y)
extern "C" __global__ void next_or_zero(int n, const float *x, float *y)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		y[i] = x[i] + (i + 1 < n ? x[i + 1] : 0);
}

extern "C" __global__ void reads_past_end(int n, const float *x, float *y)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		y[i] = x[i] + x[i + 1];
}
