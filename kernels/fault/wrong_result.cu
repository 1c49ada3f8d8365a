/* Writes one wrong element, the last. */
extern "C" __global__ void fault_wrong_result(float *out, long long n)
{
	long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		out[i] = i == n - 1 ? 1.0f : 0.0f;
}
