/* Writes one NaN. */
extern "C" __global__ void fault_not_a_number(float *out, long long n)
{
	long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		out[i] = i == n / 2 ? __int_as_float(0x7fc00000) : 0.0f;
}
