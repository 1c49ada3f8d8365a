/* Lookups: metrics, sets, the name of a counter on a chip, recorded passes. */
#include "metrics/catalogue/catalogue.h"
#include "metrics/catalogue/metric_tables.h"

#include <string.h>

static const struct {
	const char *name, *meaning;
} sets[METRIC_SET_COUNT] = {
#define X(symbol, set_name, set_meaning) [symbol] = {set_name, set_meaning},
	METRIC_SET_LIST(X)
#undef X
};

const char *metric_set_name(enum metric_set set)
{
	return sets[set].name;
}

const char *metric_set_meaning(enum metric_set set)
{
	return sets[set].meaning;
}

bool metric_set_parse(enum metric_set *out, const char *name)
{
	for (int set = 0; set < METRIC_SET_COUNT; set++) {
		if (strcmp(sets[set].name, name) == 0) {
			*out = (enum metric_set)set;
			return true;
		}
	}
	return false;
}

const struct metric *metric_all(size_t *count)
{
	*count = hardware_metric_count;
	return hardware_metrics;
}

const struct metric *metric_all_emulated(size_t *count)
{
	*count = emulated_metric_count;
	return emulated_metrics;
}

static const struct metric *find_metric_in(const struct metric *metrics, size_t count,
					   const char *name)
{
	for (size_t i = 0; i < count; i++) {
		if (strcmp(metrics[i].name, name) == 0)
			return &metrics[i];
	}
	return NULL;
}

const struct metric *metric_find(const char *name)
{
	const struct metric *found = find_metric_in(hardware_metrics, hardware_metric_count, name);

	return found ? found : find_metric_in(emulated_metrics, emulated_metric_count, name);
}

bool metric_is_exact(const struct metric *metric)
{
	if (!metric->derive)
		return metric->exact;
	for (size_t i = 0; i < METRIC_MAX_INPUTS && metric->inputs[i]; i++) {
		if (!metric_is_exact(metric_find(metric->inputs[i])))
			return false;
	}
	return true;
}

const char *metric_counter_on(const struct metric *metric, const char *chip)
{
	for (size_t i = 0; i < METRIC_MAX_ALIASES && metric->aliases[i].chip_prefix; i++) {
		const char *prefix = metric->aliases[i].chip_prefix;

		if (strncmp(chip, prefix, strlen(prefix)) == 0)
			return metric->aliases[i].counter;
	}
	return NULL;
}

unsigned metric_set_recorded_passes(enum metric_set set, const char *chip)
{
	static const struct {
		const char *chip;
		unsigned passes[METRIC_SET_COUNT];
	} recorded[] = {
#define CHIP(name, ...) {name, {__VA_ARGS__}},
#include "metrics/catalogue/passes.def"
#undef CHIP
	};

	for (size_t i = 0; i < ARRAY_SIZE(recorded); i++) {
		if (strcmp(recorded[i].chip, chip) == 0)
			return recorded[i].passes[set];
	}
	return 0;
}
