/* Writes one element more than there are. */
extern "C" __global__ void fault_out_of_bounds(float *out, long long n)
{
	long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		out[i] = 0.0f;
	if (i == n - 1)
		out[n] = 0.0f;
}
