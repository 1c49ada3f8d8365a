/* Scenes of launches, memory and code. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/record/program.h"

#define LARGE_COUNT ((size_t)16 << 20)

/* ---- launches ---- */

void scene_launches(void)
{
	CUdeviceptr x = array_new(COUNT, 1);
	CUdeviceptr y = array_new(COUNT, 10);
	CUfunction function = function_named("axpy");

	for (int i = 1; i <= 5; i++)
		launch_axpy(function, (float)i, x, y);
	array_print(y, COUNT);
	must(cuMemFree(x));
	must(cuMemFree(y));
}

void scene_two_kernels(void)
{
	CUdeviceptr x = array_new(COUNT, 1);
	CUdeviceptr y = array_new(COUNT, 10);
	void *arguments[] = {&y};

	launch_axpy(function_named("axpy"), 1, x, y);
	must(cuLaunchKernel(function_named("add_bias"), 1, 1, 1, 32, 1, 1, 0, NULL, arguments,
			    NULL));
	launch_axpy(function_named("axpy"), 2, x, y);
	must(cuLaunchKernel(function_named("add_bias"), 2, 1, 1, 32, 1, 1, 0, NULL, arguments,
			    NULL));
	array_print(y, COUNT);
}

void scene_extra(void)
{
	struct {
		float a;
		CUdeviceptr x, y;
		int count;
	} packed = {2, array_new(COUNT, 1), array_new(COUNT, 0), COUNT};
	size_t bytes = sizeof(packed);
	void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE,
			 &bytes, CU_LAUNCH_PARAM_END};

	must(cuLaunchKernel(function_named("axpy"), GRID, 1, 1, BLOCK, 1, 1, 0, NULL, NULL, extra));
	array_print(packed.y, COUNT);
}

void scene_attributes(void)
{
	struct {
		CUdeviceptr data;
		long count;
	} array = {array_new(COUNT, 0), COUNT};
	void *arguments[] = {&array};
	CUlaunchAttribute attributes[] = {
		{.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, .value.clusterDim = {2, 1, 1}},
		{.id = CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT,
		 .value.sharedMemCarveout = 25},
		{.id = CU_LAUNCH_ATTRIBUTE_PRIORITY, .value.priority = 1},
		{.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION,
		 .value.programmaticStreamSerializationAllowed = 1},
	};
	CUlaunchConfig config = {.gridDimX = 4,
				 .gridDimY = 3,
				 .gridDimZ = 2,
				 .blockDimX = 32,
				 .blockDimY = 2,
				 .blockDimZ = 1,
				 .sharedMemBytes = 512,
				 .attrs = attributes,
				 .numAttrs = 4};

	must(cuLaunchKernelEx(&config, function_named("add_to_struct"), arguments, NULL));
	must(cuLaunchCooperativeKernel(function_named("add_to_struct"), 1, 1, 1, 32, 1, 1, 0, NULL,
				       arguments));
	array_print(array.data, COUNT);
}

void scene_per_thread(void)
{
	CUdeviceptr y = array_new(COUNT, 0);
	void *arguments[] = {&y};

	must(cuLaunchKernel_ptsz(function_named("add_bias"), 1, 1, 1, 32, 1, 1, 0, NULL, arguments,
				 NULL));
	array_print(y, COUNT);
}

void scene_refused(void)
{
	CUdeviceptr y = array_new(COUNT, 0);
	void *arguments[] = {&y};

	printf("%d\n", (int)cuLaunchKernel(function_named("add_bias"), 0, 1, 1, 32, 1, 1, 0, NULL,
					   arguments, NULL));
	array_print(y, COUNT);
}

/* ---- memory ---- */

void scene_lists(void)
{
	CUdeviceptr arrays[] = {array_new(COUNT, 0), array_new(COUNT, 100), array_new(COUNT, 200)};
	/* the second list begins in the middle of its array */
	CUdeviceptr pointers[] = {arrays[0], arrays[1] + 40, arrays[2]};
	CUdeviceptr lists;
	int lists_count = 3;
	int count = 10;
	void *arguments[] = {&lists, &lists_count, &count};

	must(cuMemAlloc(&lists, sizeof(pointers)));
	must(cuMemcpyHtoD(lists, pointers, sizeof(pointers)));
	must(cuLaunchKernel(function_named("add_to_lists"), 1, 1, 1, 32, 1, 1, 0, NULL, arguments,
			    NULL));
	for (int i = 0; i < 3; i++)
		array_print(arrays[i], 20);
}

void scene_kinds(void)
{
	const size_t bytes = COUNT * sizeof(float);
	CUdeviceptr managed, pooled;
	void *host;

	must(cuMemAllocManaged(&managed, bytes, CU_MEM_ATTACH_GLOBAL));
	must(cuMemAllocAsync(&pooled, bytes, NULL));
	must(cuMemHostAlloc(&host, bytes, CU_MEMHOSTALLOC_DEVICEMAP));
	array_fill(managed, COUNT, 1);
	array_fill(pooled, COUNT, 2);
	array_fill((CUdeviceptr)(size_t)host, COUNT, 3);
	launch_axpy(function_named("axpy"), 1, managed, (CUdeviceptr)(size_t)host);
	launch_axpy(function_named("axpy"), 1, managed, pooled);
	array_print(pooled, COUNT);
}

