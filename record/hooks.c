#include "record/hooks.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <string.h>

static _Atomic(hook_listener *) listening;
/* The driver may call one of these functions for another. */
static _Thread_local bool inside;

static struct forwarded forwarded[DRIVER_CALL_COUNT] = {
#define CALL(symbol, name, version, role, declared, given) {.function_name = #symbol},
#include "record/calls.def"
};
/* Symbols that this thread has called and that have not returned. */
static _Thread_local bool passing[DRIVER_CALL_COUNT];

/* Another tool that finds the recorder again in place of the driver must not be called by it again.
 */
static inline any_function *called_function(enum driver_call_index index)
{
	any_function *function = atomic_load_explicit(&forwarded[index].next, memory_order_relaxed);

	if (passing[index])
		return forwarded_driver(&forwarded[index]);
	return function ? function : forwarded_next(&forwarded[index]);
}

/* Returns the listener that has seen it; NULL: none. */
static hook_listener *show_entry(CUpti_CallbackId id, CUpti_CallbackData *data,
				 const void *parameters)
{
	hook_listener *listener = atomic_load_explicit(&listening, memory_order_acquire);

	if (!listener || inside)
		return NULL;
	inside = true;
	data->functionParams = parameters;
	data->callbackSite = CUPTI_API_ENTER;
	listener(id, data);
	return listener;
}

static void show_exit(hook_listener *listener, CUpti_CallbackId id, CUpti_CallbackData *data,
		      CUresult *result)
{
	data->functionReturnValue = result;
	data->callbackSite = CUPTI_API_EXIT;
	listener(id, data);
	inside = false;
}

#define UNPACK(...) __VA_ARGS__

/* The symbol, and the stand-in. */
#define CALL(symbol, name, version, role, declared, given)                                         \
	static CUresult call_##symbol(any_function *function, UNPACK declared)                     \
	{                                                                                          \
		const symbol##_params parameters_given = {UNPACK given};                           \
		CUpti_CallbackData data = {.functionName = #symbol};                               \
		CUresult result;                                                                   \
		hook_listener *listener;                                                           \
                                                                                                   \
		if (!function)                                                                     \
			return CUDA_ERROR_NOT_FOUND;                                               \
		listener = show_entry(CUPTI_DRIVER_TRACE_CBID_##symbol, &data, &parameters_given); \
		result = ((CUresult(*) declared)function)given;                                    \
		if (listener)                                                                      \
			show_exit(listener, CUPTI_DRIVER_TRACE_CBID_##symbol, &data, &result);     \
		return result;                                                                     \
	}                                                                                          \
	__attribute__((visibility("default"))) CUresult hook_##symbol declared __asm__(#symbol);   \
	CUresult hook_##symbol declared                                                            \
	{                                                                                          \
		const bool passed = passing[DRIVER_CALL_##symbol];                                 \
		any_function *function = called_function(DRIVER_CALL_##symbol);                    \
		CUresult result;                                                                   \
                                                                                                   \
		passing[DRIVER_CALL_##symbol] = true;                                              \
		result = call_##symbol(function, UNPACK given);                                    \
		passing[DRIVER_CALL_##symbol] = passed;                                            \
		return result;                                                                     \
	}                                                                                          \
	static CUresult stand_in_##symbol declared                                                 \
	{                                                                                          \
		return call_##symbol(forwarded_driver(&forwarded[DRIVER_CALL_##symbol]),           \
				     UNPACK given);                                                \
	}

#include "record/calls.def"

static any_function *const stand_ins[DRIVER_CALL_COUNT] = {
#define CALL(symbol, name, version, role, declared, given) (any_function *)stand_in_##symbol,
#include "record/calls.def"
};

/* ---- searches ---- */

static any_function *stand_in(size_t index, any_function *found)
{
	atomic_store_explicit(&forwarded[index].driver, found, memory_order_relaxed);
	return stand_ins[index];
}

static size_t index_of(const char *symbol)
{
	size_t i = 0;

	while (i < DRIVER_CALL_COUNT && strcmp(driver_calls[i].symbol, symbol) != 0)
		i++;
	return i;
}

bool hook_has_symbol(const char *symbol)
{
	return index_of(symbol) < DRIVER_CALL_COUNT;
}

bool hook_has_name(const char *name, size_t length)
{
	for (size_t i = 0; i < DRIVER_CALL_COUNT; i++)
		if (strlen(driver_calls[i].name) == length &&
		    !memcmp(driver_calls[i].name, name, length))
			return true;
	return false;
}

any_function *hook_of_symbol(const char *symbol, any_function *found)
{
	const size_t index = index_of(symbol);

	return index < DRIVER_CALL_COUNT ? stand_in(index, found) : found;
}

any_function *hook_of_function(const char *name, int cuda_version, bool per_thread,
			       any_function *found)
{
	size_t plain = DRIVER_CALL_COUNT, of_streams = DRIVER_CALL_COUNT;

	for (size_t i = 0; i < DRIVER_CALL_COUNT; i++) {
		if (strcmp(driver_calls[i].name, name) != 0 ||
		    cuda_version < driver_calls[i].version)
			continue;
		if (has_suffix(driver_calls[i].symbol, "_ptsz"))
			of_streams = i;
		else
			plain = i;
	}
	if (per_thread && of_streams < DRIVER_CALL_COUNT)
		plain = of_streams;
	return plain < DRIVER_CALL_COUNT ? stand_in(plain, found) : found;
}

bool hooks_are_found(void)
{
	void *program = dlopen(NULL, RTLD_NOW);
	/* With RTLD_DEFAULT, a library that is linked with -Bsymbolic finds itself first. */
	any_function *found = function_at(real_dlsym()(program, "cuLaunchKernel"));

	dlclose(program);
	return found == (any_function *)hook_cuLaunchKernel;
}

void hooks_listen(hook_listener *listener)
{
	atomic_store_explicit(&listening, listener, memory_order_release);
}
