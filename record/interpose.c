/*
 * Answers the searches of the program for functions of the driver: dlsym() and
 * cuGetProcAddress(), by which the runtime and most libraries find it. See
 * hooks.h. This file is compiled with optimisation and without sanitizers: what
 * dlsym() does depends on its caller, so the C library's must be jumped to.
 *
 * Only functions of the driver whose form the recorder knows are replaced. A
 * function of another library with the same name calls the driver in its turn.
 * A form that is newer than the recorder may take other parameters.
 */
#include <ctype.h>
#include <cuda.h>
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
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
static get_proc_address stand_in_get_proc_address;
static get_proc_address_v2 stand_in_get_proc_address_v2;

/* ---- functions in a form that is newer than the recorder, which must not touch them ---- */

enum { EMPTY, BEING_WRITTEN, WRITTEN };

static atomic_int sentence_state = EMPTY;
static char sentence[384];

/* The first call in the process is kept. cuda_version: for which cuGetProcAddress() was asked; 0:
 * the symbol was searched for. */
static void note_unknown_call(const char *name, int cuda_version)
{
	int expected = EMPTY;
	char version[48] = "";

	if (!atomic_compare_exchange_strong(&sentence_state, &expected, BEING_WRITTEN))
		return;
	if (cuda_version)
		snprintf(version, sizeof(version), " of CUDA %d.%d", cuda_version / 1000,
			 cuda_version % 1000 / 10);
	snprintf(sentence, sizeof(sentence),
		 "the program uses %.60s%s, which is newer than the recorder: it was built for "
		 "CUDA %d.%d and does not see calls of this function; if a kernel is missing, "
		 "record with a newer perflab",
		 name, version, CUDA_VERSION / 1000, CUDA_VERSION % 1000 / 10);
	atomic_store(&sentence_state, WRITTEN);
}

const char *unknown_call_noted(void)
{
	return atomic_load(&sentence_state) == WRITTEN ? sentence : NULL;
}

/* ---- the forms of cuGetProcAddress ---- */

enum form { FIRST_FORM, SECOND_FORM, FORM_COUNT };

static struct forwarded forms[FORM_COUNT] = {
	[FIRST_FORM] = {.function_name = "cuGetProcAddress"},
	[SECOND_FORM] = {.function_name = "cuGetProcAddress_v2"},
};
/* As in hooks.c. */
static _Thread_local bool passing[FORM_COUNT];

static any_function *stand_in_of_form(enum form form, any_function *found)
{
	atomic_store(&forms[form].driver, found);
	return form == FIRST_FORM ? (any_function *)stand_in_get_proc_address
				  : (any_function *)stand_in_get_proc_address_v2;
}

/* ---- cuGetProcAddress ---- */

struct question {
	const char *name;
	int version;
	cuuint64_t flags;
	CUdriverProcAddressQueryResult *result; /* of the second form; may be NULL */
};

static CUresult ask(any_function *function, enum form form, const struct question *question,
		    void **out)
{
	if (form == FIRST_FORM)
		return ((get_proc_address *)function)(question->name, out, question->version,
						      question->flags);
	return ((get_proc_address_v2 *)function)(question->name, out, question->version,
						 question->flags, question->result);
}

/* Whether the newest version of CUDA that the recorder knows has the same function. */
static bool is_known_form(any_function *function, enum form form, const struct question *question,
			  const void *found)
{
	CUdriverProcAddressQueryResult result;
	struct question known = *question;
	void *same = NULL;

	if (question->version <= CUDA_VERSION)
		return true;
	known.version = CUDA_VERSION;
	known.result = &result;
	return ask(function, form, &known, &same) == CUDA_SUCCESS && same == found;
}

static any_function *stand_in_for(const struct question *question, any_function *found)
{
	const bool per_thread = question->flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;

	if (!strcmp(question->name, "cuGetProcAddress"))
		return stand_in_of_form(
			question->version >= SECOND_FORM_VERSION ? SECOND_FORM : FIRST_FORM, found);
	return hook_of_function(question->name, question->version, per_thread, found);
}

