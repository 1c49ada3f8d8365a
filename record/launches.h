/* launches: a launch as the program asks the driver for it, whatever function it calls. Internal to
 * record/. */
#ifndef RECORD_LAUNCHES_H
#define RECORD_LAUNCHES_H

#include "capture/capture.h"
#include "record/driver.h"

struct launch_call {
	const char *api;      /* "cuLaunchKernelEx" */
	const void *function; /* CUfunction or CUkernel */
	CUstream stream;
	bool per_thread;              /* stream 0 is that of the thread */
	void **parameters, **extra;   /* as in cuLaunchKernel() */
	struct capture_launch launch; /* without what only the function knows */
	/* Attributes that a replay does not have, as phrases. */
	struct string_list lost;
};

/* Whether the callback is about a launch of a kernel. Then sets *out, which the caller releases. */
bool launch_call_decode(struct launch_call *out, CUpti_CallbackId id,
			const CUpti_CallbackData *data);
/* The handle of the kernel alone; NULL: the callback is not about a launch of a kernel. */
const void *launch_call_function(CUpti_CallbackId id, const CUpti_CallbackData *data);
void launch_call_release(struct launch_call *call);

/* What a handle of a kernel stands for. */
struct launched_function {
	CUfunction function;
	CUmodule module;
	CUlibrary library; /* NULL: the function is not of a library */
	const char *name;  /* mangled; belongs to the driver */
};

/* Loads the code of the kernel if that has not happened. PL_EDEVICE. */
int launched_function_find(struct launched_function *out, const void *handle, struct error *err);

/* The name of the kernel that a handle stands for, without loading its code; NULL: not known. */
const char *launched_function_name(const void *handle);

/* The parameters of a call: their bytes as the kernel gets them, with offsets and sizes. They
 * become part of *info. PL_EDEVICE; PL_EUSAGE: the call has none though the kernel takes some. */
int launch_parameters_read(struct capture_info *info, const struct launched_function *function,
			   const struct launch_call *call, struct error *err);

#endif
