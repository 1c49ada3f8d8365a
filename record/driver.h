/*
 * driver: the functions of libcuda and CUPTI that the recorder calls, and those
 * of libcuda that it follows (calls.def). The program has loaded libcuda; the
 * recorder only looks its functions up. Internal to record/.
 */
#ifndef RECORD_DRIVER_H
#define RECORD_DRIVER_H

#include <cuda.h>
#include <cupti.h>

#include "base/base.h"

/* cuda.h gives the name of the first form to the second one, and the first one has no other. */
#undef cuStreamBeginCapture

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

extern struct record_driver driver;

/* Sets `driver`. PL_EUNSUPPORTED: no libcuda is loaded, or it is too old. */
int record_driver_open(struct error *err);
/* 0, or PL_EDEVICE with `what` and the driver's name of the error. */
int record_driver_check(CUresult result, struct error *err, const char *what);

struct device_words {
	char name[256];
	char uuid[48]; /* "GPU-…", of a slice (MIG) "MIG-…" */
	int cc_major, cc_minor;
};

/* False: there is no such device. */
bool record_device_words(struct device_words *out, CUdevice device);

/* ---- CUPTI ---- */

#define RECORD_CUPTI_LIST(X)                 \
	X(cuptiActivityEnable)               \
	X(cuptiActivityFlushAll)             \
	X(cuptiActivityGetNextRecord)        \
	X(cuptiActivityGetNumDroppedRecords) \
	X(cuptiActivityRegisterCallbacks)    \
	X(cuptiEnableCallback)               \
	X(cuptiGetResultString)              \
	X(cuptiSubscribe)                    \
	X(cuptiUnsubscribe)

struct record_cupti {
#define X(function) __typeof__(function) *function;
	RECORD_CUPTI_LIST(X)
#undef X
};

extern struct record_cupti cupti;

/* Sets `cupti`, if it is not set. Takes the CUPTI that the program has loaded itself, because two
 * of them disturb each other; else that of `path`, which may be NULL, else what the loader finds.
 * PL_EUNSUPPORTED: there is none. */
int record_cupti_open(const char *path, struct error *err);
/* 0, or PL_EUNSUPPORTED. */
int record_cupti_check(CUptiResult result, struct error *err, const char *what);
/* Makes CUPTI show what a recording needs: the calls of calls.def, and what happens to modules and
 * contexts; or no longer. PL_EUNSUPPORTED. */
int record_cupti_switch(CUpti_SubscriberHandle subscriber, bool on, struct error *err);

/* ---- the functions of the driver that the recorder follows ---- */

enum call_role {
	CALL_OTHER, /* not in the table */
	CALL_LAUNCH,
	CALL_LAUNCH_EX,
	CALL_LAUNCH_COOPERATIVE,
	CALL_GRAPH_LAUNCH,
	CALL_CAPTURE_BEGIN, /* of a stream, into a graph */
	CALL_CAPTURE_END,
	CALL_STREAM_DESTROY,
	CALL_MODULE_IMAGE, /* loads a module from memory */
	CALL_MODULE_FILE,
	CALL_LIBRARY_IMAGE,
	CALL_LIBRARY_FILE,
	CALL_UNLOAD,
	CALL_CONTEXT_DESTROY, /* CUPTI has events for this and what follows */
	CALL_PRIMARY_RELEASE,
	CALL_PRIMARY_RESET,
};

struct driver_call {
	CUpti_CallbackId id;
	const char *symbol; /* in libcuda */
	const char *name;   /* for cuGetProcAddress() */
	int version;        /* of CUDA, from which on the name means the symbol: 12030 */
	enum call_role role;
};

enum driver_call_index {
#define CALL(symbol, name, version, role, declared, given) DRIVER_CALL_##symbol,
#include "record/calls.def"
	DRIVER_CALL_COUNT
};

/* By enum driver_call_index. */
extern const struct driver_call driver_calls[DRIVER_CALL_COUNT];

/* The roles by callback. */
extern const unsigned char call_roles[CUPTI_DRIVER_TRACE_CBID_SIZE];

/* On the path of every launch, as what follows. */
static inline enum call_role call_role_of(CUpti_CallbackId id)
{
	return id < CUPTI_DRIVER_TRACE_CBID_SIZE ? (enum call_role)call_roles[id] : CALL_OTHER;
}

static inline bool call_concerns_captures(enum call_role role)
{
	return role >= CALL_CAPTURE_BEGIN && role <= CALL_STREAM_DESTROY;
}

/* Whether a call launches a kernel; the launch of a graph does not count. */
static inline bool call_launches(enum call_role role)
{
	return role >= CALL_LAUNCH && role <= CALL_LAUNCH_COOPERATIVE;
}

static inline bool call_loads_code(enum call_role role)
{
	return role >= CALL_MODULE_IMAGE && role <= CALL_LIBRARY_FILE;
}

/* Whether stream 0 of the call is that of the thread. */
bool call_is_per_thread(CUpti_CallbackId id);

#endif
