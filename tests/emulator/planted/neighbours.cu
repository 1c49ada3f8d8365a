/* Accesses that leave an array in shared memory for its neighbour: see test_planted.c. */
#define BESIDE(type, before, after)      \
	__shared__ type low[before];     \
	__shared__ type high[after];     \
	low[threadIdx.x % (before)] = 0; \
	high[threadIdx.x % (after)] = 0; \
	__syncthreads()

extern "C" __global__ void planted_neighbour_index(float *out, long long n)
{
	BESIDE(float, 256, 256);
	if (threadIdx.x == 9)
		low[threadIdx.x + n / 2 - 9] = 1.0f; /* wrong: planted_neighbour_index */
	__syncthreads();
	out[threadIdx.x] = low[threadIdx.x] + high[threadIdx.x];
}

extern "C" __global__ void planted_neighbour_before(float *out, long long n)
{
	BESIDE(float, 256, 256);
	out[threadIdx.x] =
		high[(int)threadIdx.x - 1] + low[7]; /* wrong: planted_neighbour_before */
}

extern "C" __global__ void planted_neighbour_pointer(float *out, long long n)
{
	BESIDE(float, 256, 256);
	const float *at = low + threadIdx.x, *end = low + 256;
	float sum = 0.0f;

	for (; at <= end; at += 16)
		sum += *at; /* wrong: planted_neighbour_pointer */
	out[threadIdx.x] = sum + high[threadIdx.x];
}

extern "C" __global__ void planted_neighbour_rows(float *out, long long n)
{
	__shared__ float tile[16][16];
	__shared__ float edge[16];
	const unsigned x = threadIdx.x % 16, y = threadIdx.x / 16;

	tile[y][x] = 1.0f;
	edge[x] = 2.0f;
	__syncthreads();
	out[threadIdx.x] = tile[y + 1][x] + edge[y]; /* wrong: planted_neighbour_rows */
}

extern "C" __global__ void planted_neighbour_bytes(float *out, long long n)
{
	BESIDE(char, 100, 100);
	if (threadIdx.x <= 100 && threadIdx.x > 99)
		low[threadIdx.x] = 1; /* wrong: planted_neighbour_bytes */
	__syncthreads();
	out[threadIdx.x] = low[threadIdx.x % 100] + high[threadIdx.x % 100];
}

extern "C" __global__ void planted_neighbour_atomic(float *out, long long n)
{
	BESIDE(int, 64, 64);
	atomicAdd(&low[threadIdx.x % 65], 1); /* wrong: planted_neighbour_atomic */
	__syncthreads();
	out[threadIdx.x] = low[threadIdx.x % 64] + high[threadIdx.x % 64];
}

/* What a function does with a pointer that it gets is not known to be within one array. */
static __device__ __noinline__ void count(int *bins, int bin)
{
	atomicAdd(&bins[bin], 1);
}

extern "C" __global__ void right_neighbour_call(float *out, long long n)
{
	BESIDE(int, 64, 64);
	count(n > 3 ? low : high, threadIdx.x % 64);
	__syncthreads();
	if (threadIdx.x == 0)
		out[blockIdx.x] = 64.0f * low[0];
}

extern "C" __global__ void right_neighbour_swap(float *out, long long n)
{
	BESIDE(float, 256, 256);
	float *from = low, *to = high;

	for (int k = 0; k < 4; k++) {
		to[threadIdx.x] = from[threadIdx.x ^ 1] + 1.0f;
		__syncthreads();
		float *const other = from;
		from = to;
		to = other;
	}
	if (threadIdx.x == 0)
		out[blockIdx.x] = 64.0f * from[0];
}
