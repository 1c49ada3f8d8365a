/* Counters of an emulated case: the values that the emulator counted, and the metrics derived from
 * them. */
#include "metrics/catalogue/catalogue.h"
#include "metrics/catalogue/derive.h"
#include "metrics/catalogue/metric_tables.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct emulated_value *find_emulated_value(const struct emulated_value *values,
							size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++) {
		if (strcmp(values[i].name, name) == 0)
			return &values[i];
	}
	return NULL;
}

static void set_count(struct counter_list *counters, const struct metric *metric,
		      const struct emulated_value *value, const char *source)
{
	if (!value)
		counter_list_set_missing(counters, metric->name, metric->unit, source,
					 "the emulator did not count it");
	else if (value->reason)
		counter_list_set_missing(counters, metric->name, metric->unit, source,
					 value->reason);
	else
		counter_list_set(counters, metric->name, metric->unit, source, value->value);
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
			metric_derive_one(out, metric, NAN, note);
		else
			set_count(out, metric, value, metric->formula ? metric->formula : source);
	}
	free(source);
	free(note);
}
