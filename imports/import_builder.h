/* What the readers of both formats share. Private to imports/. */
#ifndef IMPORTS_IMPORT_BUILDER_H
#define IMPORTS_IMPORT_BUILDER_H

#include <jansson.h>

#include "imports/imports.h"

int import_nvbench(struct import *out, const json_t *root, const struct import_source *source,
		   struct error *err);
int import_google_benchmark(struct import *out, const json_t *root,
			    const struct import_source *source, struct error *err);

/* ---- members of an object that may be anything ---- */

const char *json_member_text(const json_t *object, const char *key); /* NULL: none, or no string */
/* A number, or a string that is one; NAN: neither. */
double number_of(const json_t *value);
/* A whole number of either kind, 0 if there is none. */
int64_t whole_of(const json_t *value);
/* Text of a scalar, malloc'd; NULL: none. */
char *scalar_text(const json_t *value);

/* ---- the name of a case ---- */

/* Axes on their way to a configuration. */
struct case_axis {
	char *name, *text;
	bool is_whole;
	int64_t value;
};
struct case_axes {
	struct case_axis *items;
	size_t count, capacity;
};
/* What would end a part of a case's name, or of a configuration, becomes '_'; empty becomes "-". */
char *name_part(const char *text, size_t length);
/* Of two with one name the second is left out. */
void case_axes_add(struct case_axes *axes, const char *name, size_t name_length, const char *value);
void case_axes_release(struct case_axes *axes);

/* ---- runs ---- */

struct import_run *import_add_run(struct import *import);
/*
 * The index of the trial of a case, which is added with status ok if it is not
 * there. Takes kernel and variant, which are malloc'd, and empties *axes.
 * PL_EPARSE: too many cases.
 */
int import_case(size_t *index, struct import_run *run, char *kernel, char *variant,
		struct case_axes *axes, struct error *err);
void import_add_sample(struct import_trial *trial, double time_ns);
/* "2026-11-21T02:50:45+01:00" in ns since 1970; 0: not such a time. */
int64_t import_time_ns(const char *text);

#endif
