#include "record/driver.h"

#include <dlfcn.h>
#include <string.h>

#include "record/real_symbols.h"

struct record_driver driver;
struct record_cupti cupti;

const struct driver_call driver_calls[DRIVER_CALL_COUNT] = {
#define CALL(symbol, name, version, role, declared, given) \
	{CUPTI_DRIVER_TRACE_CBID_##symbol, #symbol, name, version, role},
#include "record/calls.def"
};

const unsigned char call_roles[CUPTI_DRIVER_TRACE_CBID_SIZE] = {
#define CALL(symbol, name, version, role, declared, given) \
	[CUPTI_DRIVER_TRACE_CBID_##symbol] = role,
#include "record/calls.def"
};

bool call_is_per_thread(CUpti_CallbackId id)
{
	for (size_t i = 0; i < DRIVER_CALL_COUNT; i++)
		if (driver_calls[i].id == id)
			return has_suffix(driver_calls[i].symbol, "_ptsz");
	return false;
}

#define STRINGIFY_EXPANDED(text) #text
#define STRINGIFY(macro) STRINGIFY_EXPANDED(macro)

struct function_place {
	const char *name;
	size_t offset; /* in the struct of all functions of the library */
};

/* Sets the members of *out. Returns the name of a function that the library lacks; NULL: none. */
static const char *find_functions(void *out, const struct function_place *places, size_t count,
				  void *library)
{
	for (size_t i = 0; i < count; i++) {
		void *function = real_dlsym()(library, places[i].name);

		if (!function)
			return places[i].name;
		memcpy((char *)out + places[i].offset, &function, sizeof(function));
	}
	return NULL;
}

int record_driver_open(struct error *err)
{
	/* cuda.h renames functions with macros. The expanded name is the symbol of the library. */
	static const struct function_place places[] = {
#define X(function) {STRINGIFY(function), offsetof(struct record_driver, function)},
		RECORD_DRIVER_LIST(X)
#undef X
	};
	void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
	const char *lacking;

	if (!library)
		return error_set(err, PL_EUNSUPPORTED,
				 "the program has no libcuda.so.1: it does not use the driver of "
				 "NVIDIA, or loads it under another name");
	lacking = find_functions(&driver, places, ARRAY_SIZE(places), library);
	return lacking ? error_set(err, PL_EUNSUPPORTED,
				   "the NVIDIA driver lacks %s: install driver 550 or newer",
				   lacking)
		       : 0;
}

int record_driver_check(CUresult result, struct error *err, const char *what)
{
	const char *name = NULL;

	if (result == CUDA_SUCCESS)
		return 0;
	driver.cuGetErrorName(result, &name);
	return error_set(err, PL_EDEVICE, "%s: %s (%d)", what, name ? name : "unknown error",
			 (int)result);
}

bool record_device_words(struct device_words *out, CUdevice device)
{
	CUuuid uuid;
	size_t length;

	*out = (struct device_words){0};
	if (driver.cuDeviceGetName(out->name, (int)sizeof(out->name) - 1, device) != CUDA_SUCCESS ||
	    driver.cuDeviceGetUuid(&uuid, device) != CUDA_SUCCESS)
		return false;
	length = (size_t)snprintf(out->uuid, sizeof(out->uuid), "GPU-");
	for (size_t i = 0; i < sizeof(uuid.bytes); i++)
		length += (size_t)snprintf(out->uuid + length, sizeof(out->uuid) - length, "%s%02x",
					   i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "",
					   (unsigned)(unsigned char)uuid.bytes[i]);
	driver.cuDeviceGetAttribute(&out->cc_major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR,
				    device);
	driver.cuDeviceGetAttribute(&out->cc_minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR,
				    device);
	return true;
}

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

int record_cupti_open(const char *path, struct error *err)
{
	static const struct function_place places[] = {
#define X(function) {STRINGIFY(function), offsetof(struct record_cupti, function)},
		RECORD_CUPTI_LIST(X)
#undef X
	};
	void *library;
	const char *lacking;

	/* the last function of the list, so all are set */
	if (cupti.cuptiUnsubscribe)
		return 0;
	library = open_cupti(path);
	if (!library)
		return error_set(err, PL_EUNSUPPORTED,
				 "libcupti.so is not found here: install the CUDA toolkit, or set "
				 "LD_LIBRARY_PATH to the folder of libcupti.so");
	lacking = find_functions(&cupti, places, ARRAY_SIZE(places), library);
	return lacking ? error_set(err, PL_EUNSUPPORTED,
				   "libcupti lacks %s: install CUDA 12.4 or newer", lacking)
		       : 0;
}

int record_cupti_check(CUptiResult result, struct error *err, const char *what)
{
	const char *text = NULL;

	if (result == CUPTI_SUCCESS)
		return 0;
	if (result == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED)
		return error_set(err, PL_EUNSUPPORTED,
				 "another tool uses CUPTI in this process: run the program without "
				 "its profiler");
	cupti.cuptiGetResultString(result, &text);
	return error_set(err, PL_EUNSUPPORTED, "%s: %s (%d)", what, text ? text : "unknown error",
			 (int)result);
}

int record_cupti_switch(CUpti_SubscriberHandle subscriber, bool on, struct error *err)
{
	static const CUpti_CallbackId resources[] = {
		CUPTI_CBID_RESOURCE_MODULE_LOADED,
		CUPTI_CBID_RESOURCE_MODULE_UNLOAD_STARTING,
		CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING,
	};
	CUptiResult result = CUPTI_SUCCESS;

	for (size_t i = 0; i < DRIVER_CALL_COUNT && result == CUPTI_SUCCESS; i++)
		if (driver_calls[i].role < CALL_CONTEXT_DESTROY)
			result = cupti.cuptiEnableCallback(
				on, subscriber, CUPTI_CB_DOMAIN_DRIVER_API, driver_calls[i].id);
	for (size_t i = 0; i < ARRAY_SIZE(resources) && result == CUPTI_SUCCESS; i++)
		result = cupti.cuptiEnableCallback(on, subscriber, CUPTI_CB_DOMAIN_RESOURCE,
						   resources[i]);
	return record_cupti_check(result, err, "listening to the driver");
}
