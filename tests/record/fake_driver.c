/* Devices, contexts and errors of the fake driver, and its calls to CUPTI. See fake_cuda.h. */
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/record/fake_cuda.h"

static const struct fake_listener no_listener;
const struct fake_listener *fake_listening = &no_listener;

struct CUctx_st {
	int device;
};

static struct CUctx_st primary_context;
static atomic_int primary_users;
static _Thread_local CUcontext current;

/* ---- CUPTI ---- */

void fake_cuda_listen(const struct fake_listener *listener)
{
	fake_listening = listener ? listener : &no_listener;
}

void fake_enter(struct fake_call *call)
{
	if (fake_listening->called)
		fake_listening->called(call, CUPTI_API_ENTER);
}

CUresult fake_exit(struct fake_call *call, CUresult result)
{
	call->result = result;
	if (fake_listening->called)
		fake_listening->called(call, CUPTI_API_EXIT);
	return result;
}

/* ---- beginning ---- */

/* Loads the library of $CUDA_INJECTION64_PATH, as the real driver does. */
static void inject(void)
{
	const char *path = getenv("CUDA_INJECTION64_PATH");
	void *library;
	void *symbol;
	int (*initialize)(void);

	if (!path)
		return;
	library = dlopen(path, RTLD_NOW);
	if (!library) {
		fprintf(stderr, "%s\n", dlerror());
		abort();
	}
	symbol = dlsym(library, "InitializeInjection");
	memcpy(&initialize, &symbol, sizeof(initialize));
	if (!initialize || !initialize())
		abort();
}

static void begin(void)
{
	fake_memory_add(&fake_bias, sizeof(fake_bias), CU_MEMORYTYPE_DEVICE, false);
	inject();
}

CUresult CUDAAPI cuInit(unsigned flags)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, begin);
	return flags ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

/* As a CUDA of the future may have it: it takes other parameters. */
CUresult CUDAAPI cuLaunchKernel_v9(const struct fake_future_launch *launch)
{
	return cuLaunchKernel(launch->function, launch->grid, 1, 1, launch->block, 1, 1, 0, NULL,
			      launch->arguments, NULL);
}

/* The real driver may give functions of other libraries: of the one that $FAKE_CUDA_FAR names. */
static fake_find_function *find_function(void)
{
	const char *path = getenv("FAKE_CUDA_FAR");
	void *library = path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL, *address;
	fake_find_function *find;
	void (*init)(fake_find_function * near);

	if (!library)
		return cuGetProcAddress_v2;
	address = dlsym(library, "far_init");
	memcpy(&init, &address, sizeof(init));
	address = dlsym(library, "far_find");
	memcpy(&find, &address, sizeof(find));
	init(cuGetProcAddress_v2);
	return find;
}

/* Knows the two kinds of streams, the second form of this function, and the future. */
CUresult CUDAAPI cuGetProcAddress_v2(const char *name, void **out, int version, cuuint64_t flags,
				     CUdriverProcAddressQueryResult *query)
{
	const bool per_thread = flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;
	void (*function)(void) = NULL;

	if (version >= 12000 && !strcmp(name, "cuGetProcAddress"))
		function = (void (*)(void))find_function();
	else if (version >= FAKE_FUTURE_VERSION && !strcmp(name, "cuLaunchKernel"))
		function = (void (*)(void))cuLaunchKernel_v9;
	else if (version >= 10010 && !strcmp(name, "cuStreamBeginCapture"))
		function = (void (*)(void))cuStreamBeginCapture;
	else if (version >= 10000 && !strcmp(name, "cuStreamBeginCapture"))
		function = (void (*)(void))fake_begin_first_form;
	else if (version >= 7000 && !strcmp(name, "cuLaunchKernel"))
		function = per_thread ? (void (*)(void))cuLaunchKernel_ptsz
				      : (void (*)(void))cuLaunchKernel;
	memcpy(out, &function, sizeof(function));
	*query = function ? CU_GET_PROC_ADDRESS_SUCCESS : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
	return function ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

CUresult CUDAAPI cuDriverGetVersion(int *version)
{
	*version = 13000;
	return CUDA_SUCCESS;
}

CUresult CUDAAPI cuGetErrorName(CUresult error, const char **name)
{
	*name = error == CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED
			? "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED"
			: "CUDA_ERROR_OF_THE_TEST";
	return CUDA_SUCCESS;
}

/* ---- devices ---- */

CUresult CUDAAPI cuDeviceGetName(char *name, int room, CUdevice device)
{
	if (device)
		return CUDA_ERROR_INVALID_DEVICE;
	snprintf(name, (size_t)room, "Fake GPU");
	return CUDA_SUCCESS;
}

CUresult CUDAAPI cuDeviceGetUuid(CUuuid *uuid, CUdevice device)
{
	if (device)
		return CUDA_ERROR_INVALID_DEVICE;
	for (size_t i = 0; i < sizeof(uuid->bytes); i++)
		uuid->bytes[i] = (char)(0xa0 + i);
	return CUDA_SUCCESS;
}

CUresult CUDAAPI cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device)
{
	if (device)
		return CUDA_ERROR_INVALID_DEVICE;
	*value = attribute == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR ? 9 : 0;
	return CUDA_SUCCESS;
}

/* ---- contexts ---- */

CUresult CUDAAPI cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device)
{
	if (device)
		return CUDA_ERROR_INVALID_DEVICE;
	primary_users++;
	*context = &primary_context;
	return CUDA_SUCCESS;
}

static void end_context(CUcontext context)
{
	if (fake_listening->context_ending)
		fake_listening->context_ending(context);
}

CUresult CUDAAPI cuDevicePrimaryCtxRelease(CUdevice device)
{
	if (device || !primary_users)
		return CUDA_ERROR_INVALID_CONTEXT;
	if (!--primary_users)
		end_context(&primary_context);
	return CUDA_SUCCESS;
}

CUresult CUDAAPI cuDevicePrimaryCtxReset(CUdevice device)
{
	if (device)
		return CUDA_ERROR_INVALID_DEVICE;
	primary_users = 0;
	end_context(&primary_context);
	return CUDA_SUCCESS;
}

CUresult CUDAAPI cuDevicePrimaryCtxGetState(CUdevice device, unsigned *flags, int *active)
{
	(void)device;
	*flags = 0;
	*active = primary_users > 0;
	return CUDA_SUCCESS;
}

CUcontext fake_context_new(void)
{
	CUcontext context = calloc(1, sizeof(*context));

	if (!context)
		abort();
	return context;
}

CUresult CUDAAPI cuCtxDestroy(CUcontext context)
{
	end_context(context);
	if (current == context)
		current = NULL;
	free(context);
	return CUDA_SUCCESS;
}

CUresult CUDAAPI cuCtxSetCurrent(CUcontext context)
{
	current = context;
	return CUDA_SUCCESS;
}

CUresult CUDAAPI cuCtxGetCurrent(CUcontext *context)
{
	*context = current;
	return CUDA_SUCCESS;
}

CUresult CUDAAPI cuCtxGetDevice(CUdevice *device)
{
	if (!current)
		return CUDA_ERROR_INVALID_CONTEXT;
	*device = current->device;
	return CUDA_SUCCESS;
}

CUresult CUDAAPI cuCtxSynchronize(void)
{
	sigset_t blocked;

	pthread_sigmask(SIG_SETMASK, NULL, &blocked);
	fake_waits_with_signals += !sigismember(&blocked, SIGUSR1);
	if (!current)
		return CUDA_ERROR_INVALID_CONTEXT;
	return fake_capture_invalidate() ? CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED : CUDA_SUCCESS;
}
