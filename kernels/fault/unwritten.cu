/* Leaves one element unwritten. */
extern "C" __global__ void fault_unwritten(float *out, long long n)
{
	long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n && i != n / 2)
		out[i] = 0.0f;
}
