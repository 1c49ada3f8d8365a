// perflab: axis n = 2^16
// perflab: axis block = 256
// perflab: axis entropy = 0, 8, 24 "significant bits of the inputs"
// perflab: buffer x: f32[n] in bits(entropy)
// perflab: buffer y: f32[n] out
// perflab: launch twice<<<ceil_div(n, block), block>>>(n, x, y)
// perflab: verify y = 2 * x
__global__ void twice(int n, const float *x, float *y)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		y[i] = 2 * x[i];
}
