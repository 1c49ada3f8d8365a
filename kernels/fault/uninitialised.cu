/* Reads shared memory that was never written. The result is right: only a checker finds it. */
extern "C" __global__ void fault_uninitialised(float *out, long long n)
{
	__shared__ volatile int tile[1024];
	long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		out[i] = 0.0f * (float)(tile[threadIdx.x] & 1);
}
