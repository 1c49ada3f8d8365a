/* Faults planted in accesses of memory: see test_planted.c. */
__device__ float *unset;
__device__ float four[4];
__constant__ float coefficients[4];

extern "C" __global__ void planted_read_past_end(float *out, long long n)
{
	long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		out[i] = out[i + 1]; /* wrong: planted_read_past_end */
}

extern "C" __global__ void planted_write_past_end(float *out, long long n)
{
	long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;

	if (i <= n)
		out[i] = 0.0f; /* wrong: planted_write_past_end */
}

extern "C" __global__ void planted_read_before_begin(float *out, long long n)
{
	long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		out[i] = out[i - 1]; /* wrong: planted_read_before_begin */
}

extern "C" __global__ void planted_tail_of_float4(float *out, long long n)
{
	long long i = 4 * ((long long)blockIdx.x * blockDim.x + threadIdx.x);

	if (i < n)
		*(float4 *)(out + i) = float4(); /* wrong: planted_tail_of_float4 */
}

extern "C" __global__ void planted_atomic_past_end(float *out, long long n)
{
	if (threadIdx.x == 5)
		atomicAdd(&out[n], 1.0f); /* wrong: planted_atomic_past_end */
}

extern "C" __global__ void planted_misaligned_float4(float *out, long long n)
{
	long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;

	if (4 * i + 5 < n)
		*(float4 *)(out + 4 * i + 1) = float4(); /* wrong: planted_misaligned_float4 */
}

extern "C" __global__ void planted_number_as_pointer(float *out, long long n)
{
	if (threadIdx.x == 0)
		*(float *)(n / 4 * 4) = *out; /* wrong: planted_number_as_pointer */
}

extern "C" __global__ void planted_unset_pointer(float *out, long long n)
{
	if (threadIdx.x < n)
		out[threadIdx.x] = unset[threadIdx.x]; /* wrong: planted_unset_pointer */
}

extern "C" __global__ void planted_far_pointer(float *out, long long n)
{
	out[threadIdx.x] = out[n << 40]; /* wrong: planted_far_pointer */
}

extern "C" __global__ void planted_module_variable(float *out, long long n)
{
	if (threadIdx.x < n)
		four[threadIdx.x] = *out; /* wrong: planted_module_variable */
}

extern "C" __global__ void planted_constant_table(float *out, long long n)
{
	if (threadIdx.x < n)
		out[threadIdx.x] = coefficients[threadIdx.x]; /* wrong: planted_constant_table */
}

extern "C" __global__ void planted_local_array(float *out, long long n)
{
	float mine[8];

	for (int k = 0; k < 8; k++)
		mine[k] = out[k];
	mine[out[0] < 1e30f ? n + threadIdx.x : 0] = 1.0f; /* wrong: planted_local_array */
	for (int k = 0; k < 8; k++)
		out[k] = mine[(k + n) & 7];
}

extern "C" __global__ void planted_shared_past_end(float *out, long long n)
{
	__shared__ float tile[256];

	tile[threadIdx.x] = 0.0f;
	__syncthreads();
	out[threadIdx.x] = tile[threadIdx.x + 1]; /* wrong: planted_shared_past_end */
}

extern "C" __global__ void planted_shared_before_begin(float *out, long long n)
{
	__shared__ float tile[256];

	tile[threadIdx.x - 1] = 0.0f; /* wrong: planted_shared_before_begin */
	__syncthreads();
	out[threadIdx.x] = tile[threadIdx.x ^ 1];
}

extern "C" __global__ void planted_shared_not_launched(float *out, long long n)
{
	extern __shared__ float dynamic[];

	dynamic[threadIdx.x] = 0.0f; /* wrong: planted_shared_not_launched */
	__syncthreads();
	out[threadIdx.x] = dynamic[threadIdx.x ^ 1];
}

extern "C" __global__ void planted_shared_misaligned(float *out, long long n)
{
	__shared__ float tile[520];

	*(double *)&tile[2 * threadIdx.x + (n & 1)] = 0.0; /* wrong: planted_shared_misaligned */
	__syncthreads();
	out[threadIdx.x] = tile[threadIdx.x ^ 1];
}
