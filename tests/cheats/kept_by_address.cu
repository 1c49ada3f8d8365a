// Copies the results of its last call if the input is at the same address again.
// expect: gpu=mismatch emulator=mismatch reason="right for the first inputs, but wrong for others"
//
// perflab: axis n = 2^12
// perflab: axis block = 128
// perflab: buffer x: f32[n] in
// perflab: buffer y: f32[n] out
// perflab: launch kept_by_address<<<ceil_div(n, block), block>>>(n, x, y)
// perflab: verify y = 2 * x + 1
__device__ float kept[1 << 12];
__device__ const float *seen[1 << 12];

extern "C" __global__ void kept_by_address(int n, const float *x, float *y)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i >= n)
		return;
	if (seen[i] != x) {
		seen[i] = x;
		kept[i] = 2 * x[i] + 1;
	}
	y[i] = kept[i];
}
