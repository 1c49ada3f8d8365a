// Its launch lacks an argument.
// expect: gpu=failed emulator=failed reason="takes 3 arguments, but its launch gives 2"
//
// perflab: axis n = 2^12
// perflab: axis block = 128
// perflab: buffer x: f32[n] in
// perflab: buffer y: f32[n] out
// perflab: launch too_few_arguments<<<ceil_div(n, block), block>>>(x, y)
// perflab: verify y = 2 * x + 1
extern "C" __global__ void too_few_arguments(const float *x, float *y, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		y[i] = 2 * x[i] + 1;
}
