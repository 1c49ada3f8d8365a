/* For the decoder: see test_decode_files.c. nvcc -ptx -arch=compute_90 (or 100) -std=c++17. */
struct big {
	int a[7];
	double d;
	char c;
};
__noinline__ __device__ int fib(int n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}
__noinline__ __device__ big make(big b, int x)
{
	b.a[x] += 3;
	b.d *= x;
	b.c++;
	return b;
}
__noinline__ __device__ float twice(float x)
{
	return x * 2;
}
__noinline__ __device__ float thrice(float x)
{
	return x * 3;
}
__noinline__ __device__ void nothing(int *p)
{
	*p += 1;
}
typedef float (*pointer)(float);
__device__ pointer table[2] = {twice, thrice};
__global__ void call_fib(int *out)
{
	out[threadIdx.x] = fib(threadIdx.x);
}
__global__ void call_struct(big *out, big b, int x)
{
	nothing(&out->a[1]);
	out[threadIdx.x] = make(b, x);
}
__global__ void call_pointer(float *out, int which)
{
	pointer p = which ? twice : thrice;
	out[threadIdx.x] = p(out[threadIdx.x]);
}
struct base {
	__device__ virtual float f(float x) const
	{
		return x;
	}
};
struct derived : base {
	float y;
	__device__ float f(float x) const override
	{
		return x + y;
	}
};
