/*
 * Answers the searches of the program for functions of the driver: dlsym() and
 * cuGetProcAddress(), by which the runtime and most libraries find it. See
 * hooks.h. This file is compiled with optimisation and without sanitizers: what
 * dlsym() does depends on its caller, so the C library's must be jumped to.
 */
#include <cuda.h>
#include <dlfcn.h>
#include <stdatomic.h>
#include <string.h>

#include "record/hooks.h"

/* The name means the second form since this version of CUDA. */
#define SECOND_FORM_VERSION 12000

typedef CUresult get_proc_address(const char *name, void **out, int version, cuuint64_t flags);
typedef CUresult get_proc_address_v2(const char *name, void **out, int version, cuuint64_t flags,
				     CUdriverProcAddressQueryResult *result);

#define VISIBLE __attribute__((visibility("default")))

VISIBLE find_symbol interposed_dlsym __asm__("dlsym");
VISIBLE get_proc_address interposed_get_proc_address __asm__("cuGetProcAddress");
VISIBLE get_proc_address_v2 interposed_get_proc_address_v2 __asm__("cuGetProcAddress_v2");

static _Atomic(any_function *) driver_get_proc_address, driver_get_proc_address_v2;

/* ---- cuGetProcAddress ---- */

static any_function *stand_in_for(const char *name, int version, cuuint64_t flags,
				  any_function *found)
{
	const bool per_thread = flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;

	if (strcmp(name, "cuGetProcAddress") != 0)
		return hook_of_function(name, version, per_thread, found);
	if (version >= SECOND_FORM_VERSION) {
		atomic_store(&driver_get_proc_address_v2, found);
		return (any_function *)interposed_get_proc_address_v2;
	}
	atomic_store(&driver_get_proc_address, found);
	return (any_function *)interposed_get_proc_address;
}

CUresult interposed_get_proc_address(const char *name, void **out, int version, cuuint64_t flags)
{
	any_function *function = atomic_load(&driver_get_proc_address);
	CUresult result;

	if (!function)
		function = driver_symbol("cuGetProcAddress");
	if (!function)
		return CUDA_ERROR_NOT_FOUND;
	result = ((get_proc_address *)function)(name, out, version, flags);
	if (result == CUDA_SUCCESS && name && out && *out)
		*out = address_of(stand_in_for(name, version, flags, function_at(*out)));
	return result;
}

CUresult interposed_get_proc_address_v2(const char *name, void **out, int version, cuuint64_t flags,
					CUdriverProcAddressQueryResult *query)
{
	any_function *function = atomic_load(&driver_get_proc_address_v2);
	CUresult result;

	if (!function)
		function = driver_symbol("cuGetProcAddress_v2");
	if (!function)
		return CUDA_ERROR_NOT_FOUND;
	result = ((get_proc_address_v2 *)function)(name, out, version, flags, query);
	if (result == CUDA_SUCCESS && name && out && *out)
		*out = address_of(stand_in_for(name, version, flags, function_at(*out)));
	return result;
}

/* ---- dlsym ---- */

static any_function *stand_in_for_symbol(const char *symbol, any_function *found)
{
	if (!strcmp(symbol, "cuGetProcAddress"))
		return (any_function *)interposed_get_proc_address;
	if (!strcmp(symbol, "cuGetProcAddress_v2"))
		return (any_function *)interposed_get_proc_address_v2;
	return hook_of_symbol(symbol, found);
}

void *interposed_dlsym(void *library, const char *symbol)
{
	void *found;

	if (symbol[0] != 'c' || symbol[1] != 'u' || library == RTLD_NEXT)
		return real_dlsym()(library, symbol); /* a jump */
	found = real_dlsym()(library, symbol);
	return found ? address_of(stand_in_for_symbol(symbol, function_at(found))) : NULL;
}
