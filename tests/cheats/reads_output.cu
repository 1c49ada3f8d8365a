// Trusts what its output has already, and writes only where that is 0.
// expect: gpu=mismatch emulator=fault reason="elements of 'y' differ"
//
// perflab: axis n = 2^12
// perflab: axis block = 128
// perflab: buffer x: f32[n] in
// perflab: buffer y: f32[n] out
// perflab: launch reads_output<<<ceil_div(n, block), block>>>(n, x, y)
// perflab: verify y = 2 * x + 1
extern "C" __global__ void reads_output(int n, const float *x, float *y)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		y[i] = y[i] == 0 ? 2 * x[i] + 1 : y[i];
}