void scene_variable(void)
{
	CUdeviceptr y = array_new(1, 0);
	void *arguments[] = {&y};

	for (int i = 0; i < 2; i++)
		must(cuLaunchKernel(function_named("add_bias"), 1, 1, 1, 1, 1, 1, 0, NULL,
				    arguments, NULL));
	array_print(y, 1);
}

void scene_unknown(void)
{
	CUdeviceptr y = array_new(COUNT, 0);
	float *x = calloc(COUNT, sizeof(*x));

	launch_axpy(function_named("axpy"), 1, (CUdeviceptr)(size_t)x, y);
	array_print(y, COUNT);
	free(x);
}

/* One array over two mappings, in a range with room for three. */
void scene_mapped(void)
{
	const size_t half = (size_t)2 << 20;
	CUdeviceptr start, y;
	CUdeviceptr x = array_new(COUNT, 1);

	must(cuMemAddressReserve(&start, 3 * half, 0, 0, 0));
	for (size_t i = 0; i < 2; i++) {
		CUmemGenericAllocationHandle handle;

		must(cuMemCreate(&handle, half, NULL, 0));
		must(cuMemMap(start + i * half, half, 0, handle, 0));
	}
	/* from the first into the second, and wholly in the second */
	for (size_t i = 1; i <= 2; i++) {
		y = start + half + (i - 1) * half / 2 - (2 - i) * sizeof(float);
		array_fill(y, COUNT, 0);
		launch_axpy(function_named("axpy"), 1, x, y);
		array_print(y, COUNT);
	}
}

void scene_large(void)
{
	CUdeviceptr x = array_new(COUNT, 1);
	CUdeviceptr y = array_new(LARGE_COUNT, 0);

	for (int i = 0; i < 2; i++)
		launch_axpy(function_named("axpy"), 1, x, y);
	array_print(y, COUNT);
}

/* Millions of addresses, as in a graph of nodes that point to each other. */
void scene_addresses(void)
{
	const size_t count = ((size_t)4 << 20) + 1;
	CUdeviceptr *words = malloc(count * sizeof(*words));
	CUdeviceptr x;
	CUdeviceptr y = array_new(COUNT, 1);

	if (!words)
		exit(98);
	for (size_t i = 0; i < count; i++)
		words[i] = y;
	must(cuMemAlloc(&x, count * sizeof(*words)));
	must(cuMemcpyHtoD(x, words, count * sizeof(*words)));
	free(words);
	launch_axpy(function_named("axpy"), 0, x, y);
	/* the sums are not the same in each process: half of an address may be no number */
	puts("launched");
}

/* ---- code ---- */

/* As the runtime finds the driver, and as libraries of Python do. */
void scene_searched(void)
{
	CUresult (*find)(const char *, void **, int, cuuint64_t, CUdriverProcAddressQueryResult *);
	__typeof__(cuLaunchKernel) *launch[3];
	CUdriverProcAddressQueryResult query;
	void *library = dlopen("libcuda.so.1", RTLD_NOW), *found;
	CUdeviceptr x = array_new(COUNT, 1), y = array_new(COUNT, 0);
	CUfunction function = function_named("axpy");
	float a = 1;
	int count = COUNT;
	void *arguments[] = {&a, &x, &y, &count};

	found = dlsym(library, "cuGetProcAddress_v2");
	memcpy(&find, &found, sizeof(find));
	must(find("cuGetProcAddress", &found, 12000, 0, &query));
	memcpy(&find, &found, sizeof(find));
	must(find("cuLaunchKernel", (void **)&launch[0], 13000, 0, &query));
	must(find("cuLaunchKernel", (void **)&launch[1], 13000,
		  CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM, &query));
	found = dlsym(library, "cuLaunchKernel");
	memcpy(&launch[2], &found, sizeof(found));
	for (int i = 0; i < 3; i++)
		must(launch[i](function, GRID, 1, 1, BLOCK, 1, 1, 0, NULL, arguments, NULL));
	array_print(y, COUNT);
	/* what is not there, and what is no function of the driver */
	printf("%d %d %d\n", find("cuNoSuchFunction", &found, 13000, 0, &query),
	       dlsym(library, "cuNoSuchFunction") != NULL, dlsym(RTLD_DEFAULT, "printf") != NULL);
}

