// perflab: axis n = 2^10 "parts"
// perflab: axis block = 64..256
// perflab: buffer first: i32[n + 1] in = i == n ? 8 * n : 8 * i + random(0, 7)
// perflab: buffer column: i32[8 * n] in integers(0, n - 1)
// perflab: buffer mask: f32[n] in integers(0, 1)
// perflab: buffer x: f32[n] in uniform(0, 1)
// perflab: buffer y: f32[n] out
// perflab: launch parts<<<ceil_div(n, block), block>>>(n, first, column, mask, x, y)
// perflab: verify y = mask * sum(k, first[i], first[i + 1], x[column[k]])
__global__ void parts(int n, const int *first, const int *column, const float *mask, const float *x,
		      float *y)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	float sum = 0;

	if (i >= n)
		return;
	for (int k = first[i]; k < first[i + 1]; k++)
		sum += x[column[k]];
	y[i] = mask[i] * sum;
}
