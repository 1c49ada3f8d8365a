/* The values of a case, and JSON, as every export writes them. */
#include <math.h>

#include "metrics/catalogue/catalogue.h"
#include "reports/derived/derived.h"
#include "reports/export/writers.h"
#include "reports/table/escape.h"
#include "reports/table/json.h"

bool export_has_time(const struct run *run, const struct trial *trial)
{
	const struct summary *summary = &trial->summary;

	return run->traits.timed && !run->traits.emulated && summary->count > 0 &&
	       isfinite(summary->median_ns) && summary->median_ns > 0;
}

const struct counter_value *export_counter(const struct run *run, const struct trial *trial,
					   const char *metric)
{
	const struct counter_value *counter =
		run_may_show(run, metric) ? counter_list_find(&trial->counters, metric) : NULL;

	return counter && counter->has_value && isfinite(counter->value) ? counter : NULL;
}

bool export_is_modelled(const char *metric)
{
	const struct metric *known = metric_find(metric);

	return known && known->modelled;
}

void export_json(FILE *out, json_t *value)
{
	/* a failure shows in the stream, which export_run() checks */
	(void)report_json_dump(out, value, JSON_COMPACT | JSON_ENCODE_ANY);
	json_decref(value);
}

void export_json_set(json_t *object, const char *name, double value)
{
	if (isfinite(value))
		json_object_set_new(object, name, json_real(value));
}

void export_json_set_text(json_t *object, const char *name, const char *text)
{
	struct text shown = TEXT_INIT;

	if (!text || !*text)
		return;
	text_add_escaped(&shown, text);
	json_object_set_new(object, name, json_string(shown.data));
	text_release(&shown);
}

double export_spread_ns(const struct summary *summary)
{
	return fmax(summary->session_high_ns - summary->median_ns,
		    summary->median_ns - summary->session_low_ns);
}
