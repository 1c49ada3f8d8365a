/* Writes far outside any allocation. */
extern "C" __global__ void fault_illegal_address(float *out, long long n)
{
	long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		out[i + (1ll << 40)] = 0.0f;
}
