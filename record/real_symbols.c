/* Looks up symbols past the recorder's own. See real_symbols.h. */
#include "record/real_symbols.h"

#include <dlfcn.h>
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

any_function *driver_symbol(const char *symbol)
{
	void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
	any_function *found;

	if (!library)
		return NULL;
	found = function_at(real_dlsym()(library, symbol));
	dlclose(library);
	return found;
}
