/* Scenes of programs that find the driver in other ways, or that other tools share. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/record/program.h"

typedef __typeof__(cuLaunchKernel) launch_function;
typedef __typeof__(cuGetProcAddress) find_function;
typedef __typeof__(cuLaunchKernel_v9) launch_future;

static void *found_in(void *library, const char *symbol)
{
	void *found = library ? dlsym(library, symbol) : NULL;

	if (!found) {
		fprintf(stderr, "no %s\n", symbol);
		exit(97);
	}
	return found;
}

static void *proc_address(const char *name, int version)
{
	void *found = found_in(dlopen("libcuda.so.1", RTLD_NOW), "cuGetProcAddress_v2");
	CUdriverProcAddressQueryResult result;
	find_function *find;

	memcpy(&find, &found, sizeof(find));
	must(find(name, &found, version, 0, &result));
	return found;
}

static void launch_by(void *address)
{
	CUdeviceptr x = array_new(COUNT, 1), y = array_new(COUNT, 0);
	float a = 1;
	int count = COUNT;
	void *arguments[] = {&a, &x, &y, &count};
	launch_function *launch;

	memcpy(&launch, &address, sizeof(launch));
	must(launch(function_named("axpy"), GRID, 1, 1, BLOCK, 1, 1, 0, NULL, arguments, NULL));
	array_print(y, COUNT);
}

/* The function of another tool, and not the one that is found first. */
void scene_through_tool(void)
{
	void *library = dlopen(getenv("RECORD_TOOL"), RTLD_NOW);

	for (int i = 0; i < 2; i++)
		launch_by(found_in(library, "cuLaunchKernel"));
}

/* What the loader finds first for a name, by two ways. */
void scene_found_first(void)
{
	launch_by(dlsym(RTLD_DEFAULT, "cuLaunchKernel"));
	launch_by(found_in(dlopen(NULL, RTLD_NOW), "cuLaunchKernel"));
}

/* More handles than the recorder can tell apart: those of other kernels come first. */
void scene_handles(void)
{
	CUdeviceptr x = array_new(COUNT, 1), y = array_new(COUNT, 0);
	void *arguments[] = {&y};

	for (int i = 0; i < 66000; i++)
		must(cuLaunchKernel(function_named("add_bias"), 1, 1, 1, 1, 1, 1, 0, NULL,
				    arguments, NULL));
	launch_axpy(function_named("axpy"), 1, x, y);
	array_print(y, COUNT);
}

/* A version of CUDA that is newer than the recorder, but has the same functions. */
void scene_newer(void)
{
	launch_by(proc_address("cuLaunchKernel", FAKE_FUTURE_VERSION - 10));
}

static void launch_in_future(void *address)
{
	CUdeviceptr x = array_new(COUNT, 1), y = array_new(COUNT, 0);
	float a = 1;
	int count = COUNT;
	void *arguments[] = {&a, &x, &y, &count};
	const struct fake_future_launch given = {function_named("axpy"), GRID, BLOCK, arguments};
	launch_future *launch;

	memcpy(&launch, &address, sizeof(launch));
	must(launch(&given));
	array_print(y, COUNT);
}

/* Functions that take other parameters than those that the recorder knows. */
void scene_future(void)
{
	launch_in_future(proc_address("cuLaunchKernel", FAKE_FUTURE_VERSION));
	launch_in_future(proc_address("cuLaunchKernel", FAKE_FUTURE_VERSION + 10));
}

void scene_future_symbol(void)
{
	void *library = dlopen("libcuda.so.1", RTLD_NOW);

	launch_in_future(found_in(library, "cuLaunchKernel_v9"));
	launch_in_future(found_in(library, "cuLaunchKernel_v9"));
}

void scene_local(void)
{
	void *library = dlopen(getenv("RECORD_LOCAL"), RTLD_NOW | RTLD_LOCAL);
	void *address = found_in(library, "local_finds_its_own");
	int (*function)(void);

	memcpy(&function, &address, sizeof(function));
	printf("%d\n", function());
	address = found_in(library, "cuLaunchKernel");
	memcpy(&function, &address, sizeof(function));
	printf("%d\n", function());
	address = found_in(library, "cuLaunchKernel_v9");
	memcpy(&function, &address, sizeof(function));
	printf("%d\n", function());
	scene_launches();
}

