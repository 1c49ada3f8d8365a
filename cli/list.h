/* The topics of `perflab list`, one function per topic. */
#ifndef CLI_LIST_H
#define CLI_LIST_H

#include "cli/output.h"
#include "reports/reports.h"

struct list_options {
	const char *db, *backend, *chip, *set, *rules;
	struct string_list replacements;
	int format;
	int64_t limit;
	bool verbose, everything, all, no_pager;
};

int list_kernels(const struct invocation *call, const char *pattern, struct error *err);
int list_metrics(const struct invocation *call, const char *pattern, struct error *err);
int list_sets(const struct invocation *call, const char *pattern, struct error *err);
int list_rules(const struct invocation *call, const char *pattern, struct error *err);
int list_devices(const struct invocation *call, const char *pattern, struct error *err);
int list_recordings(const struct invocation *call, const char *pattern, struct error *err);
int list_runs(const struct invocation *call, const char *pattern, struct error *err);

/* Prints the table to stdout. If `pattern` selected no row, a message says so. */
int list_to_stdout(const struct invocation *call, const struct table *table, const char *pattern,
		   struct error *err);

#endif
