/*
 * cases: launches of different kinds, for tests/gpu/record.sh to record. Every kernel is one case;
 * a run launches each three times, on other values each time, and checks the sums of most of them.
 *
 * usage: cases [fail | none | graph]
 *   fail   exits with 7 after the launches
 *   none   launches nothing
 *   graph  launches only in_graph, in a CUDA graph
 */
#include <cooperative_groups.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>

static void check(cudaError_t status)
{
	if (status != cudaSuccess) {
		fprintf(stderr, "cases: %s\n", cudaGetErrorString(status));
		exit(1);
	}
}

static const int N = 1 << 20, BLOCK = 256, PARTS = 4;

struct vectors {
	float a;
	const float *x;
	float *y;
};

__device__ float scale = 1;
__constant__ float offset;

/* Slow on purpose, so that a replacement can win: each thread reads with a stride. */
extern "C" __global__ void saxpy(int n, float a, const float *x, float *y)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	int strided = i % 1024 * (n / 1024) + i / 1024;

	if (i < n)
		y[strided] = a * x[strided] + y[strided];
}

/* A structure with pointers. */
extern "C" __global__ void in_struct(int n, vectors v)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		v.y[i] += v.a * v.x[i];
}

/* A list of pointers in device memory. */
extern "C" __global__ void in_list(int n, float *const *parts)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		parts[blockIdx.y][i] += 1 + blockIdx.y;
}

/* Variables of the module, one that the program writes and one that the kernel writes. */
extern "C" __global__ void variables(int n, float *y)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		y[i] = y[i] * 0.5f + offset;
	if (i == 0)
		scale += offset;
}

/* All blocks wait for each other. */
extern "C" __global__ void cooperative(int n, float *y)
{
	cooperative_groups::grid_group grid = cooperative_groups::this_grid();

	for (int i = grid.thread_rank(); i < n; i += grid.size())
		y[i] += 1;
	grid.sync();
	for (int i = grid.thread_rank(); i < n / 2; i += grid.size())
		y[i] += y[n - 1 - i];
}

/* More than 48 KB of dynamic shared memory. */
extern "C" __global__ void shared(int n, float *y)
{
	extern __shared__ float tile[];
	int i = blockIdx.x * blockDim.x + threadIdx.x, far = 60 * 256;

	tile[far + threadIdx.x] = i < n ? y[i] : 0;
	__syncthreads();
	if (i < n)
		y[i] = tile[far + blockDim.x - 1 - threadIdx.x];
}

extern "C" __global__ void stream_ordered(int n, float *y)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		y[i] = y[i] * 2 + 1;
}

extern "C" __global__ void managed(int n, float *y)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		y[i] = y[i] * 2 + 2;
}

extern "C" __global__ void mapped(int n, float *y)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		y[i] = y[i] * 2 + 3;
}

extern "C" __global__ void in_graph(int n, float *y)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		y[i] += 4;
}

static float *fresh(float *host)
{
	float *data;

	check(cudaMalloc(&data, N * sizeof *data));
	check(cudaMemcpy(data, host, N * sizeof *data, cudaMemcpyHostToDevice));
	return data;
}

static double sum_of(const float *data)
{
	static float host[N];
	double sum = 0;

	check(cudaMemcpy(host, data, sizeof host, cudaMemcpyDefault));
	for (int i = 0; i < N; i++)
		sum += host[i];
	return sum;
}

static void launch_plain(float *host)
{
	float *x = fresh(host), *y = fresh(host), *parts[PARTS], **list, factor = 0.25f;
	int blocks = N / BLOCK;

	for (float *&part : parts)
		part = fresh(host);
	check(cudaMalloc(&list, sizeof parts));
	check(cudaMemcpy(list, parts, sizeof parts, cudaMemcpyHostToDevice));
	check(cudaMemcpyToSymbol(offset, &factor, sizeof factor));
	check(cudaFuncSetAttribute(shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 61 * 1024));
	for (int i = 0; i < 3; i++) {
		saxpy<<<blocks, BLOCK>>>(N, 2, x, y);
		in_struct<<<blocks, BLOCK>>>(N, {0.5f, x, y});
		in_list<<<dim3(blocks, PARTS), BLOCK>>>(N, list);
		variables<<<blocks, BLOCK>>>(N, y);
		shared<<<blocks, BLOCK, 61 * 1024>>>(N, y);
	}
	check(cudaDeviceSynchronize());
	printf("plain %.6g %.6g\n", sum_of(y), sum_of(parts[PARTS - 1]));
}

static void launch_cooperative(float *host)
{
	float *y = fresh(host);
	int n = N;
	void *arguments[] = {&n, &y};

	for (int i = 0; i < 3; i++)
		check(cudaLaunchCooperativeKernel((void *)cooperative, 64, BLOCK, arguments, 0, 0));
	printf("cooperative %.6g\n", sum_of(y));
}

/* Memory from a pool, managed memory, and host memory that the GPU reads. */
static void launch_on_other_memory(float *host)
{
	float *pooled, *moving, *fixed;
	size_t bytes = N * sizeof *pooled;

	check(cudaMallocAsync(&pooled, bytes, 0));
	check(cudaMemcpy(pooled, host, bytes, cudaMemcpyHostToDevice));
	check(cudaMallocManaged(&moving, bytes));
	memcpy(moving, host, bytes);
	check(cudaHostAlloc(&fixed, bytes, cudaHostAllocMapped));
	memcpy(fixed, host, bytes);
	for (int i = 0; i < 3; i++) {
		stream_ordered<<<N / BLOCK, BLOCK>>>(N, pooled);
		managed<<<N / BLOCK, BLOCK>>>(N, moving);
		mapped<<<N / BLOCK, BLOCK>>>(N, fixed);
	}
	check(cudaDeviceSynchronize());
	printf("other %.6g %.6g %.6g\n", sum_of(pooled), sum_of(moving), sum_of(fixed));
}

static void launch_graph(float *host)
{
	float *y = fresh(host);
	cudaStream_t stream;
	cudaGraph_t graph;
	cudaGraphExec_t ready;

	check(cudaStreamCreate(&stream));
	check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
	in_graph<<<N / BLOCK, BLOCK, 0, stream>>>(N, y);
	check(cudaStreamEndCapture(stream, &graph));
	check(cudaGraphInstantiate(&ready, graph, 0));
	for (int i = 0; i < 3; i++)
		check(cudaGraphLaunch(ready, stream));
	check(cudaStreamSynchronize(stream));
	printf("graph %.6g\n", sum_of(y));
}

int main(int argc, char **argv)
{
	static float host[N];
	const char *what = argc > 1 ? argv[1] : "";

	for (int i = 0; i < N; i++)
		host[i] = (float)(i % 1000) / 500 - 1;
	if (strcmp(what, "none") == 0)
		return 0;
	if (strcmp(what, "graph") != 0) {
		launch_plain(host);
		launch_cooperative(host);
		launch_on_other_memory(host);
	} else {
		launch_graph(host);
	}
	return strcmp(what, "fail") == 0 ? 7 : 0;
}
