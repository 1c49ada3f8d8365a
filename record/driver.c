/* Looks up the functions of libcuda. See driver.h. */
#include "record/driver.h"

#include <dlfcn.h>
#include <string.h>

#include "record/real_symbols.h"

#define STRINGIFY_EXPANDED(text) #text
#define STRINGIFY(macro) STRINGIFY_EXPANDED(macro)

struct driver_function {
	const char *name;
	size_t offset;
};

/* cuda.h renames functions with macros. The expanded name is the symbol of the library. */
static const struct driver_function driver_functions[] = {
#define X(function) {STRINGIFY(function), offsetof(struct record_driver, function)},
	RECORD_DRIVER_LIST(X)
#undef X
};

int record_driver_open(struct record_driver *out, struct error *err)
{
	void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);

	if (!library)
		return error_set(err, PL_EUNSUPPORTED,
				 "the program has no libcuda.so.1: it does not use the driver of "
				 "NVIDIA, or loads it under another name");
	for (size_t i = 0; i < ARRAY_SIZE(driver_functions); i++) {
		void *function = real_dlsym()(library, driver_functions[i].name);

		if (!function)
			return error_set(err, PL_EUNSUPPORTED,
					 "the NVIDIA driver lacks %s: install driver 550 or newer",
					 driver_functions[i].name);
		memcpy((char *)out + driver_functions[i].offset, &function, sizeof(function));
	}
	return 0;
}

int record_driver_check(const struct record_driver *driver, CUresult result, struct error *err,
			const char *what)
{
	const char *name = NULL;

	if (result == CUDA_SUCCESS)
		return 0;
	driver->cuGetErrorName(result, &name);
	return error_set(err, PL_EDEVICE, "%s: %s (%d)", what, name ? name : "unknown error",
			 (int)result);
}
