/*
 * imports: what other benchmark programs measured, as runs. Reads the JSON of
 * nvbench and of Google Benchmark; docs/import.md says what becomes of each
 * field. What a file does not say is unknown here: no time of another kind
 * stands in for a median, no name for a device.
 *
 * A file is a stranger's: all functions take any bytes, and return 0 or PL_E*
 * with *err set (PL_EPARSE: not JSON, with the line, or not what was expected,
 * with where; PL_EUSAGE: a format that cannot be told).
 */
#ifndef IMPORTS_IMPORTS_H
#define IMPORTS_IMPORTS_H

#include "metrics/metrics.h"

enum import_format { IMPORT_DETECT, IMPORT_NVBENCH, IMPORT_GOOGLE_BENCHMARK };
/* In that order, NULL-terminated; but for the first the backend of the runs, too. */
extern const char *const import_format_words[];

#define IMPORT_MAX_BYTES ((size_t)64 << 20)
#define IMPORT_MAX_DEPTH 64
#define IMPORT_MAX_CASES 200000

/* Samples of a trial: one process is one round. */
struct import_trial {
	double *time_ns;
	size_t count, capacity;
	double sm_clock_hz; /* meanwhile, NAN unknown */
	/* Without samples: what the file says of them. count 0: nothing. */
	struct summary given;
};
struct import_run {
	struct run run;              /* state, started_ns and uid as far as the file has them */
	struct import_trial *trials; /* as many as the run has */
	size_t without_median;       /* trials that ended well, and have no time */
	size_t *slots;               /* finds a trial by its case; of imports/ alone */
	size_t slot_count;
};
struct import {
	struct import_run *runs; /* one a device */
	size_t count;
};

struct import_source {
	const char *bytes; /* NUL-terminated beyond length */
	size_t length;
	const char *folder;  /* where files lie that it names; NULL: they are not looked at */
	int64_t modified_ns; /* stands for the start of a run that says none */
};
int import_read(struct import *out, const struct import_source *source, enum import_format format,
		struct error *err);
void import_release(struct import *import);

#endif
