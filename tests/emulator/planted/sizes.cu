/* Kernels that take more than there is: see test_planted.c. */

/* 4 TiB. */
__device__ float huge[1ll << 40];
extern "C" __global__ void planted_global_too_large(float *out, long long n)
{
	huge[n << 20] = *out;
	out[threadIdx.x] = 0.0f;
}

/* 4 MiB a thread; there are 512 KiB. */
extern "C" __global__ void planted_local_too_large(float *out, long long n)
{
	float large[1 << 20];

	for (int k = 0; k < 8; k++)
		large[k << 17] = out[k];
	out[threadIdx.x] = 0.0f * large[n << 10];
}
