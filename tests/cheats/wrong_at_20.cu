// Wrong in the twentieth call only, which is a sample between the first and the last.
// expect: gpu=mismatch reason="wrong in a sample between the first and the last"
// expect: emulator=ok
//
// perflab: axis n = 2^12
// perflab: axis block = 128
// perflab: buffer x: f32[n] in
// perflab: buffer y: f32[n] out
// perflab: launch wrong_at_20<<<ceil_div(n, block), block>>>(n, x, y)
// perflab: verify y = 2 * x + 1
__device__ int calls[1 << 12];

extern "C" __global__ void wrong_at_20(int n, const float *x, float *y)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		y[i] = ++calls[i] == 20 ? 0 : 2 * x[i] + 1;
}
