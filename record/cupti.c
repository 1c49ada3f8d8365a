/* Opens CUPTI. See cupti.h. */
#include "record/cupti.h"

#include <dlfcn.h>
#include <string.h>

#include "record/calls.h"

#define STRINGIFY_EXPANDED(text) #text
#define STRINGIFY(macro) STRINGIFY_EXPANDED(macro)

struct cupti_function {
	const char *name;
	size_t offset;
};

static const struct cupti_function cupti_functions[] = {
#define X(function) {STRINGIFY(function), offsetof(struct record_cupti, function)},
	RECORD_CUPTI_LIST(X)
#undef X
};

static void *open_cupti(const char *path)
{
	static const char *const names[] = {"libcupti.so.13", "libcupti.so.12", "libcupti.so"};
	void *library = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(names) && !library; i++)
		library = dlopen(names[i], RTLD_NOW | RTLD_NOLOAD);
	if (!library && path)
		library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	for (size_t i = 0; i < ARRAY_SIZE(names) && !library; i++)
		library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
	return library;
}

int record_cupti_open(struct record_cupti *out, const char *path, struct error *err)
{
	void *library = open_cupti(path);

	if (!library)
		return error_set(err, PL_EUNSUPPORTED,
				 "libcupti.so is not found here: install the CUDA toolkit, or set "
				 "LD_LIBRARY_PATH to the folder of libcupti.so");
	for (size_t i = 0; i < ARRAY_SIZE(cupti_functions); i++) {
		void *function = dlsym(library, cupti_functions[i].name);

		if (!function)
			return error_set(err, PL_EUNSUPPORTED,
					 "libcupti lacks %s: install CUDA 12.4 or newer",
					 cupti_functions[i].name);
		memcpy((char *)out + cupti_functions[i].offset, &function, sizeof(function));
	}
	return 0;
}

int record_cupti_check(const struct record_cupti *cupti, CUptiResult result, struct error *err,
		       const char *what)
{
	const char *text = NULL;

	if (result == CUPTI_SUCCESS)
		return 0;
	if (result == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED)
		return error_set(err, PL_EUNSUPPORTED,
				 "another tool uses CUPTI in this process: run the program without "
				 "its profiler");
	cupti->cuptiGetResultString(result, &text);
	return error_set(err, PL_EUNSUPPORTED, "%s: %s (%d)", what, text ? text : "unknown error",
			 (int)result);
}

int record_cupti_switch(const struct record_cupti *cupti, CUpti_SubscriberHandle subscriber,
			bool on, struct error *err)
{
	static const CUpti_CallbackId resources[] = {
		CUPTI_CBID_RESOURCE_MODULE_LOADED,
		CUPTI_CBID_RESOURCE_MODULE_UNLOAD_STARTING,
		CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING,
	};
	CUptiResult result = CUPTI_SUCCESS;

	for (size_t i = 0; i < DRIVER_CALL_COUNT && result == CUPTI_SUCCESS; i++)
		if (driver_calls[i].role < CALL_CONTEXT_DESTROY)
			result = cupti->cuptiEnableCallback(
				on, subscriber, CUPTI_CB_DOMAIN_DRIVER_API, driver_calls[i].id);
	for (size_t i = 0; i < ARRAY_SIZE(resources) && result == CUPTI_SUCCESS; i++)
		result = cupti->cuptiEnableCallback(on, subscriber, CUPTI_CB_DOMAIN_RESOURCE,
						    resources[i]);
	return record_cupti_check(cupti, result, err, "listening to the driver");
}
