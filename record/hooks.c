/* Stands in for functions of the driver. See hooks.h. */
#include "record/hooks.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <string.h>

static _Atomic(hook_listener *) listening;
/* The driver may call one of these functions for another. */
static _Thread_local bool inside;

/* SYMBOL, name for cuGetProcAddress(), version of CUDA from which the name means it. */
#define HOOK_LIST(X)                                                              \
	X(cuLaunchKernel, "cuLaunchKernel", 4000)                                 \
	X(cuLaunchKernel_ptsz, "cuLaunchKernel", 7000)                            \
	X(cuLaunchKernelEx, "cuLaunchKernelEx", 11060)                            \
	X(cuLaunchKernelEx_ptsz, "cuLaunchKernelEx", 11060)                       \
	X(cuLaunchCooperativeKernel, "cuLaunchCooperativeKernel", 9000)           \
	X(cuLaunchCooperativeKernel_ptsz, "cuLaunchCooperativeKernel", 9000)      \
	X(cuGraphLaunch, "cuGraphLaunch", 10000)                                  \
	X(cuGraphLaunch_ptsz, "cuGraphLaunch", 10000)                             \
	X(cuStreamBeginCapture_v2, "cuStreamBeginCapture", 10010)                 \
	X(cuStreamBeginCapture_v2_ptsz, "cuStreamBeginCapture", 10010)            \
	X(cuStreamBeginCaptureToGraph, "cuStreamBeginCaptureToGraph", 12030)      \
	X(cuStreamBeginCaptureToGraph_ptsz, "cuStreamBeginCaptureToGraph", 12030) \
	X(cuStreamEndCapture, "cuStreamEndCapture", 10000)                        \
	X(cuStreamEndCapture_ptsz, "cuStreamEndCapture", 10000)                   \
	X(cuLibraryLoadData, "cuLibraryLoadData", 12000)                          \
	X(cuLibraryLoadFromFile, "cuLibraryLoadFromFile", 12000)                  \
	X(cuLibraryUnload, "cuLibraryUnload", 12000)                              \
	X(cuModuleLoad, "cuModuleLoad", 2000)                                     \
	X(cuModuleLoadData, "cuModuleLoadData", 2000)                             \
	X(cuModuleLoadDataEx, "cuModuleLoadDataEx", 2010)                         \
	X(cuModuleLoadFatBinary, "cuModuleLoadFatBinary", 2000)                   \
	X(cuModuleUnload, "cuModuleUnload", 2000)                                 \
	X(cuCtxDestroy_v2, "cuCtxDestroy", 4000)                                  \
	X(cuDevicePrimaryCtxRelease_v2, "cuDevicePrimaryCtxRelease", 11000)       \
	X(cuDevicePrimaryCtxReset_v2, "cuDevicePrimaryCtxReset", 11000)

enum hook_index {
#define X(symbol, name, version) HOOK_##symbol,
	HOOK_LIST(X)
#undef X
		HOOK_COUNT
};

/* The driver's functions, from the program's own search for them or from ours. */
static _Atomic(any_function *) driver_functions[HOOK_COUNT];

static any_function *driver_function(enum hook_index index, const char *symbol)
{
	any_function *function =
		atomic_load_explicit(&driver_functions[index], memory_order_relaxed);

	if (!function) {
		function = driver_symbol(symbol);
		atomic_store_explicit(&driver_functions[index], function, memory_order_relaxed);
	}
	return function;
}

/* Returns the listener that has seen it; NULL: none. */
static hook_listener *show_entry(CUpti_CallbackId id, CUpti_CallbackData *data,
				 const void *parameters)
{
	hook_listener *listener = atomic_load_explicit(&listening, memory_order_acquire);

	if (!listener || inside)
		return NULL;
	inside = true;
	data->functionParams = parameters;
	data->callbackSite = CUPTI_API_ENTER;
	listener(id, data);
	return listener;
}

static void show_exit(hook_listener *listener, CUpti_CallbackId id, CUpti_CallbackData *data,
		      CUresult *result)
{
	data->functionReturnValue = result;
	data->callbackSite = CUPTI_API_EXIT;
	listener(id, data);
	inside = false;
}

