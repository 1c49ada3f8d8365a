/*
 * import_builder: builds imported runs for the readers of both formats. The values come from
 * untrusted files, so every function takes any JSON value. Private to imports/.
 */
#ifndef IMPORTS_IMPORT_BUILDER_H
#define IMPORTS_IMPORT_BUILDER_H

#include <jansson.h>

#include "imports/imports.h"

int import_nvbench(struct import *out, const json_t *root, const struct import_source *source,
		   struct error *err);
int import_google_benchmark(struct import *out, const json_t *root,
			    const struct import_source *source, struct error *err);

/* ---- google_rows.c: what a row of Google Benchmark is, a measurement or an aggregate of others.
 * Since version 1.5 a row says so in "run_type". Before, only its name does: "copy/8_mean" ---- */

/* Collects the names of all rows; the index borrows them. */
void google_names_collect(struct name_index *names, const json_t *rows);
/* The aggregate that the row is, such as "median", and the length of the name that it is of in
 * *base_length. NULL: a measurement. */
const char *google_aggregate_of(size_t *base_length, const json_t *row,
				const struct name_index *names);
/* Whether a benchmark without "run_type" ran several times, so that rows of its name are
 * repetitions. */
bool google_repeats(const char *name, const struct name_index *names);

/* ---- JSON values of any type ---- */

const char *json_member_text(const json_t *object,
			     const char *key); /* NULL: absent, or not a string */
/* The value of a number, or of a string that holds one; otherwise NAN. */
double number_of(const json_t *value);
/* The value of an integer, or of a string that holds one; otherwise 0. */
int64_t whole_of(const json_t *value);
/* A scalar as text, malloc'd; NULL for any other value. */
char *scalar_text(const json_t *value);

/* ---- the name of a case ---- */

/* Axes collected for a configuration. */
struct case_axis {
	char *name, *text;
	bool is_whole;
	int64_t value;
};
struct case_axes {
	struct case_axis *items;
	size_t count, capacity;
};
/* Makes text fit for a part of a case's name, malloc'd: separators become '_', and an empty text
 * becomes "-". */
char *name_part(const char *text, size_t length);
/* Ignores an axis with a name that was added before. */
void case_axes_add(struct case_axes *axes, const char *name, size_t name_length, const char *value);
void case_axes_release(struct case_axes *axes);

/* ---- runs ---- */

struct import_run *import_add_run(struct import *import);
/* The index of the trial of the same case; NO_TRIAL: the run has none. */
size_t import_find_case(const struct import_run *run, const struct trial *trial);
#define NO_TRIAL SIZE_MAX
/* Appends a trial whose case the run does not have, and takes ownership of it. */
void import_append_case(struct import_run *run, const struct trial *trial);
/*
 * Gives the index of the trial of a case. Adds the trial, with status ok, if the run has none.
 * Takes ownership of kernel and variant, which are malloc'd, and empties *axes. PL_EPARSE: more
 * than IMPORT_MAX_CASES cases.
 */
int import_case(size_t *index, struct import_run *run, char *kernel, char *variant,
		struct case_axes *axes, struct error *err);
/* Adds an axis that tells apart the benchmarks, or the states, of one name: "occurrence=2" is the
 * second in the file. The first has no such axis, so it keeps its history. */
void case_axes_add_occurrence(struct case_axes *axes, size_t occurrence);
/* Ends a trial whose time in the file is none, such as 0 or NaN. `what` names the time. */
void import_refuse_time(struct trial *trial, const char *what);
void import_add_sample(struct import_trial *trial, double time_ns);
/* "2026-11-21T02:50:45+01:00" as ns since 1970; 0: not a time of this form. */
int64_t import_time_ns(const char *text);

#endif
