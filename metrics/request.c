/* From the words of a request to metrics, and from counters to derived metrics. */
#include "metrics/metrics.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A metric after its inputs, so that deriving in order finds them. */
static void request_metric(struct string_list *wanted, const struct metric *metric)
{
	if (metric->from_samples)
		return; /* every trial has samples */
	for (size_t i = 0; i < METRIC_MAX_INPUTS && metric->inputs[i]; i++)
		request_metric(wanted, metric_find(metric->inputs[i]));
	if (!string_list_has(wanted, metric->name))
		string_list_add(wanted, metric->name);
}

static bool is_cupti_name(const char *word)
{
	for (const char *c = word; *c; c++) {
		if (!isalnum((unsigned char)*c) && *c != '_' && *c != '.')
			return false;
	}
	return strstr(word, "__") != NULL;
}

static int unknown_word(const char *word, struct error *err)
{
	const struct metric *metrics;
	struct text nearest = TEXT_INIT;
	const char **names;
	size_t count, named = 0;

	metrics = metric_all(&count);
	names = xcalloc(count + METRIC_SET_COUNT, sizeof(*names));
	for (int set = 0; set < METRIC_SET_COUNT; set++)
		names[named++] = metric_set_name((enum metric_set)set);
	for (size_t i = 0; i < count; i++)
		names[named++] = metrics[i].name;
	if (nearest_names(&nearest, word, names, named))
		error_set(err, PL_EUSAGE, "unknown metric or set '%s'; did you mean %s?", word,
			  nearest.data);
	else
		error_set(err, PL_EUSAGE,
			  "unknown metric or set '%s'; `perflab list metrics` shows all, and any "
			  "CUPTI name (with \"__\") is taken too",
			  word);
	free(names);
	text_release(&nearest);
	return PL_EUSAGE;
}

int metric_request(struct string_list *wanted, const struct string_list *names, struct error *err)
{
	const struct metric *metrics;
	struct string_list found = {0};
	size_t count;
	int rc = 0;

	metrics = metric_all(&count);
	for (size_t i = 0; i < names->count && !rc; i++) {
		const char *word = names->items[i];
		const struct metric *metric = metric_find(word);
		enum metric_set set;

		if (metric_set_parse(&set, word)) {
			for (size_t m = 0; m < count; m++) {
				if (metrics[m].sets & 1u << set)
					request_metric(&found, &metrics[m]);
			}
		} else if (metric) {
			request_metric(&found, metric);
		} else if (is_cupti_name(word)) {
			if (!string_list_has(&found, word))
				string_list_add(&found, word);
		} else {
			rc = unknown_word(word, err);
		}
	}
	for (size_t i = 0; i < found.count && !rc; i++) {
		if (!string_list_has(wanted, found.items[i]))
			string_list_add(wanted, found.items[i]);
	}
	string_list_release(&found);
	return rc;
}

static void derive_one(struct counter_list *counters, const struct metric *metric,
		       double median_time_ns)
{
	double inputs[METRIC_MAX_INPUTS] = {0};
	char *source = xasprintf("derived: %s", metric->formula);
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
			derive_one(counters, needed, median_time_ns);
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

static bool is_rate(const struct metric *metric)
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

		if (metric && metric->derive && is_rate(metric) == rates)
			derive_one(counters, metric, median_time_ns);
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
