/*
 * google_rows: tells what a row of Google Benchmark is, a measurement or an aggregate of others.
 * Since version 1.5 a row says so in "run_type". Before, only its name does: "copy/8_mean".
 * Private to imports/.
 */
#ifndef IMPORTS_GOOGLE_ROWS_H
#define IMPORTS_GOOGLE_ROWS_H

#include <jansson.h>

#include "base/base.h"

/* Collects the names of all rows; the index borrows them. */
void google_names_collect(struct name_index *names, const json_t *rows);
/* The aggregate that the row is, such as "median", and the length of the name that it is of in
 * *base_length. NULL: a measurement. */
const char *google_aggregate_of(size_t *base_length, const json_t *row,
				const struct name_index *names);
/* Whether a benchmark without "run_type" ran several times, so that rows of its name are
 * repetitions. */
bool google_repeats(const char *name, const struct name_index *names);

#endif
