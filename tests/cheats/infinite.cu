// One result is infinite.
// expect: gpu=mismatch emulator=mismatch reason="is inf"
//
// perflab: axis n = 2^12
// perflab: axis block = 128
// perflab: buffer x: f32[n] in
// perflab: buffer y: f32[n] out
// perflab: launch infinite<<<ceil_div(n, block), block>>>(n, x, y)
// perflab: verify y = 2 * x + 1
extern "C" __global__ void infinite(int n, const float *x, float *y)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		y[i] = i == 77 ? __int_as_float(0x7f800000) : 2 * x[i] + 1;
}
