/*
 * Bencher Metric Format: one object, with a member for each case. The measure "latency" is in
 * nanoseconds; a counter is a measure with its own name.
 * (bencher.dev/docs/reference/bencher-metric-format)
 */
#include "reports/export/writers.h"
#include "reports/table/escape.h"

static json_t *latency_json(const struct summary *summary)
{
	json_t *latency = json_object();

	export_json_set(latency, "value", summary->median_ns);
	export_json_set(latency, "lower_value", summary->session_low_ns);
	export_json_set(latency, "upper_value", summary->session_high_ns);
	return latency;
}

static json_t *measures_json(const struct export_source *source, const struct trial *trial)
{
	json_t *measures = json_object();
	struct text name = TEXT_INIT;

	if (export_has_time(source->run, trial))
		json_object_set_new(measures, "latency", latency_json(&trial->summary));
	for (size_t i = 0; i < source->metrics->count; i++) {
		const char *metric = source->metrics->items[i];
		const struct counter_value *counter = export_counter(source->run, trial, metric);

		if (!counter)
			continue;
		text_clear(&name);
		text_add_escaped(&name, metric);
		json_object_set_new(measures, name.data,
				    json_pack("{s:f}", "value", counter->value));
	}
	text_release(&name);
	return measures;
}

int export_write_bmf(FILE *out, const struct export_source *source, struct error *err)
{
	const struct export_choice *choice = source->choice;

	(void)err;
	for (size_t i = 0; i < choice->count; i++) {
		fputs(i ? ",\n" : "{\n", out);
		export_json(out, json_string(choice->names[i]));
		fputs(": ", out);
		export_json(out, measures_json(source, choice->trials[i]));
	}
	fputs("\n}\n", out);
	return 0;
}
