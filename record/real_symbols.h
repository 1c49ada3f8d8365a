/* real_symbols: what dlsym() would find if the recorder did not answer for it (interpose.c).
 * Internal to record/. */
#ifndef RECORD_REAL_SYMBOLS_H
#define RECORD_REAL_SYMBOLS_H

#include <stdbool.h>

/* Any function. It is called after a cast to its type. */
typedef void any_function(void);
typedef void *find_symbol(void *library, const char *symbol);

/* C has no cast between the two, but POSIX says that they are the same. */
any_function *function_at(void *address);
void *address_of(any_function *function);

/* The function of the driver that is loaded: libcuda.so.1. NULL: there is none. */
any_function *driver_symbol(const char *symbol);
/* What the loader finds under this name after the recorder: a function of the driver, or of another
 * tool. NULL: nothing. */
any_function *next_symbol(const char *symbol);
/* Whether the function is a part of the driver, and not of the recorder or of another library that
 * has functions with such names. */
bool is_of_driver(any_function *function);
/* dlsym() of the C library. */
find_symbol *real_dlsym(void);

#endif
