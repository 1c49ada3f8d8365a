/* Modules, libraries, functions and launches of the fake driver. See fake_cuda.h. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/record/fake_cuda.h"

#define IMAGE_MOST_BYTES ((size_t)1 << 20)
#define PARAMETERS_MOST 5

/* ---- code ---- */

/* Whatever a program loads, its machine code is the file that $FAKE_CUDA_IMAGE names. */
void fake_module_announce(CUmodule module)
{
	const char *path = getenv("FAKE_CUDA_IMAGE");
	FILE *file;
	char *image;
	size_t bytes;

	if (module->announced || !fake_listening->loaded)
		return;
	file = path ? fopen(path, "rb") : NULL;
	image = malloc(IMAGE_MOST_BYTES);
	if (!file || !image)
		abort();
	bytes = fread(image, 1, IMAGE_MOST_BYTES, file);
	fclose(file);
	module->announced = true;
	fake_listening->loaded(image, bytes);
	free(image);
}

static CUresult load_module(CUmodule *module, struct fake_call *call)
{
	fake_enter(call);
	*module = calloc(1, sizeof(**module));
	if (!*module)
		abort();
	fake_module_announce(*module);
	return fake_exit(call, CUDA_SUCCESS);
}

CUresult CUDAAPI cuModuleLoadData(CUmodule *module, const void *image)
{
	const cuModuleLoadData_params parameters = {module, image};
	struct fake_call call = {.id = CUPTI_DRIVER_TRACE_CBID_cuModuleLoadData,
				 .name = "cuModuleLoadData",
				 .parameters = &parameters};

	return load_module(module, &call);
}

CUresult CUDAAPI cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned count,
				    CUjit_option *options, void **values)
{
	const cuModuleLoadDataEx_params parameters = {module, image, count, options, values};
	struct fake_call call = {.id = CUPTI_DRIVER_TRACE_CBID_cuModuleLoadDataEx,
				 .name = "cuModuleLoadDataEx",
				 .parameters = &parameters};

	return load_module(module, &call);
}

CUresult CUDAAPI cuModuleLoadFatBinary(CUmodule *module, const void *image)
{
	const cuModuleLoadFatBinary_params parameters = {module, image};
	struct fake_call call = {.id = CUPTI_DRIVER_TRACE_CBID_cuModuleLoadFatBinary,
				 .name = "cuModuleLoadFatBinary",
				 .parameters = &parameters};

	return load_module(module, &call);
}

CUresult CUDAAPI cuModuleGetGlobal(CUdeviceptr *address, size_t *bytes, CUmodule module,
				   const char *name)
{
	(void)module;
	if (strcmp(name, FAKE_BIAS_NAME) != 0)
		return CUDA_ERROR_NOT_FOUND;
	*address = (CUdeviceptr)(uintptr_t)&fake_bias;
	*bytes = sizeof(fake_bias);
	return CUDA_SUCCESS;
}

CUresult CUDAAPI cuLibraryLoadData(CUlibrary *library, const void *code,
				   CUjit_option *compiler_options, void **compiler_values,
				   unsigned compiler_count, CUlibraryOption *options, void **values,
				   unsigned count)
{
	const cuLibraryLoadData_params parameters = {
		library,        code,    compiler_options, compiler_values,
		compiler_count, options, values,           count};
	struct fake_call call = {.id = CUPTI_DRIVER_TRACE_CBID_cuLibraryLoadData,
				 .name = "cuLibraryLoadData",
				 .parameters = &parameters};

	fake_enter(&call);
	*library = calloc(1, sizeof(**library));
	if (!*library)
		abort();
	return fake_exit(&call, CUDA_SUCCESS);
}

CUresult CUDAAPI cuLibraryGetModule(CUmodule *module, CUlibrary library)
{
	fake_module_announce(&library->module);
	*module = &library->module;
	return CUDA_SUCCESS;
}

/* ---- functions ---- */

/* The latest handle whose module was unloaded; the next function gets it. */
static CUfunction unloaded;
static CUfunction latest_function;

CUresult CUDAAPI cuModuleUnload(CUmodule module)
{
	const cuModuleUnload_params parameters = {module};
	struct fake_call call = {.id = CUPTI_DRIVER_TRACE_CBID_cuModuleUnload,
				 .name = "cuModuleUnload",
				 .parameters = &parameters};

	fake_enter(&call);
	if (fake_listening->unloading)
		fake_listening->unloading();
	if (latest_function && latest_function->module == module)
		unloaded = latest_function;
	return fake_exit(&call, CUDA_SUCCESS);
}

