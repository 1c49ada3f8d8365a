/*
 * program SCENE: a CUDA program for tests of the recorder. It runs on the driver
 * of fake_cuda.h, and prints what its kernels computed.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/record/fake_cuda.h"

#define COUNT 1000
#define BLOCK 128
#define GRID ((COUNT + BLOCK - 1) / BLOCK)
#define LARGE_COUNT ((size_t)16 << 20)

static CUmodule module;

/* ---- helpers ---- */

static void must(CUresult result)
{
	if (result != CUDA_SUCCESS) {
		fprintf(stderr, "CUDA error %d\n", (int)result);
		exit(99);
	}
}

static void *read_whole(const char *path, size_t *bytes)
{
	const size_t most = (size_t)1 << 20;
	FILE *file = path ? fopen(path, "rb") : NULL;
	char *data = calloc(most, 1);

	if (!file || !data)
		exit(98);
	*bytes = fread(data, 1, most - 1, file);
	fclose(file);
	return data;
}

static void begin(void)
{
	CUcontext context;

	must(cuInit(0));
	must(cuDevicePrimaryCtxRetain(&context, 0));
	must(cuCtxSetCurrent(context));
}

static void load_image(void)
{
	size_t bytes;
	void *image = read_whole(getenv("FAKE_CUDA_IMAGE"), &bytes);

	must(cuModuleLoadData(&module, image));
	free(image);
}

static CUfunction function_named(const char *name)
{
	CUfunction function;

	must(cuModuleGetFunction(&function, module, name));
	return function;
}

/* value, value + 1, … */
static void fill(CUdeviceptr array, size_t count, float value)
{
	float *data = malloc(count * sizeof(*data));

	if (!data)
		exit(98);
	for (size_t i = 0; i < count; i++)
		data[i] = value + (float)i;
	must(cuMemcpyHtoD(array, data, count * sizeof(*data)));
	free(data);
}

static CUdeviceptr new_array(size_t count, float value)
{
	CUdeviceptr array;

	must(cuMemAlloc(&array, count * sizeof(float)));
	fill(array, count, value);
	return array;
}

static void print_array(CUdeviceptr array, size_t count)
{
	float first, last;

	must(cuMemcpyDtoH(&first, array, sizeof(first)));
	must(cuMemcpyDtoH(&last, array + (count - 1) * sizeof(last), sizeof(last)));
	printf("%g %g\n", (double)first, (double)last);
}

static CUresult try_axpy(CUfunction function, float a, CUdeviceptr x, CUdeviceptr y,
			 CUstream stream)
{
	int count = COUNT;
	void *arguments[] = {&a, &x, &y, &count};

	return cuLaunchKernel(function, GRID, 1, 1, BLOCK, 1, 1, 64, stream, arguments, NULL);
}

static void axpy(CUfunction function, float a, CUdeviceptr x, CUdeviceptr y)
{
	must(try_axpy(function, a, x, y, NULL));
}

/* ---- launches ---- */

static void scene_launches(void)
{
	CUdeviceptr x = new_array(COUNT, 1);
	CUdeviceptr y = new_array(COUNT, 10);
	CUfunction function = function_named("axpy");

	for (int i = 1; i <= 5; i++)
		axpy(function, (float)i, x, y);
	print_array(y, COUNT);
	must(cuMemFree(x));
	must(cuMemFree(y));
}

static void scene_two_kernels(void)
{
	CUdeviceptr x = new_array(COUNT, 1);
	CUdeviceptr y = new_array(COUNT, 10);
	void *arguments[] = {&y};

	axpy(function_named("axpy"), 1, x, y);
	must(cuLaunchKernel(function_named("add_bias"), 1, 1, 1, 32, 1, 1, 0, NULL, arguments,
			    NULL));
	axpy(function_named("axpy"), 2, x, y);
	must(cuLaunchKernel(function_named("add_bias"), 2, 1, 1, 32, 1, 1, 0, NULL, arguments,
			    NULL));
	print_array(y, COUNT);
}

static void scene_extra(void)
{
	struct {
		float a;
		CUdeviceptr x, y;
		int count;
	} packed = {2, new_array(COUNT, 1), new_array(COUNT, 0), COUNT};
	size_t bytes = sizeof(packed);
	void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE,
			 &bytes, CU_LAUNCH_PARAM_END};

	must(cuLaunchKernel(function_named("axpy"), GRID, 1, 1, BLOCK, 1, 1, 0, NULL, NULL, extra));
	print_array(packed.y, COUNT);
}

static void scene_attributes(void)
{
	struct {
		CUdeviceptr data;
		long count;
	} array = {new_array(COUNT, 0), COUNT};
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
	print_array(array.data, COUNT);
}

static void scene_per_thread(void)
{
	CUdeviceptr y = new_array(COUNT, 0);
	void *arguments[] = {&y};

	must(cuLaunchKernel_ptsz(function_named("add_bias"), 1, 1, 1, 32, 1, 1, 0, NULL, arguments,
				 NULL));
	print_array(y, COUNT);
}

