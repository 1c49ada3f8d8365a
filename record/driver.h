/*
 * driver: the functions of libcuda that the recorder calls. The program has
 * loaded the library; the recorder only looks its functions up. Internal to
 * record/.
 */
#ifndef RECORD_DRIVER_H
#define RECORD_DRIVER_H

#include <cuda.h>

#include "base/base.h"

#define RECORD_DRIVER_LIST(X)          \
	X(cuCtxGetCurrent)             \
	X(cuCtxGetDevice)              \
	X(cuCtxSetCurrent)             \
	X(cuCtxSynchronize)            \
	X(cuDeviceGetAttribute)        \
	X(cuDeviceGetName)             \
	X(cuDeviceGetUuid)             \
	X(cuDevicePrimaryCtxGetState)  \
	X(cuDevicePrimaryCtxRelease)   \
	X(cuDevicePrimaryCtxRetain)    \
	X(cuDriverGetVersion)          \
	X(cuFuncGetAttribute)          \
	X(cuFuncGetModule)             \
	X(cuFuncGetName)               \
	X(cuFuncGetParamInfo)          \
	X(cuGetErrorName)              \
	X(cuKernelGetFunction)         \
	X(cuKernelGetLibrary)          \
	X(cuKernelGetName)             \
	X(cuLibraryGetModule)          \
	X(cuLibraryLoadData)           \
	X(cuLibraryUnload)             \
	X(cuMemcpyDtoH)                \
	X(cuMemRelease)                \
	X(cuMemRetainAllocationHandle) \
	X(cuModuleGetGlobal)           \
	X(cuPointerGetAttributes)      \
	X(cuStreamIsCapturing)         \
	X(cuThreadExchangeStreamCaptureMode)

struct record_driver {
#define X(function) __typeof__(function) *function;
	RECORD_DRIVER_LIST(X)
#undef X
};

/* PL_EUNSUPPORTED: no libcuda is loaded, or it is too old. */
int record_driver_open(struct record_driver *out, struct error *err);
/* 0, or PL_EDEVICE with `what` and the driver's name of the error. */
int record_driver_check(const struct record_driver *driver, CUresult result, struct error *err,
			const char *what);

#endif
