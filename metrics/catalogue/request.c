/* From the words of a request to metrics, and from counters to derived metrics. */
#include "metrics/catalogue/catalogue.h"
#include "metrics/catalogue/catalogue_table.h"

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

static const struct metric *catalogue(bool emulated, size_t *count)
{
	return emulated ? metric_all_emulated(count) : metric_all(count);
}

static int unknown_word(const char *word, bool emulated, struct error *err)
{
	const struct metric *metrics;
	struct text nearest = TEXT_INIT;
	const char **names;
	size_t count, named = 0;

	metrics = catalogue(emulated, &count);
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
			  "unknown metric or set '%s'; `perflab list metrics` shows all%s", word,
			  emulated ? "" : ", and any CUPTI name (with \"__\") is taken too");
	free(names);
	text_release(&nearest);
	return PL_EUSAGE;
}

/* A word of the other kind of backend: known, and of no use here. */
static int other_backend(const char *word, bool emulated, struct error *err)
{
	if (emulated)
		return error_set(err, PL_EUSAGE,
				 "'%s' is counted on a GPU, and the backend ptx emulates: ask it "
				 "for the set ptx or metrics of it",
				 word);
	return error_set(err, PL_EUSAGE,
			 "'%s' is emulated, no GPU counts it: sweep with --backend ptx", word);
}

static int request_words(struct string_list *wanted, const struct string_list *names, bool emulated,
			 struct error *err)
{
	const struct metric *metrics;
	struct string_list found = {0};
	size_t count;
	int rc = 0;

	metrics = catalogue(emulated, &count);
	for (size_t i = 0; i < names->count && !rc; i++) {
		const char *word = names->items[i];
		const struct metric *metric = metric_find(word);
		enum metric_set set;

		if (metric_set_parse(&set, word)) {
			if ((set == METRIC_SET_PTX) != emulated)
				rc = other_backend(word, emulated, err);
			for (size_t m = 0; m < count && !rc; m++) {
				if (metrics[m].sets & 1u << set)
					request_metric(&found, &metrics[m]);
			}
		} else if (metric && metric->emulated == emulated) {
			request_metric(&found, metric);
		} else if (metric || (emulated && is_cupti_name(word))) {
			rc = other_backend(word, emulated, err);
		} else if (is_cupti_name(word)) {
			if (!string_list_has(&found, word))
				string_list_add(&found, word);
		} else {
			rc = unknown_word(word, emulated, err);
		}
	}
	for (size_t i = 0; i < found.count && !rc; i++) {
		if (!string_list_has(wanted, found.items[i]))
			string_list_add(wanted, found.items[i]);
	}
	string_list_release(&found);
	return rc;
}

int metric_request(struct string_list *wanted, const struct string_list *names, struct error *err)
{
	return request_words(wanted, names, false, err);
}

int metric_request_emulated(struct string_list *wanted, const struct string_list *names,
			    struct error *err)
{
	return request_words(wanted, names, true, err);
}

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
