/* Three atomic additions by one thread: a large number, its opposite and, between or after them, a
 * number so small that the large sum has no digit for it. */
extern "C" __global__ void accuracy_order(float *sums, float large, float small, unsigned order,
					  long long n)
{
	long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n) {
		sums[i] = 0.0f;
		atomicAdd(&sums[i], large);
		atomicAdd(&sums[i], order == 1 ? small : -large);
		atomicAdd(&sums[i], order == 1 ? -large : small);
	}
}
