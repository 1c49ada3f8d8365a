/*
 * hooks: the calls of the driver that the recorder wants to see, without CUPTI.
 * If the recorder is loaded before the program ($LD_PRELOAD), the program finds
 * the recorder's functions in place of the driver's: because they have the same
 * names, and because interpose.c answers dlsym() and cuGetProcAddress(). Each
 * calls the driver's function. Calls that they make of each other are not shown.
 *
 * CUPTI shows the same calls, but a program that has initialised CUPTI issues
 * launches more slowly (docs/results/record.md). Internal to record/.
 */
#ifndef RECORD_HOOKS_H
#define RECORD_HOOKS_H

#include "record/cupti.h"
#include "record/real_symbols.h"

/* Called before and after a call, as CUPTI does, with data->symbolName NULL. */
typedef void hook_listener(CUpti_CallbackId id, const CUpti_CallbackData *data);

/* Whether the program finds the recorder's functions. */
bool hooks_are_found(void);
/* From now on, until it is called with NULL. Who has seen a call begin also sees it end. */
void hooks_listen(hook_listener *listener);

/* ---- for interpose.c ---- */

/* The function to give to the program in place of `found`, the driver's function of this name; or
 * `found` itself. The name is that of a symbol of libcuda. */
any_function *hook_of_symbol(const char *symbol, any_function *found);
/* The same for what cuGetProcAddress() found for a version of CUDA: the name has no suffix. */
any_function *hook_of_function(const char *name, int cuda_version, bool per_thread,
			       any_function *found);

#endif
