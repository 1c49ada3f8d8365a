// Writes to an address that belongs to nobody.
// expect: gpu=device_error reason="illegal"
// expect: emulator=fault reason="out of bounds"
//
// perflab: axis n = 2^12
// perflab: axis block = 128
// perflab: buffer x: f32[n] in
// perflab: buffer y: f32[n] out
// perflab: launch illegal_address<<<ceil_div(n, block), block>>>(n, x, y)
// perflab: verify y = 2 * x + 1
extern "C" __global__ void illegal_address(int n, const float *x, float *y)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		y[i + (1LL << 40)] = 2 * x[i] + 1;
}