static bool has_name(const char *name, size_t length)
{
	static const char own[] = "cuGetProcAddress";

	return (length == strlen(own) && !memcmp(name, own, length)) || hook_has_name(name, length);
}

/* is_driver: the function is the driver's. What that gives is its own, wherever it lies. */
static CUresult answer(any_function *function, bool is_driver, enum form form,
		       const struct question *question, void **out)
{
	CUresult result;

	if (!function)
		return CUDA_ERROR_NOT_FOUND;
	result = ask(function, form, question, out);
	if (result != CUDA_SUCCESS || !question->name || !out || !*out ||
	    !has_name(question->name, strlen(question->name)))
		return result;
	if (!is_driver && !is_of_driver(function_at(*out)))
		return result;
	if (!is_known_form(function, form, question, *out))
		note_unknown_call(question->name, question->version);
	else
		*out = address_of(stand_in_for(question, function_at(*out)));
	return result;
}

static CUresult interpose(enum form form, const struct question *question, void **out)
{
	any_function *function =
		passing[form] ? forwarded_driver(&forms[form]) : forwarded_next(&forms[form]);
	const bool passed = passing[form];
	CUresult result;

	passing[form] = true;
	result = answer(function, is_of_driver(function), form, question, out);
	passing[form] = passed;
	return result;
}

CUresult interposed_get_proc_address(const char *name, void **out, int version, cuuint64_t flags)
{
	return interpose(FIRST_FORM, &(struct question){name, version, flags, NULL}, out);
}

CUresult interposed_get_proc_address_v2(const char *name, void **out, int version, cuuint64_t flags,
					CUdriverProcAddressQueryResult *query)
{
	return interpose(SECOND_FORM, &(struct question){name, version, flags, query}, out);
}

static CUresult stand_in_get_proc_address(const char *name, void **out, int version,
					  cuuint64_t flags)
{
	const struct question question = {name, version, flags, NULL};

	return answer(forwarded_driver(&forms[FIRST_FORM]), true, FIRST_FORM, &question, out);
}

static CUresult stand_in_get_proc_address_v2(const char *name, void **out, int version,
					     cuuint64_t flags,
					     CUdriverProcAddressQueryResult *query)
{
	const struct question question = {name, version, flags, query};

	return answer(forwarded_driver(&forms[SECOND_FORM]), true, SECOND_FORM, &question, out);
}

/* ---- dlsym ---- */

static bool is_known_symbol(const char *symbol)
{
	return !strcmp(symbol, forms[FIRST_FORM].function_name) ||
	       !strcmp(symbol, forms[SECOND_FORM].function_name) || hook_has_symbol(symbol);
}

/* "cuLaunchKernel_v9": a name of the table with a version that it lacks. */
static bool is_unknown_version(const char *symbol)
{
	const char *version = strstr(symbol, "_v");

	return version && isdigit((unsigned char)version[2]) &&
	       has_name(symbol, (size_t)(version - symbol));
}

static any_function *stand_in_for_symbol(const char *symbol, any_function *found)
{
	if (!is_of_driver(found))
		return found;
	if (!strcmp(symbol, forms[FIRST_FORM].function_name))
		return stand_in_of_form(FIRST_FORM, found);
	if (!strcmp(symbol, forms[SECOND_FORM].function_name))
		return stand_in_of_form(SECOND_FORM, found);
	return hook_of_symbol(symbol, found);
}

static void *search(void *library, const char *symbol)
{
	void *found = real_dlsym()(library, symbol);

	if (!found)
		return NULL;
	if (is_known_symbol(symbol))
		return address_of(stand_in_for_symbol(symbol, function_at(found)));
	if (is_of_driver(function_at(found)))
		note_unknown_call(symbol, 0);
	return found;
}

/* RTLD_NEXT and RTLD_DEFAULT mean other libraries for another caller. They find the symbols of the
 * recorder where these come first. */
void *interposed_dlsym(void *library, const char *symbol)
{
	if (symbol[0] == 'c' && symbol[1] == 'u' && library != RTLD_NEXT &&
	    library != RTLD_DEFAULT && (is_known_symbol(symbol) || is_unknown_version(symbol)))
		return search(library, symbol);
	return real_dlsym()(library, symbol); /* a jump */
}
