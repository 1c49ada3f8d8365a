/* Opens libcuda, converts its results to errors, and opens and describes a CUDA device. */
#include "harness/workers/cuda/device.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "generated/toolkit_version.h"

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
	const char *name = NULL, *text = NULL;

	if (result == CUDA_SUCCESS)
		return 0;
	driver->cuGetErrorName(result, &name);
	driver->cuGetErrorString(result, &text);
	return error_set(err, error_code_of(result), "%s: %s (%d): %s", what,
			 name ? name : "unknown error", (int)result,
			 text ? text : "no description");
}

/* `only`: the caller, and not the user, has set CUDA_VISIBLE_DEVICES to this one device, which the
 * error names. It may be NULL. */
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

#define VISIBLE_DEVICES "CUDA_VISIBLE_DEVICES"

static int64_t attribute(const struct cuda_driver *driver, CUdevice handle, CUdevice_attribute what)
{
	int value = 0;

	return driver->cuDeviceGetAttribute(&value, what, handle) == CUDA_SUCCESS ? value : 0;
}

static void describe_limits(const struct cuda_driver *driver, CUdevice handle,
			    struct device_info *out)
{
	out->cc_major =
		(int)attribute(driver, handle, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
	out->cc_minor =
		(int)attribute(driver, handle, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
	out->sm_count = attribute(driver, handle, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
	out->max_threads_per_sm =
		attribute(driver, handle, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);
	out->max_threads_per_block =
		attribute(driver, handle, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
	out->max_blocks_per_sm =
		attribute(driver, handle, CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR);
	out->registers_per_sm =
		attribute(driver, handle, CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR);
	out->shared_bytes_per_sm =
		attribute(driver, handle, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
	out->shared_bytes_per_block =
		attribute(driver, handle, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
	out->l2_bytes = attribute(driver, handle, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
	out->sm_clock_max_hz = 1000 * attribute(driver, handle, CU_DEVICE_ATTRIBUTE_CLOCK_RATE);
	out->memory_clock_max_hz =
		1000 * attribute(driver, handle, CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE);
	out->memory_bus_bits =
		attribute(driver, handle, CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH);
}

static void format_uuid(char out[48], const char *prefix, const CUuuid *uuid)
{
	const unsigned char *b = (const unsigned char *)uuid->bytes;

	snprintf(out, 48, "%s%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x",
		 prefix, b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11],
		 b[12], b[13], b[14], b[15]);
}

const char *device_slice(const struct device_info *info)
{
	static const char before[] = " MIG ";
	const char *found = strstr(info->name, before);

	return found ? found + strlen(before) : NULL;
}

/* cuDeviceGetUuid_v2 gives the 16 bytes of a slice, and does not say that it is one. The name does,
 * and so does the variable that made CUDA list it. */
static void describe_uuid(struct device_info *info, const CUuuid *uuid)
{
	const char *visible = getenv(VISIBLE_DEVICES);

	format_uuid(info->uuid, NVML_SLICE_PREFIX, uuid);
	if (!device_slice(info) && !(visible && strstr(visible, info->uuid)))
		format_uuid(info->uuid, "GPU-", uuid);
}

int device_describe(const struct cuda_driver *driver, int ordinal, struct device_info *out,
		    char pci_bus_id[32], struct error *err)
{
	struct device_info info = {0};
	CUdevice handle;
	CUuuid uuid;
	size_t memory_bytes = 0;
	int count = 0;
	int version = 0;
	int rc;

	rc = cuda_check(driver, driver->cuDeviceGetCount(&count), err, "cuDeviceGetCount");
	if (rc)
		return rc;
	if (ordinal < 0 || ordinal >= count)
		return error_set(err, PL_EUSAGE,
				 "there is no device %d: this machine has devices 0 to %d", ordinal,
				 count - 1);
	rc = cuda_check(driver, driver->cuDeviceGet(&handle, ordinal), err, "cuDeviceGet");
	if (rc)
		return rc;
	rc = cuda_check(driver, driver->cuDeviceGetName(info.name, sizeof(info.name), handle), err,
			"cuDeviceGetName");
	if (rc)
		return rc;
	if (driver->cuDeviceGetUuid_v2(&uuid, handle) == CUDA_SUCCESS)
		describe_uuid(&info, &uuid);
	if (driver->cuDeviceTotalMem(&memory_bytes, handle) == CUDA_SUCCESS)
		info.memory_bytes = (int64_t)memory_bytes;
	describe_limits(driver, handle, &info);
	if (driver->cuDriverGetVersion(&version) == CUDA_SUCCESS)
		snprintf(info.cuda_driver, sizeof(info.cuda_driver), "%d.%d", version / 1000,
			 version % 1000 / 10);
	snprintf(info.toolkit, sizeof(info.toolkit), "%s", PERFLAB_TOOLKIT_VERSION);
	if (driver->cuDeviceGetPCIBusId(pci_bus_id, 32, handle) != CUDA_SUCCESS)
		pci_bus_id[0] = '\0';
	*out = info;
	return 0;
}

/* Describes a device, which is the only one that the driver shows. Afterwards the environment is as
 * before: programs that verify inherit it. */
static int describe_only(struct device *device, const char *uuid, struct error *err)
{
	const char *set = getenv(VISIBLE_DEVICES);
	char *before = set ? xstrdup(set) : NULL;
	struct error cause = {0};
	int rc;

	setenv(VISIBLE_DEVICES, uuid, 1);
	rc = open_driver(&device->driver, uuid, &cause);
	/* the variable may be all that tells a slice from a GPU */
	if (!rc)
		rc = device_describe(&device->driver, 0, &device->info, device->pci_bus_id, &cause);
	if (before)
		setenv(VISIBLE_DEVICES, before, 1);
	else
		unsetenv(VISIBLE_DEVICES);
	free(before);
	if (rc)
		return error_set(err, PL_EDEVICE, "%s", cause.text);
	if (strcmp(device->info.uuid, uuid) != 0)
		return error_set(err, PL_EDEVICE, "the driver shows device %s instead of %s",
				 device->info.uuid, uuid);
	return 0;
}

int device_open_driver(struct device *device, int ordinal, const char *uuid, struct error *err)
{
	const struct cuda_driver *driver = &device->driver;
	int rc;

	memset(device, 0, sizeof(*device));
	if (uuid) {
		ordinal = 0;
		rc = describe_only(device, uuid, err);
	} else {
		rc = cuda_driver_open(&device->driver, err);
		if (!rc)
			rc = device_describe(&device->driver, ordinal, &device->info,
					     device->pci_bus_id, err);
	}
	if (rc)
		return rc;
	rc = cuda_check(driver, driver->cuDeviceGet(&device->handle, ordinal), err, "cuDeviceGet");
	if (rc)
		return rc;
	if (nvml_open(&device->nvml, device->pci_bus_id, device->info.uuid, &device->nvml_reason) ==
	    0)
		nvml_driver_version(device->nvml, device->info.driver);
	return 0;
}

int device_open_context(struct device *device, struct error *err)
{
	const struct cuda_driver *driver = &device->driver;
	int rc;

	/* Before this process has a context: in a container, NVML may name it by another number. */
	device->other_processes = nvml_other_processes(device->nvml);
	/* A blocking wait instead of spinning adds tens of microseconds to every batch of samples.
	 */
	driver->cuDevicePrimaryCtxSetFlags(device->handle, CU_CTX_SCHED_SPIN);
	rc = cuda_check(driver, driver->cuDevicePrimaryCtxRetain(&device->context, device->handle),
			err, "creating a CUDA context");
	if (rc)
		return rc;
	rc = cuda_check(driver, driver->cuCtxSetCurrent(device->context), err, "cuCtxSetCurrent");
	if (rc)
		return rc;
	/* A blocking stream, so that synchronous copies, which use the default stream, stay in
	 * order with its work. */
	return cuda_check(driver, driver->cuStreamCreate(&device->stream, CU_STREAM_DEFAULT), err,
			  "cuStreamCreate");
}

int device_open(struct device *device, int ordinal, const char *uuid, struct error *err)
{
	int rc = device_open_driver(device, ordinal, uuid, err);

	return rc ? rc : device_open_context(device, err);
}

int device_warp_size(const struct device *device)
{
	return (int)attribute(&device->driver, device->handle, CU_DEVICE_ATTRIBUTE_WARP_SIZE);
}

void device_close(struct device *device)
{
	if (device->stream)
		device->driver.cuStreamDestroy(device->stream);
	if (device->context)
		device->driver.cuDevicePrimaryCtxRelease(device->handle);
	nvml_close(device->nvml);
	memset(device, 0, sizeof(*device));
}

int device_synchronise(const struct device *device, struct error *err, const char *what)
{
	return cuda_check(&device->driver, device->driver.cuStreamSynchronize(device->stream), err,
			  what);
}
