/* Writes four bytes to an address that is not a multiple of four. */
extern "C" __global__ void fault_misaligned(float *out, long long n)
{
	long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		*(float *)((char *)out + 4 * i + 1) = 0.0f;
}
