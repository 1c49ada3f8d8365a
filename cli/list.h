/* The parts of `perflab list`, one function a topic. */
#ifndef CLI_LIST_H
#define CLI_LIST_H

#include "cli/shared.h"

struct list_options {
	const char *db, *backend, *chip, *set;
	int format;
	bool verbose, everything, all;
};

int list_kernels(const struct invocation *call, const char *pattern, struct error *err);
int list_metrics(const struct invocation *call, const char *pattern, struct error *err);
int list_sets(const struct invocation *call, const char *pattern, struct error *err);
int list_devices(const struct invocation *call, const char *pattern, struct error *err);
int list_runs(const struct invocation *call, const char *pattern, struct error *err);

/* The table to stdout; an empty one that a PATTERN left is said, for it is rarely meant. */
int list_to_stdout(const struct invocation *call, const struct table *table, const char *pattern,
		   struct error *err);
/* A number as text; malloc'd. */
char *number_text(int64_t value);

#endif
