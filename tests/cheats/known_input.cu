// Looks at the first two elements only. If it saw them before, it copies the results of that call.
// expect: gpu=mismatch emulator=mismatch reason="right for the first inputs, but wrong for others"
//
// perflab: axis n = 2^12
// perflab: axis block = 128
// perflab: buffer x: f32[n] in
// perflab: buffer y: f32[n] out
// perflab: launch known_input<<<ceil_div(n, block), block>>>(n, x, y)
// perflab: verify y = 2 * x + 1
__device__ float kept[1 << 12];
__device__ float seen[1 << 12][2];

extern "C" __global__ void known_input(int n, const float *x, float *y)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i >= n)
		return;
	if (seen[i][0] == x[0] && seen[i][1] == x[1]) {
		y[i] = kept[i];
		return;
	}
	seen[i][0] = x[0];
	seen[i][1] = x[1];
	y[i] = kept[i] = 2 * x[i] + 1;
}