/* A function that the program finds under the name of the driver's. */
#define HOOK(symbol, declared, ...)                                                              \
	__attribute__((visibility("default"))) CUresult hook_##symbol declared __asm__(#symbol); \
	CUresult hook_##symbol declared                                                          \
	{                                                                                        \
		const symbol##_params given = {__VA_ARGS__};                                     \
		CUpti_CallbackData data = {.functionName = #symbol};                             \
		CUresult(*call) declared =                                                       \
			(CUresult(*) declared)driver_function(HOOK_##symbol, #symbol);           \
		CUresult result;                                                                 \
		hook_listener *listener;                                                         \
                                                                                                 \
		if (!call)                                                                       \
			return CUDA_ERROR_NOT_FOUND;                                             \
		listener = show_entry(CUPTI_DRIVER_TRACE_CBID_##symbol, &data, &given);          \
		result = call(__VA_ARGS__);                                                      \
		if (listener)                                                                    \
			show_exit(listener, CUPTI_DRIVER_TRACE_CBID_##symbol, &data, &result);   \
		return result;                                                                   \
	}

/* A function with a variant for programs whose threads have default streams of their own. */
#define HOOK_OF_STREAMS(symbol, declared, ...) \
	HOOK(symbol, declared, __VA_ARGS__)    \
	HOOK(symbol##_ptsz, declared, __VA_ARGS__)

HOOK_OF_STREAMS(cuLaunchKernel,
		(CUfunction f, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
		 unsigned block_y, unsigned block_z, unsigned shared_bytes, CUstream stream,
		 void **parameters, void **extra),
		f, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes, stream,
		parameters, extra)
HOOK_OF_STREAMS(cuLaunchKernelEx,
		(const CUlaunchConfig *config, CUfunction f, void **parameters, void **extra),
		config, f, parameters, extra)
HOOK_OF_STREAMS(cuLaunchCooperativeKernel,
		(CUfunction f, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
		 unsigned block_y, unsigned block_z, unsigned shared_bytes, CUstream stream,
		 void **parameters),
		f, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes, stream,
		parameters)
HOOK_OF_STREAMS(cuGraphLaunch, (CUgraphExec graph, CUstream stream), graph, stream)
HOOK(cuStreamBeginCapture_v2, (CUstream stream, CUstreamCaptureMode mode), stream, mode)
HOOK(cuStreamBeginCapture_v2_ptsz, (CUstream stream, CUstreamCaptureMode mode), stream, mode)
HOOK_OF_STREAMS(cuStreamBeginCaptureToGraph,
		(CUstream stream, CUgraph graph, const CUgraphNode *nodes,
		 const CUgraphEdgeData *edges, size_t count, CUstreamCaptureMode mode),
		stream, graph, nodes, edges, count, mode)
HOOK_OF_STREAMS(cuStreamEndCapture, (CUstream stream, CUgraph *graph), stream, graph)
HOOK(cuLibraryLoadData,
     (CUlibrary * library, const void *code, CUjit_option *jit, void **jit_values,
      unsigned jit_count, CUlibraryOption *options, void **values, unsigned count),
     library, code, jit, jit_values, jit_count, options, values, count)
HOOK(cuLibraryLoadFromFile,
     (CUlibrary * library, const char *path, CUjit_option *jit, void **jit_values,
      unsigned jit_count, CUlibraryOption *options, void **values, unsigned count),
     library, path, jit, jit_values, jit_count, options, values, count)
HOOK(cuLibraryUnload, (CUlibrary library), library)
HOOK(cuModuleLoad, (CUmodule * module, const char *path), module, path)
HOOK(cuModuleLoadData, (CUmodule * module, const void *image), module, image)
HOOK(cuModuleLoadDataEx,
     (CUmodule * module, const void *image, unsigned count, CUjit_option *options, void **values),
     module, image, count, options, values)
HOOK(cuModuleLoadFatBinary, (CUmodule * module, const void *image), module, image)
HOOK(cuModuleUnload, (CUmodule module), module)
HOOK(cuCtxDestroy_v2, (CUcontext context), context)
HOOK(cuDevicePrimaryCtxRelease_v2, (CUdevice device), device)
HOOK(cuDevicePrimaryCtxReset_v2, (CUdevice device), device)

/* ---- the table ---- */

struct hook {
	const char *symbol, *name;
	int version;
	any_function *function;
};

static const struct hook hooks[HOOK_COUNT] = {
#define X(symbol, name, version) {#symbol, name, version, (any_function *)hook_##symbol},
	HOOK_LIST(X)
#undef X
};

static any_function *stand_in(const struct hook *hook, any_function *found)
{
	/* The program may have found our function, if it asked for any of this name. */
	if (found != hook->function)
		atomic_store_explicit(&driver_functions[hook - hooks], found, memory_order_relaxed);
	return hook->function;
}

any_function *hook_of_symbol(const char *symbol, any_function *found)
{
	for (size_t i = 0; i < HOOK_COUNT; i++)
		if (!strcmp(hooks[i].symbol, symbol))
			return stand_in(&hooks[i], found);
	return found;
}

any_function *hook_of_function(const char *name, int cuda_version, bool per_thread,
			       any_function *found)
{
	const struct hook *plain = NULL, *of_streams = NULL;

	for (size_t i = 0; i < HOOK_COUNT; i++) {
		if (strcmp(hooks[i].name, name) != 0 || cuda_version < hooks[i].version)
			continue;
		if (has_suffix(hooks[i].symbol, "_ptsz"))
			of_streams = &hooks[i];
		else
			plain = &hooks[i];
	}
	if (per_thread && of_streams)
		plain = of_streams;
	return plain ? stand_in(plain, found) : found;
}

bool hooks_are_found(void)
{
	void *program = dlopen(NULL, RTLD_NOW);
	/* With RTLD_DEFAULT, a library that is linked with -Bsymbolic finds itself first. */
	any_function *found = function_at(real_dlsym()(program, "cuLaunchKernel"));

	dlclose(program);
	return found == (any_function *)hook_cuLaunchKernel;
}

void hooks_listen(hook_listener *listener)
{
	atomic_store_explicit(&listening, listener, memory_order_release);
}
