/*
 * device: the CUDA driver API, NVML, and an open device with its primary context, stream and
 * description. The libraries are opened at run time, so a machine without a driver can start
 * the worker, which then reports the reason. Internal to harness/workers/cuda.
 */
#ifndef HARNESS_WORKERS_CUDA_DEVICE_H
#define HARNESS_WORKERS_CUDA_DEVICE_H

#include "base/base.h"
#include "metrics/metrics.h"
#include <cuda.h>
#include <sys/types.h>

/* Every driver function that the worker calls. cuda.h maps the names to its ABI versions. */
#define CUDA_DRIVER_LIST(X)                            \
	X(cuInit)                                      \
	X(cuDriverGetVersion)                          \
	X(cuGetErrorString)                            \
	X(cuGetErrorName)                              \
	X(cuDeviceGetCount)                            \
	X(cuDeviceGet)                                 \
	X(cuDeviceGetName)                             \
	X(cuDeviceGetUuid_v2)                          \
	X(cuDeviceGetAttribute)                        \
	X(cuDeviceTotalMem)                            \
	X(cuDeviceGetPCIBusId)                         \
	X(cuDevicePrimaryCtxRetain)                    \
	X(cuDevicePrimaryCtxRelease)                   \
	X(cuDevicePrimaryCtxSetFlags)                  \
	X(cuCtxSetCurrent)                             \
	X(cuCtxResetPersistingL2Cache)                 \
	X(cuStreamCreate)                              \
	X(cuStreamDestroy)                             \
	X(cuStreamSynchronize)                         \
	X(cuStreamWaitValue32)                         \
	X(cuStreamBeginCapture)                        \
	X(cuStreamEndCapture)                          \
	X(cuGraphInstantiate)                          \
	X(cuGraphLaunch)                               \
	X(cuGraphExecDestroy)                          \
	X(cuGraphDestroy)                              \
	X(cuEventCreate)                               \
	X(cuEventDestroy)                              \
	X(cuEventRecord)                               \
	X(cuEventSynchronize)                          \
	X(cuEventElapsedTime)                          \
	X(cuModuleLoadDataEx)                          \
	X(cuModuleUnload)                              \
	X(cuModuleGetFunction)                         \
	X(cuFuncGetAttribute)                          \
	X(cuFuncSetAttribute)                          \
	X(cuOccupancyMaxActiveBlocksPerMultiprocessor) \
	X(cuLaunchKernel)                              \
	X(cuLaunchKernelEx)                            \
	X(cuModuleGetGlobal)                           \
	X(cuTensorMapEncodeTiled)                      \
	X(cuTensorMapEncodeIm2col)                     \
	X(cuMemAlloc)                                  \
	X(cuMemFree)                                   \
	X(cuMemAllocManaged)                           \
	X(cuMemGetAllocationGranularity)               \
	X(cuMemAddressReserve)                         \
	X(cuMemAddressFree)                            \
	X(cuMemCreate)                                 \
	X(cuMemRelease)                                \
	X(cuMemMap)                                    \
	X(cuMemUnmap)                                  \
	X(cuMemSetAccess)                              \
	X(cuMemcpyAsync)                               \
	X(cuMemHostAlloc)                              \
	X(cuMemFreeHost)                               \
	X(cuMemHostGetDevicePointer)                   \
	X(cuMemcpyHtoD)                                \
	X(cuMemcpyHtoDAsync)                           \
	X(cuMemcpyDtoH)                                \
	X(cuMemcpyDtoDAsync)                           \
	X(cuMemsetD8Async)

struct cuda_driver {
	void *library;
#define X(function) __typeof__(function) *function;
	CUDA_DRIVER_LIST(X)
#undef X
};

/* Opens libcuda and calls cuInit. Returns PL_EUNSUPPORTED, with cause and remedy, if there is no
 * driver or no device. */
int cuda_driver_open(struct cuda_driver *driver, struct error *err);

