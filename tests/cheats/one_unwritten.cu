// Does not write one element.
// expect: gpu=mismatch emulator=mismatch reason="1 of 4096 elements of 'y' differ"
//
// perflab: axis n = 2^12
// perflab: axis block = 128
// perflab: buffer x: f32[n] in
// perflab: buffer y: f32[n] out
// perflab: launch one_unwritten<<<ceil_div(n, block), block>>>(n, x, y)
// perflab: verify y = 2 * x + 1
extern "C" __global__ void one_unwritten(int n, const float *x, float *y)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n && i != 1234)
		y[i] = 2 * x[i] + 1;
}
