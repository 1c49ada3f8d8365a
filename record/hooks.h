/*
 * hooks: the calls of the driver that the recorder wants to see, without CUPTI.
 * If the recorder is loaded before the program ($LD_PRELOAD), the program finds
 * the recorder's functions in place of the driver's. Calls that they make of each
 * other are not shown. There are two functions for each of the driver's:
 *
 * - The symbol has the name of the driver's function, so the loader finds it. It
 *   calls the function that the loader would have found without the recorder. That
 *   may be one of another preloaded tool, which in turn finds the driver.
 * - The stand-in is what the program gets when it searches the driver itself, by
 *   dlsym() or cuGetProcAddress() (interpose.c). It calls the driver.
 *
 * So every tool is called as often as without the recorder, and none in a circle.
 *
 * CUPTI shows the same calls, but a program that has initialised CUPTI issues
 * launches more slowly (docs/results/record.md). Internal to record/.
 */
#ifndef RECORD_HOOKS_H
#define RECORD_HOOKS_H

#include "record/driver.h"
#include "record/real_symbols.h"

/* Called before and after a call, as CUPTI does, with data->symbolName NULL. */
typedef void hook_listener(CUpti_CallbackId id, const CUpti_CallbackData *data);

/* Whether the program finds the recorder's functions. */
bool hooks_are_found(void);
/* From now on, until it is called with NULL. Who has seen a call begin also sees it end. */
void hooks_listen(hook_listener *listener);

/* A sentence about a function of the driver that the program uses in a form that is newer than the
 * recorder (interpose.c); NULL: there was none. Never changes after that. */
const char *unknown_call_noted(void);

/* ---- for interpose.c ---- */

/* Whether the symbol of libcuda is one of the table. */
bool hook_has_symbol(const char *symbol);
/* Whether the table has this name for cuGetProcAddress(). */
bool hook_has_name(const char *name, size_t length);
/* The stand-in for `found`, a function of the driver, which it will call; `found` itself, if the
 * table lacks it. */
any_function *hook_of_symbol(const char *symbol, any_function *found);
/* The stand-in for what cuGetProcAddress() found for a version of CUDA: the name has no suffix. */
any_function *hook_of_function(const char *name, int cuda_version, bool per_thread,
			       any_function *found);

#endif
