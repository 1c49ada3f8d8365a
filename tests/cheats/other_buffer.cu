// Writes so far out of bounds that it hits another buffer and no guard zone.
// expect: gpu=mismatch emulator=mismatch reason="wrote into 'x', which is an input"
//
// perflab: axis n = 2^12
// perflab: axis block = 128
// perflab: buffer x: f32[n] in
// perflab: buffer y: f32[n] out
// perflab: launch other_buffer<<<ceil_div(n, block), block>>>(n, x, y)
// perflab: verify y = 2 * x + 1
extern "C" __global__ void other_buffer(int n, const float *x, float *y)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	long long distance = ((long long)x - (long long)y) / (long long)sizeof(float);

	if (i < n)
		y[i] = 2 * x[i] + 1;
	if (i == n - 1)
		y[distance + n - 1] = 3;
}
