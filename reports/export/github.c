/*
 * The JSON of github-action-benchmark's tool customSmallerIsBetter: a list of results, each with a
 * name, a value and a unit. The action shows `range` and `extra` as text. A counter is a result of
 * its own, named after the case and the counter.
 * (github.com/benchmark-action/github-action-benchmark)
 */
#include <math.h>
#include <stdlib.h>

#include "reports/export/writers.h"
#include "reports/table/escape.h"

static void add_result(json_t *results, const char *name, const char *unit, double value,
		       const char *range, const char *extra)
{
	json_t *result = json_pack("{s:s, s:s, s:f, s:s}", "name", name, "unit", unit, "value",
				   value, "extra", extra);

	export_json_set_text(result, "range", range);
	json_array_append_new(results, result);
}

static void add_time_result(json_t *results, const struct run *run, const struct trial *trial,
			    const char *name)
{
	const struct summary *summary = &trial->summary;
	const double spread_ns = export_spread_ns(summary);
	char *range = isfinite(spread_ns) ? xasprintf("± %.6g", spread_ns) : NULL;
	char *extra = xasprintf("median of %lld samples in %d %s\nrun %s",
				(long long)summary->count, trial->rounds_done,
				trial->rounds_done == 1 ? "round" : "rounds", run->uid);

	add_result(results, name, "ns", summary->median_ns, range, extra);
	free(range);
	free(extra);
}

static void add_counter_result(json_t *results, const struct run *run, const char *name,
			       const struct counter_value *counter)
{
	struct text unit = TEXT_INIT, full = TEXT_INIT;
	char *extra = xasprintf("run %s", run->uid);

	text_addf(&full, "%s ", name);
	text_add_escaped(&full, counter->metric);
	text_add_escaped(&unit, counter->unit ? counter->unit : "");
	add_result(results, full.data, unit.data, counter->value, NULL, extra);
	text_release(&unit);
	text_release(&full);
	free(extra);
}

/* The results of one case, without the brackets of the list. */
static void write_case(FILE *out, const struct export_source *source, size_t index)
{
	const struct trial *trial = source->choice->trials[index];
	const char *name = source->choice->names[index];
	json_t *results = json_array();

	if (export_has_time(source->run, trial))
		add_time_result(results, source->run, trial, name);
	for (size_t i = 0; i < source->metrics->count; i++) {
		const struct counter_value *counter =
			export_counter(source->run, trial, source->metrics->items[i]);

		if (counter)
			add_counter_result(results, source->run, name, counter);
	}
	for (size_t i = 0; i < json_array_size(results); i++) {
		fputs(index || i ? ",\n" : "[\n", out);
		export_json(out, json_incref(json_array_get(results, i)));
	}
	json_decref(results);
}

int export_write_github(FILE *out, const struct export_source *source, struct error *err)
{
	(void)err;
	for (size_t i = 0; i < source->choice->count; i++)
		write_case(out, source, i);
	fputs("\n]\n", out);
	return 0;
}
