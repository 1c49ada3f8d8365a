/* Prints recordings of programs and captures. */
#ifndef CLI_RECORDING_TABLE_H
#define CLI_RECORDING_TABLE_H

#include "cli/command.h"
#include "metrics/recording.h"
#include "reports/reports.h"

struct recording_view {
	enum report_format format;
	int64_t top;        /* rows at most; 0: all */
	bool shapes;        /* one row per launch shape */
	bool long_names;    /* text and md: names in full */
	const char *output; /* NULL: standard output */
};

/* The kernels with their times, or the captures. */
int recording_print(const struct invocation *call, const struct recording *recording,
		    const struct recording_view *view, struct error *err);
/* What a capture holds. Formats: text and json. */
int capture_print(const struct invocation *call, const char *path, enum report_format format,
		  struct error *err);

#endif
