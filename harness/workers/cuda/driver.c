/* Opens libcuda and converts its results to errors. */
#include "harness/workers/cuda/driver.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#define STRINGIFY_EXPANDED(text) #text
#define STRINGIFY(macro) STRINGIFY_EXPANDED(macro)

struct driver_symbol {
	const char *name;
	size_t offset;
};

/* cuda.h renames functions with macros (cuMemAlloc is cuMemAlloc_v2). The expanded name is the
 * symbol of the library. */
static const struct driver_symbol driver_symbols[] = {
#define X(function) {STRINGIFY(function), offsetof(struct cuda_driver, function)},
	CUDA_DRIVER_LIST(X)
#undef X
};

static int open_libcuda(struct cuda_driver *driver, struct error *err)
{
	static const char *const names[] = {"libcuda.so.1", "/usr/local/nvidia/lib64/libcuda.so.1",
					    "/usr/lib/wsl/lib/libcuda.so.1"};

	for (size_t i = 0; i < ARRAY_SIZE(names) && !driver->library; i++)
		driver->library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
	if (!driver->library)
		return error_set(
			err, PL_EUNSUPPORTED,
			"no NVIDIA driver here (libcuda.so.1 not found): install the driver, "
			"or run on a machine with a GPU");
	for (size_t i = 0; i < ARRAY_SIZE(driver_symbols); i++) {
		void *symbol = dlsym(driver->library, driver_symbols[i].name);

		if (!symbol)
			return error_set(err, PL_EUNSUPPORTED,
					 "the NVIDIA driver lacks %s: install driver 580 or newer",
					 driver_symbols[i].name);
		memcpy((char *)driver + driver_symbols[i].offset, &symbol, sizeof(symbol));
	}
	return 0;
}

/* These errors leave the context usable, because the driver refuses the call before it reaches the
 * device. */
static int error_code_of(CUresult result)
{
	switch (result) {
	case CUDA_ERROR_OUT_OF_MEMORY:
		return PL_ENOMEM;
	case CUDA_ERROR_NOT_FOUND:
		return PL_ENOENT;
	case CUDA_ERROR_NO_BINARY_FOR_GPU:
	case CUDA_ERROR_INVALID_PTX:
	case CUDA_ERROR_UNSUPPORTED_PTX_VERSION:
	case CUDA_ERROR_JIT_COMPILER_NOT_FOUND:
		return PL_EUNSUPPORTED;
	default:
		return PL_EDEVICE;
	}
}

int cuda_check(const struct cuda_driver *driver, CUresult result, struct error *err,
	       const char *what)
{
	const char *name = NULL;
	const char *text = NULL;

	if (result == CUDA_SUCCESS)
		return 0;
	driver->cuGetErrorName(result, &name);
	driver->cuGetErrorString(result, &text);
	return error_set(err, error_code_of(result), "%s: %s (%d): %s", what,
			 name ? name : "unknown error", (int)result,
			 text ? text : "no description");
}

/* `only` may be NULL. */
static int open_driver(struct cuda_driver *driver, const char *only, struct error *err)
{
	CUresult result;
	int devices = 0;
	int rc;

	memset(driver, 0, sizeof(*driver));
	rc = open_libcuda(driver, err);
	if (rc)
		return rc;
	result = driver->cuInit(0);
	if (result == CUDA_SUCCESS)
		result = driver->cuDeviceGetCount(&devices);
	if (result == CUDA_ERROR_NO_DEVICE || (result == CUDA_SUCCESS && devices == 0)) {
		if (only)
			return error_set(err, PL_EUNSUPPORTED,
					 "the NVIDIA driver shows no device \"%s\": compare with "
					 "perflab list devices and nvidia-smi -L",
					 only);
		return error_set(err, PL_EUNSUPPORTED,
				 "the NVIDIA driver finds no CUDA device: check the output of "
				 "nvidia-smi, and CUDA_VISIBLE_DEVICES");
	}
	if (result != CUDA_SUCCESS) {
		const char *visible = getenv("CUDA_VISIBLE_DEVICES");
		struct error cause = {0};

		cuda_check(driver, result, &cause, "cuInit");
		if (result == CUDA_ERROR_INVALID_DEVICE && visible)
			return error_set(
				err, PL_EUNSUPPORTED,
				"the NVIDIA driver refuses CUDA_VISIBLE_DEVICES=\"%s\" (%s): "
				"name each GPU once, as nvidia-smi -L lists them",
				visible, cause.text);
		return error_set(
			err, PL_EUNSUPPORTED,
			"the NVIDIA driver does not start (%s): check the output of nvidia-smi, "
			"and that libcuda and the kernel module have the same version",
			cause.text);
	}
	return 0;
}

int cuda_driver_open(struct cuda_driver *driver, struct error *err)
{
	return open_driver(driver, NULL, err);
}

int cuda_driver_open_only(struct cuda_driver *driver, const char *device, struct error *err)
{
	return open_driver(driver, device, err);
}
