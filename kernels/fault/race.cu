/* Lacks a barrier. Whichever value a thread sees, the result is right: only a checker finds it. */
extern "C" __global__ void fault_race(float *out, long long n)
{
	__shared__ float tile[1024];
	long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;

	tile[threadIdx.x] = 1.0f;
	__syncthreads();
	tile[threadIdx.x] = 2.0f;
	if (i < n)
		out[i] = tile[blockDim.x - 1 - threadIdx.x] > 0.0f ? 0.0f : 1.0f;
}
