// Never ends.
// expect: gpu=timeout
// expect: emulator=timeout|fault
//
// perflab: axis n = 2^12
// perflab: axis block = 128
// perflab: buffer x: f32[n] in
// perflab: buffer y: f32[n] out
// perflab: launch endless<<<ceil_div(n, block), block>>>(n, x, y)
// perflab: verify y = 2 * x + 1
extern "C" __global__ void endless(int n, const float *x, float *y)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	while (*(volatile const float *)x < 100)
		;
	if (i < n)
		y[i] = 2 * x[i] + 1;
}