static void scene_refused(void)
{
	CUdeviceptr y = new_array(COUNT, 0);
	void *arguments[] = {&y};

	printf("%d\n", (int)cuLaunchKernel(function_named("add_bias"), 0, 1, 1, 32, 1, 1, 0, NULL,
					   arguments, NULL));
	print_array(y, COUNT);
}

/* ---- memory ---- */

static void scene_lists(void)
{
	CUdeviceptr arrays[] = {new_array(COUNT, 0), new_array(COUNT, 100), new_array(COUNT, 200)};
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
		print_array(arrays[i], 20);
}

static void scene_kinds(void)
{
	const size_t bytes = COUNT * sizeof(float);
	CUdeviceptr managed, pooled;
	void *host;

	must(cuMemAllocManaged(&managed, bytes, CU_MEM_ATTACH_GLOBAL));
	must(cuMemAllocAsync(&pooled, bytes, NULL));
	must(cuMemHostAlloc(&host, bytes, CU_MEMHOSTALLOC_DEVICEMAP));
	fill(managed, COUNT, 1);
	fill(pooled, COUNT, 2);
	fill((CUdeviceptr)(size_t)host, COUNT, 3);
	axpy(function_named("axpy"), 1, managed, (CUdeviceptr)(size_t)host);
	axpy(function_named("axpy"), 1, managed, pooled);
	print_array(pooled, COUNT);
}

static void scene_variable(void)
{
	CUdeviceptr y = new_array(1, 0);
	void *arguments[] = {&y};

	for (int i = 0; i < 2; i++)
		must(cuLaunchKernel(function_named("add_bias"), 1, 1, 1, 1, 1, 1, 0, NULL,
				    arguments, NULL));
	print_array(y, 1);
}

static void scene_unknown(void)
{
	CUdeviceptr y = new_array(COUNT, 0);
	float *x = calloc(COUNT, sizeof(*x));

	axpy(function_named("axpy"), 1, (CUdeviceptr)(size_t)x, y);
	print_array(y, COUNT);
	free(x);
}

/* One array over two mappings, in a range with room for three. */
static void scene_mapped(void)
{
	const size_t half = (size_t)2 << 20;
	CUdeviceptr start, y;
	CUdeviceptr x = new_array(COUNT, 1);

	must(cuMemAddressReserve(&start, 3 * half, 0, 0, 0));
	for (size_t i = 0; i < 2; i++) {
		CUmemGenericAllocationHandle handle;

		must(cuMemCreate(&handle, half, NULL, 0));
		must(cuMemMap(start + i * half, half, 0, handle, 0));
	}
	/* from the first into the second, and wholly in the second */
	for (size_t i = 1; i <= 2; i++) {
		y = start + half + (i - 1) * half / 2 - (2 - i) * sizeof(float);
		fill(y, COUNT, 0);
		axpy(function_named("axpy"), 1, x, y);
		print_array(y, COUNT);
	}
}

static void scene_large(void)
{
	CUdeviceptr x = new_array(COUNT, 1);
	CUdeviceptr y = new_array(LARGE_COUNT, 0);

	for (int i = 0; i < 2; i++)
		axpy(function_named("axpy"), 1, x, y);
	print_array(y, COUNT);
}

/* ---- code ---- */

static void scene_library(void)
{
	struct {
		int magic, version;
		const void *data;
		const void *unused;
	} wrapper = {0x466243B1, 1, NULL, NULL};
	CUdeviceptr x = new_array(COUNT, 1);
	CUdeviceptr y = new_array(COUNT, 0);
	CUlibrary library;
	CUkernel kernel;
	size_t bytes;

	wrapper.data = read_whole("tests/record/fixtures/zstd.fatbin", &bytes);
	must(cuLibraryLoadData(&library, &wrapper, NULL, NULL, 0, NULL, NULL, 0));
	must(cuLibraryGetKernel(&kernel, library, "axpy"));
	axpy((CUfunction)(void *)kernel, 1, x, y);
	print_array(y, COUNT);
	free((void *)(size_t)wrapper.data);
}

static void launch_of_module(void)
{
	CUdeviceptr x = new_array(COUNT, 1);
	CUdeviceptr y = new_array(COUNT, 0);

	axpy(function_named("axpy"), 1, x, y);
	print_array(y, COUNT);
}

/* As a program that compiles its kernels when it runs. */
static void scene_text(void)
{
	char *text = strdup(".version 9.0\n.target sm_90\n.address_size 64\n"
			    ".visible .entry axpy() { ret; }\n");

	must(cuModuleLoadDataEx(&module, text, 0, NULL, NULL));
	memset(text, 'x', strlen(text));
	free(text);
	launch_of_module();
}

static void scene_fat_binary(void)
{
	size_t bytes;
	char *image = read_whole("tests/record/fixtures/lz4.fatbin", &bytes);

	must(cuModuleLoadFatBinary(&module, image));
	memset(image, 'x', bytes);
	free(image);
	launch_of_module();
}

/* ---- graphs ---- */

