/*
 * packed: large files of the tests' data are compressed with Zstandard, and their names end with
 * .zst. CONTRIBUTING.md says how `git diff` shows their text.
 */
#ifndef TESTS_PACKED_H
#define TESTS_PACKED_H

#include <stddef.h>

#include "base/base.h"

/* Reads a compressed file. *out ends with a 0 that *length does not count; free() it. PL_ENOENT,
   PL_EIO, PL_EPARSE. */
int packed_read(char **out, size_t *length, const char *path, struct error *err);
/* Compresses the data for packed_read(). free() *out. PL_EIO. */
int packed_make(char **out, size_t *length, const char *data, size_t bytes, struct error *err);

#endif
