/* Three atomic additions of one thread, in one of two orders: a number, its opposite, and between
 * them or after them one so small that the sum has no digit for it. */
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