static void scene_graph(void)
{
	CUdeviceptr x = new_array(COUNT, 1);
	CUdeviceptr y = new_array(COUNT, 0);
	void *arguments[] = {&x};
	CUfunction function = function_named("axpy");
	CUgraphExec executable;
	CUstream stream;
	CUgraph graph;

	must(cuStreamCreate(&stream, 0));
	must(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
	must(try_axpy(function, 1, x, y, stream));
	must(try_axpy(function, 2, x, y, stream));
	/* beside the capture, in another stream */
	must(cuLaunchKernel(function_named("add_bias"), 1, 1, 1, 1, 1, 1, 0, NULL, arguments,
			    NULL));
	/* the driver still refuses to this thread what a capture forbids */
	printf("%d\n", (int)cuCtxSynchronize());
	must(cuStreamEndCapture(stream, &graph));
	must(cuGraphInstantiateWithFlags(&executable, graph, 0));
	for (int i = 0; i < 3; i++)
		must(cuGraphLaunch(executable, stream));
	print_array(y, COUNT);
}

/* ---- threads and processes ---- */

static void *launch_often(void *argument)
{
	CUdeviceptr x = new_array(COUNT, 1);
	CUdeviceptr y = new_array(COUNT, 0);
	CUcontext context;

	must(cuDevicePrimaryCtxRetain(&context, 0));
	must(cuCtxSetCurrent(context));
	for (int i = 0; i < 50; i++)
		axpy(argument, 1, x, y);
	flockfile(stdout);
	print_array(y, COUNT);
	funlockfile(stdout);
	return NULL;
}

static void scene_threads(void)
{
	CUfunction function = function_named("axpy");
	pthread_t threads[4];

	for (size_t i = 0; i < 4; i++)
		if (pthread_create(&threads[i], NULL, launch_often, function))
			exit(97);
	for (size_t i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
}

/* CUDA does not work in the child, but nothing keeps it from trying. */
static void scene_fork(void)
{
	pid_t child;
	int status;

	scene_launches();
	fflush(stdout);
	child = fork();
	if (!child) {
		scene_launches();
		exit(3); /* with all that was registered to run at exit */
	}
	if (waitpid(child, &status, 0) != child)
		exit(97);
	printf("%d\n", WEXITSTATUS(status));
}

/* Two processes that are in the middle of a launch at the same time. */
static void scene_processes(void)
{
	int *arrived = mmap(NULL, sizeof(*arrived), PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int count = 2;
	void *arguments[] = {&arrived, &count};

	if (arrived == MAP_FAILED)
		exit(97);
	for (int i = 0; i < count; i++) {
		if (fork())
			continue;
		begin();
		load_image();
		must(cuLaunchKernel(function_named("meet"), 1, 1, 1, 1, 1, 1, 0, NULL, arguments,
				    NULL));
		exit(0);
	}
	for (int i = 0; i < count; i++) {
		int status = 1;

		wait(&status);
		printf("%d\n", status);
	}
}

static void scene_no_cuda(void)
{
	exit(6);
}

static void scene_idle(void)
{
	exit(7);
}

static void scene_abort(void)
{
	scene_launches();
	fflush(stdout);
	setrlimit(RLIMIT_CORE, &(struct rlimit){0});
	abort();
}

static void scene_quick(void)
{
	scene_launches();
	fflush(stdout);
	_exit(5);
}

static void scene_killed(void)
{
	CUdeviceptr y = new_array(COUNT, 0);
	void *arguments[] = {&y};

	must(cuLaunchKernel(function_named("end_process"), 1, 1, 1, 1, 1, 1, 0, NULL, arguments,
			    NULL));
}

/* ---- main ---- */

/* Scene, whether it begins with a context and a module. */
#define SCENE_LIST(X)        \
	X(launches, true)    \
	X(two_kernels, true) \
	X(extra, true)       \
	X(attributes, true)  \
	X(refused, true)     \
	X(per_thread, true)  \
	X(lists, true)       \
	X(kinds, true)       \
	X(variable, true)    \
	X(unknown, true)     \
	X(mapped, true)      \
	X(large, true)       \
	X(library, true)     \
	X(text, true)        \
	X(fat_binary, true)  \
	X(graph, true)       \
	X(threads, true)     \
	X(fork, true)        \
	X(processes, false)  \
	X(no_cuda, false)    \
	X(idle, true)        \
	X(abort, true)       \
	X(quick, true)       \
	X(killed, true)

static const struct scene {
	const char *name;
	void (*play)(void);
	bool with_context;
} scenes[] = {
#define X(name, with_context) {#name, scene_##name, with_context},
	SCENE_LIST(X)
#undef X
};

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "";

	for (size_t i = 0; i < sizeof(scenes) / sizeof(scenes[0]); i++) {
		if (!strcmp(scenes[i].name, name)) {
			if (scenes[i].with_context) {
				begin();
				load_image();
			}
			scenes[i].play();
			return 0;
		}
	}
	fprintf(stderr, "no scene %s\n", name);
	return 96;
}
