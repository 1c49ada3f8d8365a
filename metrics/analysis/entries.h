/*
 * entries: texts of "key: value" lines, as studies and rules of users have them. A line that begins
 * with a blank continues the one before, and a line that begins with "#" is a comment. Internal to
 * metrics/analysis/.
 */
#ifndef METRICS_ANALYSIS_ENTRIES_H
#define METRICS_ANALYSIS_ENTRIES_H

#include "base/base.h"

#define ENTRIES_MAX_BYTES 65536

/* Where errors are. */
struct entry_place {
	const char *path;
	int line; /* of the key, from 1 */
	struct error *err;
};

/* Sets "PATH:LINE: cause". Returns PL_EPARSE. */
int entry_fail(const struct entry_place *place, const char *format, ...) PRINTF_LIKE(2, 3);

/* Calls `take` with each entry; key and value end with the call, and the value is never empty. It
 * returns 0 or the result of entry_fail(). place->line is that of the entry, at the
 * end of the last one. Returns 0, the first error of `take`, or PL_EPARSE. */
int entries_read(struct entry_place *place, const char *text, size_t length,
		 int (*take)(void *context, const char *key, const char *value), void *context);

#endif
