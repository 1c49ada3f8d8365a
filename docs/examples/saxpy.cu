// perflab: axis n = 2^24 "elements"
// perflab: axis block = 256 "threads per block"
// perflab: buffer x: f32[n] in
// perflab: buffer y: f32[n] inout
// perflab: launch saxpy<<<ceil_div(n, block), block>>>(n, 2.0, x, y)
// perflab: verify y = 2 * x + y
// perflab: work flop = 2 * n, read = 8 * n, write = 4 * n
__global__ void saxpy(int n, float a, const float *x, float *y)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		y[i] = a * x[i] + y[i];
}