/*
 * Converts a result of the driver. Returns 0 for success. Otherwise sets the
 * message "WHAT: NAME (number): text" and returns PL_ENOMEM, PL_ENOENT (no such
 * function), PL_EUNSUPPORTED (the code does not run on this device or driver) or
 * PL_EDEVICE (the context is lost).
 */
int cuda_check(const struct cuda_driver *driver, CUresult result, struct error *err,
	       const char *what);

/*
 * ---- NVML: nvml.c ----
 *
 * NVML is optional: without it, the state of the device is "not measured". nvml.c declares NVML's
 * ABI, because not every toolkit has its header; the constants come from the NVML API reference.
 */

struct nvml;
/* Begins the UUID of a slice of a GPU (MIG). */
#define NVML_SLICE_PREFIX "MIG-"
/*
 * Opens NVML for the device with a PCI bus id ("0000:3b:00.0") and a UUID. Returns PL_EUNSUPPORTED
 * with the reason if NVML is not available. A slice has the clocks, the temperature and the
 * throttling of its GPU, and processes of its own. Its power is not known: the GPU knows only that
 * of all slices together.
 */
int nvml_open(struct nvml **out, const char *pci_bus_id, const char *uuid, struct error *err);
void nvml_close(struct nvml *nvml); /* nvml may be NULL */
/* Returns NAN or -1 for a value that cannot be read, and for all values if nvml is NULL. */
struct device_state nvml_device_state(const struct nvml *nvml);
/* Writes the driver version, "580.159.04". Returns false if it is unknown. */
bool nvml_driver_version(const struct nvml *nvml, char out[32]);
/* The number of processes that compute on the device, without this one and other workers of its
 * perflab. -1: not known. */
int nvml_other_processes(const struct nvml *nvml);
/* Lists the ids of these processes, and returns how many there are; -1: not known. */
#define NVML_MOST_PROCESSES 64
int nvml_list_others(const struct nvml *nvml, pid_t out[NVML_MOST_PROCESSES]);
/* Adds persistence mode, power limit, ECC and MIG to the environment. */
void nvml_environment(const struct nvml *nvml, struct key_value_list *environment);

struct device {
	struct cuda_driver driver;
	CUdevice handle;
	CUcontext context; /* the primary context, current in the worker's main thread */
	CUstream stream;
	struct device_info info;
	char pci_bus_id[32];
	struct nvml *nvml; /* NULL: not available, see nvml_reason */
	struct error nvml_reason;
	int other_processes; /* that computed on the device when it was opened; -1: not known */
};

/* Describes device `ordinal` of an open driver. Creates no context. Returns PL_EUSAGE if there is
 * no such ordinal. */
int device_describe(const struct cuda_driver *driver, int ordinal, struct device_info *out,
		    char pci_bus_id[32], struct error *err);
/* The profile of a slice of a GPU (MIG), "1g.18gb"; NULL: it is a whole GPU. */
const char *device_slice(const struct device_info *info);
/*
 * Opens the driver and device `ordinal`. Returns PL_EUNSUPPORTED if there is no driver or device,
 * PL_EUSAGE if there is no such ordinal. After an error, the caller still calls device_close().
 *
 * With `uuid`, which may be NULL, the driver shows that device alone, so that it initialises no
 * others, which takes time (docs/results/gpus.md). Every failure is PL_EDEVICE then. This process
 * must have one thread, and must not have opened the driver.
 */
int device_open(struct device *device, int ordinal, const char *uuid, struct error *err);
/* The first part of it, which leaves the device as it is: opens and describes. */
int device_open_driver(struct device *device, int ordinal, const char *uuid, struct error *err);
/* The second part: makes the context. */
int device_open_context(struct device *device, struct error *err);
/* Lanes of a warp; 0 when the driver does not say. */
int device_warp_size(const struct device *device);
void device_close(struct device *device);
/* Waits for all queued work. Reports the fault of a kernel; `what` begins the message. */
int device_synchronise(const struct device *device, struct error *err, const char *what);

#endif
