/* real_symbols: what dlsym() would find if the recorder did not answer for it (interpose.c).
 * Internal to record/. */
#ifndef RECORD_REAL_SYMBOLS_H
#define RECORD_REAL_SYMBOLS_H

#include <stdatomic.h>
#include <stdbool.h>

/* Any function. It is called after a cast to its type. */
typedef void any_function(void);
typedef void *find_symbol(void *library, const char *symbol);

/* C has no cast between the two, but POSIX says that they are the same. */
any_function *function_at(void *address);
void *address_of(any_function *function);

/* A function of the driver for which the recorder stands in, and what was found for it; NULL: it
 * was not searched yet. */
struct forwarded {
	const char *function_name;      /* in libcuda */
	_Atomic(any_function *) driver; /* from the program's search for the driver or from ours */
	_Atomic(any_function *) next;
};
/* The driver's function. NULL: the driver lacks it. */
any_function *forwarded_driver(struct forwarded *forwarded);
/* What comes after the recorder under this name, or the driver's function if nothing does. */
any_function *forwarded_next(struct forwarded *forwarded);

/* Whether the function is a part of the driver, and not of the recorder or of another library that
 * has functions with such names. */
bool is_of_driver(any_function *function);
/* dlsym() of the C library. */
find_symbol *real_dlsym(void);

#endif