/* The recorder is a library of the program, which may close all that it finds. */
void scene_closed(void)
{
	const char *path = getenv("CUDA_INJECTION64_PATH");
	void *library = path ? dlopen(path, RTLD_NOW | RTLD_NOLOAD) : NULL;

	for (int i = 0; library && i < 2; i++)
		dlclose(library);
	scene_launches();
}

/* ---- streams ---- */

static CUstream new_stream(void)
{
	CUstream stream;

	must(cuStreamCreate(&stream, 0));
	return stream;
}

/* Beside a capture, add_bias is launched three times: after one that began in the first form of the
 * function, during another one, and after that. */
void scene_first_form(void)
{
	CUstream first = new_stream(), second = new_stream();
	CUdeviceptr x = array_new(COUNT, 1), y = array_new(COUNT, 0);
	void *arguments[] = {&y};
	CUfunction function = function_named("axpy"), bias = function_named("add_bias");
	void *begin_address = proc_address("cuStreamBeginCapture", 10000);
	CUresult (*begin)(CUstream);
	CUgraph graph;

	memcpy(&begin, &begin_address, sizeof(begin));
	must(begin(first));
	must(try_axpy(function, 1, x, y, first));
	must(cuStreamEndCapture(first, &graph));
	must(fake_begin_first_form(first));
	must(cuStreamEndCapture(first, &graph));
	must(cuLaunchKernel(bias, 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL));
	must(cuStreamBeginCapture(second, CU_STREAM_CAPTURE_MODE_GLOBAL));
	must(cuLaunchKernel(bias, 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL));
	must(cuStreamEndCapture(second, &graph));
	must(cuLaunchKernel(bias, 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL));
	array_print(y, COUNT);
}

/* The program gives a capture up. */
void scene_destroyed(void)
{
	CUstream stream = new_stream();

	must(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
	must(cuStreamDestroy(stream));
	scene_launches();
}

/* ---- contexts ---- */

static void end_other_context(void)
{
	CUcontext mine, other = fake_context_new();
	CUmodule module;

	must(cuCtxGetCurrent(&mine));
	must(cuCtxSetCurrent(other));
	must(cuModuleLoadData(&module, ".version 9.0\n.target sm_90\n.address_size 64\n"
				       ".visible .entry other() { ret; }\n"));
	must(cuCtxSetCurrent(mine));
	must(cuCtxDestroy(other));
}

static void launch_of(CUfunction function)
{
	CUdeviceptr x = array_new(COUNT, 1), y = array_new(COUNT, 0);

	launch_axpy(function, 1, x, y);
	array_print(y, COUNT);
}

/* Another context ends before a kernel of this one is launched. */
void scene_contexts(void)
{
	must(cuModuleLoadData(&program_module, ".version 9.0\n.target sm_90\n.address_size 64\n"
					       ".visible .entry axpy() { ret; }\n"));
	end_other_context();
	launch_of(function_named("axpy"));
}

/* A library outlives every context. */
void scene_library_stays(void)
{
	CUlibrary library;
	CUcontext context;
	CUkernel kernel;

	must(cuLibraryLoadData(&library,
			       ".version 9.0\n.target sm_90\n.address_size 64\n"
			       ".visible .entry axpy() { ret; }\n",
			       NULL, NULL, 0, NULL, NULL, 0));
	end_other_context();
	must(cuDevicePrimaryCtxRelease(0));
	must(cuDevicePrimaryCtxRetain(&context, 0));
	must(cuDevicePrimaryCtxReset(0));
	must(cuDevicePrimaryCtxRetain(&context, 0));
	must(cuCtxSetCurrent(context));
	must(cuLibraryGetKernel(&kernel, library, "axpy"));
	launch_of((CUfunction)(void *)kernel);
}
