/* Stops itself with a trap. */
extern "C" __global__ void fault_trap(float *out, long long n)
{
	long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;

	if (i == n / 2)
		__trap();
	if (i < n)
		out[i] = 0.0f;
}
