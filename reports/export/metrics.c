/* Checks the counters that an export is asked for. */
#include <string.h>

#include "metrics/catalogue/catalogue.h"
#include "reports/derived/derived.h"
#include "reports/export/writers.h"

static int check_format(enum export_format format, const char *metric, struct error *err)
{
	const char *name = export_format_words[format];
	const size_t limit = export_metric_limit(format);
	const struct metric *row;

	if (limit && strlen(metric) > limit)
		return error_set(
			err, PL_EUSAGE,
			"--metric: %s allows %zu bytes in the name of a metric, and %s has "
			"%zu",
			name, limit, metric, strlen(metric));

	switch (export_metrics_of(format)) {
	case NAMED_METRICS:
		return 0;
	case NO_METRICS:
		return error_set(err, PL_EUSAGE, "--metric: %s has times only", name);
	case ALL_METRICS:
		return error_set(err, PL_EUSAGE, "--metric: %s always has every counter", name);
	case SMALLER_IS_BETTER:
		row = metric_find(metric);
		if (row && row->worse == WORSE_MORE)
			return 0;
		return error_set(err, PL_EUSAGE,
				 "--metric: %s compares values of which less is better, and %s is "
				 "none; bmf and openmetrics take it",
				 name, metric);
	}
	return 0;
}

static int check_run(const struct run *run, const char *metric, struct error *err)
{
	struct string_list known = {0};
	struct text near = TEXT_INIT;
	int rc = 0;

	run_counter_names(&known, run);
	if (!string_list_has(&known, metric)) {
		nearest_names(&near, metric, (const char *const *)known.items, known.count);
		rc = error_set(err, PL_EUSAGE, "--metric: run %lld has no metric \"%s\"%s%s%s",
			       (long long)run->id, metric, near.length ? "; did you mean " : "",
			       near.length ? near.data : "",
			       near.length ? "?" : "; `perflab list metrics` explains all");
	}
	text_release(&near);
	string_list_release(&known);
	return rc;
}

int export_metrics_check(const struct export_request *request, struct error *err)
{
	int rc = 0;

	for (size_t i = 0; i < request->metrics->count && !rc; i++) {
		const char *metric = request->metrics->items[i];

		for (size_t j = 0; j < i && !rc; j++) {
			if (strcmp(metric, request->metrics->items[j]) == 0)
				rc = error_set(err, PL_EUSAGE, "--metric: %s is named twice",
					       metric);
		}
		if (!rc)
			rc = check_format(request->format, metric, err);
		if (!rc)
			rc = check_run(request->run, metric, err);
	}
	return rc;
}
