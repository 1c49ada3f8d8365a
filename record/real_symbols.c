#include "record/real_symbols.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdatomic.h>
#include <string.h>

#include "base/base.h"

any_function *function_at(void *address)
{
	any_function *function;

	memcpy(&function, &address, sizeof(function));
	return function;
}

void *address_of(any_function *function)
{
	void *address;

	memcpy(&address, &function, sizeof(address));
	return address;
}

find_symbol *real_dlsym(void)
{
	/* glibc moved it into libc.so in 2.34. */
	static const char *const versions[] = {"GLIBC_2.34", "GLIBC_2.17", "GLIBC_2.2.5"};
	static _Atomic(find_symbol *) kept;
	find_symbol *found = atomic_load_explicit(&kept, memory_order_relaxed);

	for (size_t i = 0; i < ARRAY_SIZE(versions) && !found; i++) {
		found = (find_symbol *)function_at(dlvsym(RTLD_NEXT, "dlsym", versions[i]));
	}
	atomic_store_explicit(&kept, found, memory_order_relaxed);
	return found;
}

/* NULL: none is loaded. The caller closes it. */
static void *loaded_driver(void)
{
	/* of the program, which has called another function */
	const int error_number = errno;
	void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);

	errno = error_number;
	return library;
}

any_function *forwarded_driver(struct forwarded *forwarded)
{
	any_function *function = atomic_load_explicit(&forwarded->driver, memory_order_relaxed);
	void *library = function ? NULL : loaded_driver();

	if (!library)
		return function;
	function = function_at(real_dlsym()(library, forwarded->function_name));
	dlclose(library);
	atomic_store_explicit(&forwarded->driver, function, memory_order_relaxed);
	return function;
}

any_function *forwarded_next(struct forwarded *forwarded)
{
	any_function *function = atomic_load_explicit(&forwarded->next, memory_order_relaxed);
	void *volatile found;

	if (function)
		return function;
	/* not a jump: dlsym() looks for the library that calls it */
	found = real_dlsym()(RTLD_NEXT, forwarded->function_name);
	function = found ? function_at(found) : forwarded_driver(forwarded);
	atomic_store_explicit(&forwarded->next, function, memory_order_relaxed);
	return function;
}

bool is_of_driver(any_function *function)
{
	void *library = loaded_driver();
	struct link_map *driver = NULL, *map = NULL;
	Dl_info info;
	bool same;

	if (!library)
		return false;
	same = !dlinfo(library, RTLD_DI_LINKMAP, &driver) &&
	       dladdr1(address_of(function), &info, (void **)&map, RTLD_DL_LINKMAP) &&
	       map == driver;
	dlclose(library);
	return same;
}
