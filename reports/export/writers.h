/* The writers of exports, one per format, and what they share. */
#ifndef REPORTS_EXPORT_WRITERS_H
#define REPORTS_EXPORT_WRITERS_H

#include <jansson.h>

#include "reports/exports.h"

/* What a writer gets. Everything is borrowed. The choice is not empty. */
struct export_source {
	const struct run *run;
	const struct string_list *metrics;
	const struct export_choice *choice;
	export_samples *samples;
	void *samples_context;
};

/* Writes to the stream and does not check it; export_run() does. */
typedef int export_writer(FILE *out, const struct export_source *source, struct error *err);
#define X(symbol, name, writer, name_limit, metric_limit, metrics, meaning) \
	export_writer export_write_##writer;
EXPORT_FORMAT_LIST(X)
#undef X

/* ---- values of a case ---- */

/* Whether the case has a measured time. */
bool export_has_time(const struct run *run, const struct trial *trial);
/* The counter of the case, if it has a value that may be shown; NULL: it has none. */
const struct counter_value *export_counter(const struct run *run, const struct trial *trial,
					   const char *metric);
/* Whether the metric is of the work model, which must not appear as measured. */
bool export_is_modelled(const char *metric);
/* The farther end of the median's interval, as a distance from the median; NAN: no interval. */
double export_spread_ns(const struct summary *summary);

/* ---- JSON ---- */

/* Writes compact JSON with 15 significant digits, and releases it. */
void export_json(FILE *out, json_t *value);
/* Sets a member, unless the number is not finite: these formats leave out what was not measured. */
void export_json_set(json_t *object, const char *name, double value);
/* Sets a member, unless the text is NULL or "". */
void export_json_set_text(json_t *object, const char *name, const char *text);

#endif
