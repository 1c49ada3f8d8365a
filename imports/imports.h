/*
 * imports: reads the results of other benchmark programs as runs. It reads the JSON of nvbench and
 * of Google Benchmark, and what Nsight Compute says of the cases of a run; docs/import.md says what
 * each field becomes. A fact that the file does not state stays unknown: another statistic never
 * replaces a median, and no name is made up for a device.
 *
 * A file is untrusted input: all functions take any bytes, and return 0 or PL_E* with *err set.
 * PL_EPARSE: not JSON (with the line), or not the expected JSON (with the place). PL_EUSAGE: the
 * format cannot be detected.
 */
#ifndef IMPORTS_IMPORTS_H
#define IMPORTS_IMPORTS_H

#include "metrics/metrics.h"

enum import_format { IMPORT_DETECT, IMPORT_NVBENCH, IMPORT_GOOGLE_BENCHMARK };
/* The names of the formats in this order, NULL-terminated. Except for the first, a name is also the
 * backend of the runs. */
extern const char *const import_format_words[];

#define IMPORT_MAX_BYTES ((size_t)64 << 20)
#define IMPORT_MAX_DEPTH 64
#define IMPORT_MAX_CASES 200000

/* What one process measured of a case: a round. */
struct import_trial {
	int round; /* the number of the file among those that are joined; otherwise 0 */
	double *time_ns;
	size_t count, capacity;
	double sm_clock_hz; /* while they were taken; NAN: unknown */
	/* What the file says about samples that it does not contain. count 0: nothing. */
	struct summary given;
	size_t occurrences; /* private to imports/: cases of this name in the file, beyond this */
	/* The rounds of later files, of a run that import_join() made. They have no such members.
	 */
	struct import_trial *later;
	size_t later_count;
};
struct import_run {
	struct run run;              /* state, started_ns and uid, if the file has them */
	char earlier_uid[33];        /* that earlier versions of perflab gave it; "": none */
	struct import_trial *trials; /* one per trial of `run` */
	size_t without_median;       /* trials that ended well but have no median */
	size_t with_mean;            /* those of them that have a mean */
	size_t repeated;             /* trials that share their name with an earlier one */
	size_t without_samples;      /* trials whose file of samples is missing */
	size_t fewer_rounds;         /* trials that lack a round of some of the joined files */
	char device_number[40];      /* of the device in the file: " (device 1)"; "": it has none */
	size_t *slots; /* private to imports/: hash slots that find the trial of a case */
	size_t slot_count;
};
struct import {
	struct import_run *runs; /* one per device */
	size_t count;
};

struct import_source {
	const char *bytes; /* `length` bytes and a NUL */
	size_t length;
	const char *folder;  /* of the files that the JSON names; NULL: these are not read */
	int64_t modified_ns; /* the start of a run that states none */
};
int import_read(struct import *out, const struct import_source *source, enum import_format format,
		struct error *err);
void import_release(struct import *import);

/*
 * Joins the results of several files, each from a process of its own, to runs with a round per
 * file, in the order in which the files were measured. Takes the samples out of `files`; `names`
 * are theirs, and `device` is what the user calls the device, or NULL.
 * PL_EUSAGE: the files do not belong together: other devices, programs or cases, or one twice.
 */
int import_join(struct import *out, struct import *files, const struct string_list *names,
		const char *device, struct error *err);

/* ---- times of Nsight Compute: ncu.c ---- */

/* An execution of a case under ncu: the durations of its kernels, added. */
struct ncu_time {
	char *name; /* "KERNEL/VARIANT/CONFIG", from perflab's NVTX ranges */
	int64_t process;
	double time_ns;
};
struct ncu_times {
	struct ncu_time *items;
	size_t count, capacity;
};
/* Reads gpu__time_duration.sum from what ncu --csv --nvtx wrote about a sweep. PL_EPARSE: a column
 * is missing, no row is of a case, or a duration is none (with the line). */
int import_ncu_read(struct ncu_times *out, const char *bytes, size_t length, struct error *err);
void ncu_times_release(struct ncu_times *times);

#endif
