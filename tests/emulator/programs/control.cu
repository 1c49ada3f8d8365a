/* For the decoder: see test_decode_files.c. nvcc -ptx -arch=compute_90 (or 100) -std=c++17. */
__global__ void switched(float *out, int n)
{
	float x = out[threadIdx.x];
	switch (n + threadIdx.x) {
	case 0:
		x *= 2;
		break;
	case 1:
		x += 3;
		break;
	case 2:
		x = x * x;
		break;
	case 3:
		x = 1 / x;
		break;
	case 4:
		x = sqrtf(x);
		break;
	case 5:
		x -= 4;
		break;
	case 6:
		x = x * 3 + 1;
		break;
	case 7:
		x = -x;
		break;
	case 8:
		x = fabsf(x);
		break;
	case 9:
		x = x * x * x + 2;
		break;
	default:
		x = 9;
	}
	out[threadIdx.x] = x;
}
__global__ void votes(int *out)
{
	int v = out[threadIdx.x];
	out[threadIdx.x] = __all_sync(~0u, v) + __any_sync(~0u, v) + __ballot_sync(~0u, v > 2) +
			   __match_any_sync(~0u, v) + __shfl_up_sync(~0u, v, 1) +
			   __syncthreads_count(v) + __syncthreads_and(v) + __syncthreads_or(v) +
			   __reduce_add_sync(~0u, v) + __reduce_xor_sync(~0u, v) + __activemask();
	int pred;
	out[threadIdx.x] += __match_all_sync(~0u, v, &pred);
	out[threadIdx.x] += pred;
	__syncwarp();
	__threadfence();
	__threadfence_block();
}
extern __shared__ double dynamic[];
__global__ void shared_dynamic(double *out)
{
	__shared__ char c[3];
	__shared__ double d[5];
	c[threadIdx.x % 3] = 1;
	d[threadIdx.x % 5] = 3;
	dynamic[threadIdx.x] = out[threadIdx.x];
	__syncthreads();
	out[threadIdx.x] = dynamic[threadIdx.x ^ 1] + c[0] + d[1];
}
__constant__ float coefficients[16];
__device__ int counter;
__device__ int4 vectors[8] = {{1, 2, 3, 4}};
__global__ void variables(float *out)
{
	out[threadIdx.x] = coefficients[threadIdx.x % 16] + vectors[threadIdx.x % 8].y;
	if (atomicAdd(&counter, 1) == 5)
		counter = 0;
}
__global__ void atomics(int *i, unsigned *u, float *f, double *d, unsigned long long *q,
			long long *l)
{
	__shared__ int s[32];
	s[threadIdx.x % 32] = 0;
	__syncthreads();
	atomicAdd(i, 1);
	atomicSub(i, 2);
	atomicMin(i, 3);
	atomicMax(u, 4u);
	atomicExch(i, 5);
	atomicCAS(i, 6, 7);
	atomicAnd(u, 8);
	atomicOr(u, 9);
	atomicXor(u, 10);
	atomicInc(u, 11);
	atomicDec(u, 12);
	atomicAdd(f, 1.f);
	atomicAdd(d, 2.);
	atomicAdd(q, 3ull);
	atomicMax(q, 4ull);
	atomicMin(l, 5ll);
	atomicCAS(q, 6ull, 7ull);
	atomicExch(f, 3.f);
	atomicAdd_block(i, 3);
	atomicAdd_system(u, 4);
	i[1] = atomicAdd(&s[threadIdx.x % 32], 3);
	atomicAdd(&s[1], 3);
	atomicCAS(&s[2], 3, 4);
	i[2] = atomicAdd(i, 4);
}
__global__ void generic(int *out, int which)
{
	__shared__ int s[32];
	int local[32];
	for (int k = 0; k < 32; k++)
		local[k] = out[k];
	s[threadIdx.x] = 3;
	int *p = which == 0 ? s : which == 1 ? local : out;
	__syncthreads();
	p[out[0]] += 3;
	out[threadIdx.x] =
		local[out[1] & 31] + s[out[2]] + __isShared(p) + __isGlobal(p) + __isLocal(p);
}
struct arguments {
	int a[10];
	double d;
	short s;
	unsigned char c;
};
__global__ void parameters(double *out, const __grid_constant__ arguments a, signed char b, short s,
			   int x)
{
	out[threadIdx.x] = a.a[x] + a.d + a.s + a.c + b + s;
}
__global__ void clocks(long long *out)
{
	out[0] = clock64() + clock();
	unsigned s;
	asm volatile("mov.u32 %0, %%smid;" : "=r"(s));
	out[1] = s;
}
__global__ void __launch_bounds__(128) spin(int *lock, int *x)
{
	bool done = false;
	while (!done) {
		if (atomicCAS(lock, 0, 1) == 0) {
			*x += 1;
			__threadfence();
			atomicExch(lock, 0);
			done = true;
		}
	}
}
