/*
 * driver: the CUDA driver API, opened at run time. A machine without a driver
 * can start the worker, which then reports the reason. Internal to
 * harness/workers/cuda.
 */
#ifndef HARNESS_WORKERS_CUDA_DRIVER_H
#define HARNESS_WORKERS_CUDA_DRIVER_H

#include <cuda.h>

#include "base/base.h"

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
/* As cuda_driver_open(), where the caller, and not the user, has set CUDA_VISIBLE_DEVICES to one
 * device. The error names the device. */
int cuda_driver_open_only(struct cuda_driver *driver, const char *device, struct error *err);

/*
 * Converts a result of the driver. Returns 0 for success. Otherwise sets the
 * message "WHAT: NAME (number): text" and returns PL_ENOMEM, PL_ENOENT (no such
 * function), PL_EUNSUPPORTED (the code does not run on this device or driver) or
 * PL_EDEVICE (the context is lost).
 */
int cuda_check(const struct cuda_driver *driver, CUresult result, struct error *err,
	       const char *what);

#endif
