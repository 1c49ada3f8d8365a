/* The counters of a case: derived metrics, which are ratios, sums and rates of others, and what the
 * emulator counted. */
#include "metrics/catalogue/metric_tables.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LANES_PER_WARP 32
#define SECTOR_BYTES 32
#define WAVEFRONT_BYTES 128

static double quotient_or_nan(double numerator, double denominator)
{
	return denominator > 0 ? numerator / denominator : NAN;
}

/* NAN: undefined. */
static double formula_value(enum formula formula, const double *in)
{
	const double sum_of_four = in[0] + in[1] + in[2] + in[3];

	switch (formula) {
	case FORMULA_RATIO:
		return quotient_or_nan(in[0], in[1]);
	case FORMULA_SECTORS:
		/* asynchronous copies add to the sectors, not to the requests */
		return in[0] <= LANES_PER_WARP * in[1] ? quotient_or_nan(in[0], in[1]) : NAN;
	case FORMULA_PERCENT:
		return 100 * quotient_or_nan(in[0], in[1]);
	case FORMULA_PERCENT_REMAINING:
		return 100 * quotient_or_nan(in[0] - in[1], in[0]);
	case FORMULA_PERCENT_OF_LANES:
		return 100 * quotient_or_nan(in[0], LANES_PER_WARP * in[1]);
	case FORMULA_RATIO_TO_SUM:
		return quotient_or_nan(in[0], in[1] + in[2] + in[3]);
	case FORMULA_PER_SECOND:
		return 1e9 * quotient_or_nan(in[0], in[1]);
	case FORMULA_SUM:
		return in[0] + in[1];
	case FORMULA_SUM_OF_FIVE:
		return sum_of_four + in[4];
	case FORMULA_COUNTABLE_FLOP:
		return sum_of_four == 0 && in[4] > 0 ? NAN : sum_of_four;
	case FORMULA_DIFFERENCE:
		return in[0] - in[1];
	case FORMULA_SECTOR_BYTES:
		return SECTOR_BYTES * in[0];
	case FORMULA_WAVEFRONT_BYTES:
		return WAVEFRONT_BYTES * (in[0] + in[1]);
	case FORMULA_FLOP:
		return in[0] + in[1] + 2 * in[2];
	case FORMULA_NONE:
		break;
	}
	return NAN;
}

/* Adds a derived metric to the list that holds its inputs, or the reason why it is missing. `note`
 * is appended to its source. */
static void derive_one(struct counter_list *counters, const struct metric *metric,
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
			derive_one(counters, needed, median_time_ns, note);
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
		value = formula_value(metric->derive, inputs);
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
			derive_one(counters, metric, median_time_ns, "");
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

/* ---- emulated cases ---- */

static const struct emulated_value *find_emulated_value(const struct emulated_value *values,
							size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++) {
		if (strcmp(values[i].name, name) == 0)
			return &values[i];
	}
	return NULL;
}

void metric_emulated_counters(struct counter_list *out, const struct emulated_value *values,
			      size_t count, int64_t blocks_executed, int64_t blocks_total)
{
	const struct emulated_value blocks[] = {
		{.name = "ptx_blocks_executed", .value = (double)blocks_executed},
		{.name = "ptx_blocks_total", .value = (double)blocks_total},
	};
	char *note = blocks_executed < blocks_total
			     ? xasprintf(", sampled: %lld of %lld blocks",
					 (long long)blocks_executed, (long long)blocks_total)
			     : xstrdup("");
	char *source = xasprintf("emulated PTX%s", note);

	for (size_t i = 0; i < emulated_metric_count; i++) {
		const struct metric *metric = &emulated_metrics[i];
		const struct emulated_value *value =
			find_emulated_value(values, count, metric->name);

		if (!value)
			value = find_emulated_value(blocks, ARRAY_SIZE(blocks), metric->name);
		if (metric->derive)
			derive_one(out, metric, NAN, note);
		else if (value && !value->reason)
			counter_list_set(out, metric->name, metric->unit,
					 metric->formula ? metric->formula : source, value->value);
		else
			counter_list_set_missing(out, metric->name, metric->unit,
						 metric->formula ? metric->formula : source,
						 value ? value->reason
						       : "the emulator did not count it");
	}
	free(source);
	free(note);
}