static void function_init(CUfunction function, const struct fake_kernel *kernel, CUmodule module)
{
	*function = (struct CUfunc_st){FAKE_FUNCTION, kernel, module};
}

CUresult CUDAAPI cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name)
{
	const struct fake_kernel *kernel = fake_kernel_named(name);

	if (!kernel)
		return CUDA_ERROR_NOT_FOUND;
	*function = unloaded ? unloaded : calloc(1, sizeof(**function));
	if (!*function)
		abort();
	unloaded = NULL;
	function_init(*function, kernel, module);
	latest_function = *function;
	return CUDA_SUCCESS;
}

CUresult CUDAAPI cuLibraryGetKernel(CUkernel *out, CUlibrary library, const char *name)
{
	const struct fake_kernel *kernel = fake_kernel_named(name);

	if (!kernel)
		return CUDA_ERROR_NOT_FOUND;
	*out = calloc(1, sizeof(**out));
	if (!*out)
		abort();
	(*out)->kind = FAKE_KERNEL;
	(*out)->library = library;
	function_init(&(*out)->function, kernel, &library->module);
	return CUDA_SUCCESS;
}

CUresult CUDAAPI cuKernelGetFunction(CUfunction *function, CUkernel kernel)
{
	if (kernel->kind != FAKE_KERNEL)
		return CUDA_ERROR_INVALID_HANDLE;
	fake_module_announce(kernel->function.module);
	*function = &kernel->function;
	return CUDA_SUCCESS;
}

CUresult CUDAAPI cuKernelGetLibrary(CUlibrary *library, CUkernel kernel)
{
	if (kernel->kind != FAKE_KERNEL)
		return CUDA_ERROR_INVALID_HANDLE;
	*library = kernel->library;
	return CUDA_SUCCESS;
}

CUresult CUDAAPI cuLibraryUnload(CUlibrary library)
{
	const cuLibraryUnload_params parameters = {library};
	struct fake_call call = {.id = CUPTI_DRIVER_TRACE_CBID_cuLibraryUnload,
				 .name = "cuLibraryUnload",
				 .parameters = &parameters};

	fake_enter(&call);
	if (fake_listening->unloading)
		fake_listening->unloading();
	return fake_exit(&call, CUDA_SUCCESS);
}

CUresult CUDAAPI cuKernelGetName(const char **name, CUkernel kernel)
{
	if (kernel->kind != FAKE_KERNEL)
		return CUDA_ERROR_INVALID_HANDLE;
	*name = kernel->function.kernel->name;
	return CUDA_SUCCESS;
}

CUresult CUDAAPI cuFuncGetModule(CUmodule *module, CUfunction function)
{
	if (function->kind != FAKE_FUNCTION)
		return CUDA_ERROR_INVALID_HANDLE;
	*module = function->module;
	return CUDA_SUCCESS;
}

CUresult CUDAAPI cuFuncGetName(const char **name, CUfunction function)
{
	if (function->kind != FAKE_FUNCTION)
		return CUDA_ERROR_INVALID_HANDLE;
	*name = function->kernel->name;
	return CUDA_SUCCESS;
}

CUresult CUDAAPI cuFuncGetAttribute(int *value, CUfunction_attribute attribute, CUfunction function)
{
	if (function->kind != FAKE_FUNCTION)
		return CUDA_ERROR_INVALID_HANDLE;
	*value = attribute == CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT ? -1 : 0;
	return CUDA_SUCCESS;
}

static CUresult parameter_info(const struct fake_kernel *kernel, size_t index, size_t *offset,
			       size_t *bytes)
{
	if (index >= kernel->parameter_count)
		return CUDA_ERROR_INVALID_VALUE;
	*offset = kernel->parameters[index].offset;
	*bytes = kernel->parameters[index].bytes;
	return CUDA_SUCCESS;
}

CUresult CUDAAPI cuFuncGetParamInfo(CUfunction function, size_t index, size_t *offset,
				    size_t *bytes)
{
	if (function->kind != FAKE_FUNCTION)
		return CUDA_ERROR_INVALID_HANDLE;
	return parameter_info(function->kernel, index, offset, bytes);
}

/* ---- launches ---- */

/* Programs may pass a CUkernel for a CUfunction. */
static CUfunction launched_handle(CUfunction handle)
{
	CUkernel kernel = (CUkernel)(void *)handle;

	return handle->kind == FAKE_KERNEL ? &kernel->function : handle;
}

static const char *launched_name(CUfunction handle)
{
	return launched_handle(handle)->kernel->name;
}

