/* Waits for a value that no thread writes. */
extern "C" __global__ void fault_endless_loop(float *out, long long n)
{
	long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;

	volatile float *flag = out;

	while (i < n && flag[i] != 1.0f)
		;
}
