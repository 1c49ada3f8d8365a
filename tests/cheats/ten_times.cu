// Right for ten calls, then wrong. The emulator executes a case only twice.
// expect: gpu=mismatch reason="wrong in the last sample"
// expect: emulator=ok
//
// perflab: axis n = 2^12
// perflab: axis block = 128
// perflab: buffer x: f32[n] in
// perflab: buffer y: f32[n] out
// perflab: launch ten_times<<<ceil_div(n, block), block>>>(n, x, y)
// perflab: verify y = 2 * x + 1
__device__ int calls[1 << 12];

extern "C" __global__ void ten_times(int n, const float *x, float *y)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		y[i] = calls[i]++ < 10 ? 2 * x[i] + 1 : 0;
}
