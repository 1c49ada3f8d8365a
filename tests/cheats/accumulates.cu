// Adds to its output, as if someone had set it to 0.
// expect: gpu=mismatch emulator=fault reason="4096 of 4096 elements of 'y' differ"
//
// perflab: axis n = 2^12
// perflab: axis block = 128
// perflab: buffer x: f32[n] in
// perflab: buffer y: f32[n] out
// perflab: launch accumulates<<<ceil_div(n, block), block>>>(n, x, y)
// perflab: verify y = 2 * x + 1
extern "C" __global__ void accumulates(int n, const float *x, float *y)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		y[i] += 2 * x[i] + 1;
}
