/* ptx_entry: whether a PTX text has a kernel, found without reading the whole language. Internal to
 * record/. */
#ifndef RECORD_PTX_ENTRY_H
#define RECORD_PTX_ENTRY_H

#include "base/base.h"

/* Whether the text has the body of the kernel, not only its declaration. */
bool ptx_defines_entry(const char *text, size_t bytes, const char *entry);
/* Whether the bytes begin as PTX does: blanks and comments, then ".version". */
bool ptx_is(const char *bytes, size_t size);

#endif
