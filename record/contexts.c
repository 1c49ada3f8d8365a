/* Knows the ends of contexts. See contexts.h. */
#include "record/contexts.h"

/* The handle of the primary context, without making one; NULL: there is none. */
static CUcontext primary_context(const struct record_driver *driver, CUdevice device)
{
	CUcontext context = NULL;
	unsigned flags;
	int active = 0;

	if (driver->cuDevicePrimaryCtxGetState(device, &flags, &active) != CUDA_SUCCESS ||
	    !active || driver->cuDevicePrimaryCtxRetain(&context, device) != CUDA_SUCCESS)
		return NULL;
	driver->cuDevicePrimaryCtxRelease(device);
	return context;
}

/* Whether releasing a context ends it shows only afterwards, when the driver does not tell its
 * handle any more. */
static CUcontext released_context(const struct record_driver *driver,
				  const CUpti_CallbackData *data)
{
	static _Thread_local CUcontext released;
	const cuDevicePrimaryCtxRelease_v2_params *given = data->functionParams;
	unsigned flags;
	int active = 1;

	if (data->callbackSite == CUPTI_API_ENTER) {
		released = primary_context(driver, given->dev);
		return NULL;
	}
	driver->cuDevicePrimaryCtxGetState(given->dev, &flags, &active);
	return active ? NULL : released;
}

CUcontext context_ended_by(const struct record_driver *driver, CUpti_CallbackId id,
			   const CUpti_CallbackData *data)
{
	const bool entered = data->callbackSite == CUPTI_API_ENTER;

	switch (call_role_of(id)) {
	case CALL_CONTEXT_DESTROY:
		return entered ? ((const cuCtxDestroy_v2_params *)data->functionParams)->ctx : NULL;
	case CALL_PRIMARY_RESET:
		return entered ? primary_context(driver,
						 ((const cuDevicePrimaryCtxReset_v2_params *)
							  data->functionParams)
							 ->dev)
			       : NULL;
	case CALL_PRIMARY_RELEASE:
		return released_context(driver, data);
	default:
		return NULL;
	}
}
