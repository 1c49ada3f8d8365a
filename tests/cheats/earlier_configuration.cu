// Writes only if the block has 64 threads, and leaves the results of that configuration otherwise.
// expect: gpu=mismatch emulator=mismatch reason="4096 of 4096 elements of 'y' differ"
//
// perflab: axis n = 2^12
// perflab: axis block = 64, 128
// perflab: buffer x: f32[n] in
// perflab: buffer y: f32[n] out
// perflab: launch earlier_configuration<<<ceil_div(n, block), block>>>(n, x, y)
// perflab: verify y = 2 * x + 1
extern "C" __global__ void earlier_configuration(int n, const float *x, float *y)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n && blockDim.x == 64)
		y[i] = 2 * x[i] + 1;
}
