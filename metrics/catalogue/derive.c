/* Derived metrics: from the counters of a case to ratios, sums and rates. */
#include "metrics/catalogue/derive.h"
#include "metrics/catalogue/catalogue.h"

#include <math.h>
#include <stdlib.h>

void metric_derive_one(struct counter_list *counters, const struct metric *metric,
		       double median_time_ns, const char *note)
{
	double inputs[METRIC_MAX_INPUTS] = {0};
	char *source = xasprintf("derived: %s%s", metric->formula, note);
	char *reason = NULL;
	double value = NAN;

	for (size_t i = 0; i < METRIC_MAX_INPUTS && metric->inputs[i] && !reason; i++) {
		const struct metric *needed = metric_find(metric->inputs[i]);
		const struct counter_value *input = counter_list_find(counters, needed->name);

		if (needed->from_samples) {
			inputs[i] = median_time_ns;
			if (!isfinite(median_time_ns))
				reason = xstrdup("needs timed samples, and there are none");
			continue;
		}
		if (!input && needed->derive) {
			metric_derive_one(counters, needed, median_time_ns, note);
			input = counter_list_find(counters, needed->name);
		}
		if (!input)
			reason = xasprintf("needs %s, which was not collected", needed->name);
		else if (!input->has_value)
			reason = xasprintf("needs %s: %s", needed->name, input->reason);
		else
			inputs[i] = input->value;
	}
	if (!reason) {
		value = metric->derive(inputs);
		if (!isfinite(value))
			reason = xstrdup(metric->undefined);
	}
	if (reason)
		counter_list_set_missing(counters, metric->name, metric->unit, source, reason);
	else
		counter_list_set(counters, metric->name, metric->unit, source, value);
	free(reason);
	free(source);
}

/* Whether the median time is a direct input: then the metric is a rate. */
static bool needs_median_time(const struct metric *metric)
{
	for (size_t i = 0; i < METRIC_MAX_INPUTS && metric->inputs[i]; i++) {
		if (metric_find(metric->inputs[i])->from_samples)
			return true;
	}
	return false;
}

static void derive_wanted(struct counter_list *counters, const struct string_list *wanted,
			  bool rates, double median_time_ns)
{
	for (size_t i = 0; i < wanted->count; i++) {
		const struct metric *metric = metric_find(wanted->items[i]);

		if (metric && metric->derive && needs_median_time(metric) == rates)
			metric_derive_one(counters, metric, median_time_ns, "");
	}
}

void metric_derive(struct counter_list *counters, const struct string_list *wanted)
{
	derive_wanted(counters, wanted, false, NAN);
}

void metric_derive_rates(struct counter_list *counters, const struct string_list *wanted,
			 double median_time_ns)
{
	derive_wanted(counters, wanted, true, median_time_ns);
}
