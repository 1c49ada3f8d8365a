/* For the decoder: see test_decode_files.c. nvcc -ptx -arch=compute_90 (or 100) -std=c++17. */
typedef float (*pointer)(float);
__noinline__ __device__ float twice(float x)
{
	return x * 2;
}
__noinline__ __device__ float thrice(float x)
{
	return x * 3;
}
__device__ pointer table[2] = {twice, thrice};
__global__ void call_table(float *out, int which)
{
	out[threadIdx.x] = table[which](out[threadIdx.x]);
}