/* The addresses of the parameters in the packed buffer of `extra`. */
static void unpack(void **arguments, const struct fake_kernel *kernel, void **extra)
{
	char *buffer = NULL;

	for (; *extra != CU_LAUNCH_PARAM_END; extra += 2)
		if (*extra == CU_LAUNCH_PARAM_BUFFER_POINTER)
			buffer = extra[1];
	if (!buffer)
		abort();
	for (size_t i = 0; i < kernel->parameter_count; i++)
		arguments[i] = buffer + kernel->parameters[i].offset;
}

static CUresult launch(CUfunction handle, struct fake_launch *shape, void **extra, CUstream stream)
{
	CUfunction function = launched_handle(handle);
	void *arguments[PARAMETERS_MOST];

	if (!shape->grid[0] || !shape->block[0])
		return CUDA_ERROR_INVALID_VALUE;
	fake_module_announce(function->module);
	if (!shape->arguments) {
		unpack(arguments, function->kernel, extra);
		shape->arguments = arguments;
	}
	return fake_execute(function, shape, stream);
}

CUresult fake_execute(CUfunction function, const struct fake_launch *shape, CUstream stream)
{
	const struct fake_execution execution = {function->kernel->name, *shape, false};

	if (stream && stream->capturing) {
		fake_graph_add(stream->capturing, function, shape);
		return CUDA_SUCCESS;
	}
	function->kernel->run(shape);
	if (fake_listening->executed)
		fake_listening->executed(&execution);
	return CUDA_SUCCESS;
}

static CUresult launch_plain(const cuLaunchKernel_params *given, CUpti_CallbackId id,
			     const char *name)
{
	struct fake_call call = {
		.id = id, .name = name, .parameters = given, .symbol = launched_name(given->f)};
	struct fake_launch shape = {{given->gridDimX, given->gridDimY, given->gridDimZ},
				    {given->blockDimX, given->blockDimY, given->blockDimZ},
				    given->sharedMemBytes,
				    given->kernelParams};

	fake_enter(&call);
	return fake_exit(&call, launch(given->f, &shape, given->extra, given->hStream));
}

CUresult CUDAAPI cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y,
				unsigned grid_z, unsigned block_x, unsigned block_y,
				unsigned block_z, unsigned shared_bytes, CUstream stream,
				void **arguments, void **extra)
{
	const cuLaunchKernel_params parameters = {function, grid_x,    grid_y,  grid_z,
						  block_x,  block_y,   block_z, shared_bytes,
						  stream,   arguments, extra};

	return launch_plain(&parameters, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, "cuLaunchKernel");
}

CUresult CUDAAPI cuLaunchKernel_ptsz(CUfunction function, unsigned grid_x, unsigned grid_y,
				     unsigned grid_z, unsigned block_x, unsigned block_y,
				     unsigned block_z, unsigned shared_bytes, CUstream stream,
				     void **arguments, void **extra)
{
	const cuLaunchKernel_params parameters = {function, grid_x,    grid_y,  grid_z,
						  block_x,  block_y,   block_z, shared_bytes,
						  stream,   arguments, extra};

	return launch_plain(&parameters, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz,
			    "cuLaunchKernel_ptsz");
}

CUresult CUDAAPI cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction function,
				  void **arguments, void **extra)
{
	const cuLaunchKernelEx_params parameters = {config, function, arguments, extra};
	struct fake_call call = {.id = CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx,
				 .name = "cuLaunchKernelEx",
				 .parameters = &parameters,
				 .symbol = launched_name(function)};
	struct fake_launch shape = {{config->gridDimX, config->gridDimY, config->gridDimZ},
				    {config->blockDimX, config->blockDimY, config->blockDimZ},
				    config->sharedMemBytes,
				    arguments};

	fake_enter(&call);
	return fake_exit(&call, launch(function, &shape, extra, config->hStream));
}

CUresult CUDAAPI cuLaunchCooperativeKernel(CUfunction function, unsigned grid_x, unsigned grid_y,
					   unsigned grid_z, unsigned block_x, unsigned block_y,
					   unsigned block_z, unsigned shared_bytes, CUstream stream,
					   void **arguments)
{
	const cuLaunchCooperativeKernel_params parameters = {
		function, grid_x,  grid_y,       grid_z, block_x,
		block_y,  block_z, shared_bytes, stream, arguments};
	struct fake_call call = {.id = CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel,
				 .name = "cuLaunchCooperativeKernel",
				 .parameters = &parameters,
				 .symbol = launched_name(function)};
	struct fake_launch shape = {
		{grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared_bytes, arguments};

	fake_enter(&call);
	return fake_exit(&call, launch(function, &shape, NULL, stream));
}
