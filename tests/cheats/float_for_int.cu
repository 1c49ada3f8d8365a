// Its launch gives a number with a point where an integer belongs.
// expect: gpu=failed emulator=failed reason="argument 1 of float_for_int is the number 2"
//
// perflab: axis n = 2^12
// perflab: axis block = 128
// perflab: buffer x: f32[n] in
// perflab: buffer y: f32[n] out
// perflab: launch float_for_int<<<ceil_div(n, block), block>>>(2.0, x, y)
// perflab: verify y = 2 * x + 1
extern "C" __global__ void float_for_int(int n, const float *x, float *y)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		y[i] = 2 * x[i] + 1;
}
