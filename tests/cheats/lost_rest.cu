// Loses the rest if the size is not a multiple of the block.
// expect: gpu=mismatch emulator=mismatch reason="104 of 1000 elements of 'y' differ"
//
// perflab: axis n = 1000
// perflab: axis block = 128
// perflab: buffer x: f32[n] in
// perflab: buffer y: f32[n] out
// perflab: launch lost_rest<<<n / block, block>>>(n, x, y)
// perflab: verify y = 2 * x + 1
extern "C" __global__ void lost_rest(int n, const float *x, float *y)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		y[i] = 2 * x[i] + 1;
}