void scene_library(void)
{
	struct {
		int magic, version;
		const void *data;
		const void *unused;
	} wrapper = {0x466243B1, 1, NULL, NULL};
	CUdeviceptr x = array_new(COUNT, 1);
	CUdeviceptr y = array_new(COUNT, 0);
	CUlibrary library;
	CUkernel kernel;
	size_t bytes;

	wrapper.data = read_whole("tests/record/fixtures/zstd.fatbin", &bytes);
	must(cuLibraryLoadData(&library, &wrapper, NULL, NULL, 0, NULL, NULL, 0));
	must(cuLibraryGetKernel(&kernel, library, "axpy"));
	launch_axpy((CUfunction)(void *)kernel, 1, x, y);
	array_print(y, COUNT);
	free((void *)(size_t)wrapper.data);
}

/* Without an option that the code stays, the driver copies it. */
void scene_freed(void)
{
	CUdeviceptr x = array_new(COUNT, 1);
	CUdeviceptr y = array_new(COUNT, 0);
	CUlibrary library;
	CUkernel kernel;
	size_t bytes;
	char *code = read_whole("tests/record/fixtures/zstd.fatbin", &bytes);

	must(cuLibraryLoadData(&library, code, NULL, NULL, 0, NULL, NULL, 0));
	memset(code, 'x', bytes);
	free(code);
	must(cuLibraryGetKernel(&kernel, library, "axpy"));
	launch_axpy((CUfunction)(void *)kernel, 1, x, y);
	array_print(y, COUNT);
}

/* The handle of a kernel becomes that of another one. */
void scene_reload(void)
{
	CUdeviceptr x = array_new(COUNT, 1);
	CUdeviceptr y = array_new(COUNT, 0);
	void *arguments[] = {&y};
	CUfunction first = function_named("axpy"), second;

	launch_axpy(first, 1, x, y);
	must(cuModuleUnload(program_module));
	program_load_image();
	second = function_named("add_bias");
	if (second != first)
		exit(97);
	must(cuLaunchKernel(second, 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL));
	array_print(y, COUNT);
}

static void launch_of_module(void)
{
	CUdeviceptr x = array_new(COUNT, 1);
	CUdeviceptr y = array_new(COUNT, 0);

	launch_axpy(function_named("axpy"), 1, x, y);
	array_print(y, COUNT);
}

/* As a program that compiles its kernels when it runs. */
void scene_text(void)
{
	char *text = strdup(".version 9.0\n.target sm_90\n.address_size 64\n"
			    ".visible .entry axpy() { ret; }\n");

	must(cuModuleLoadDataEx(&program_module, text, 0, NULL, NULL));
	memset(text, 'x', strlen(text));
	free(text);
	launch_of_module();
}

void scene_fat_binary(void)
{
	size_t bytes;
	char *image = read_whole("tests/record/fixtures/lz4.fatbin", &bytes);

	must(cuModuleLoadFatBinary(&program_module, image));
	memset(image, 'x', bytes);
	free(image);
	launch_of_module();
}

/* ---- graphs ---- */

void scene_graph(void)
{
	CUdeviceptr x = array_new(COUNT, 1);
	CUdeviceptr y = array_new(COUNT, 0);
	void *arguments[] = {&x};
	CUfunction function = function_named("axpy");
	CUfunction bias = function_named("add_bias");
	CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;
	CUgraphExec executable;
	CUstream stream;
	CUgraph graph;

	must(cuStreamCreate(&stream, 0));
	must(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
	must(try_axpy(function, 1, x, y, stream));
	must(try_axpy(function, 2, x, y, stream));
	/* beside the capture, in another stream, and after it */
	must(cuLaunchKernel(bias, 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL));
	must(cuStreamEndCapture(stream, &graph));
	must(cuLaunchKernel(bias, 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL));
	/* the recorder had another mode for a time */
	must(cuThreadExchangeStreamCaptureMode(&mode));
	printf("%d\n", (int)mode);
	must(cuGraphInstantiateWithFlags(&executable, graph, 0));
	for (int i = 0; i < 3; i++)
		must(cuGraphLaunch(executable, stream));
	array_print(y, COUNT);
}

/* A kernel in a graph and by itself. The later launches take longer. */
void scene_both_ways(void)
{
	CUdeviceptr x = array_new(COUNT, 1);
	CUdeviceptr y = array_new(COUNT, 0);
	CUfunction function = function_named("axpy");
	CUgraphExec executable;
	CUstream stream;
	CUgraph graph;

	must(cuStreamCreate(&stream, 0));
	must(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
	must(try_axpy(function, 1, x, y, stream));
	must(cuStreamEndCapture(stream, &graph));
	must(cuGraphInstantiateWithFlags(&executable, graph, 0));
	must(cuGraphLaunch(executable, stream));
	launch_axpy(function, 1, x, y);
	launch_axpy(function, 1, x, y);
	must(cuGraphLaunch(executable, stream));
	array_print(y, COUNT);
}

void scene_latin(void)
{
	CUdeviceptr y = array_new(COUNT, 0);
	void *arguments[] = {&y};

	must(cuLaunchKernel(function_named("caf\xe9"), 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL));
	array_print(y, COUNT);
}
