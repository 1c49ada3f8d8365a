/* The settings of a run as JSON; see the header. */
#include <inttypes.h>
#include <stdio.h>

#include "reports/derived/derived.h"
#include "reports/table/json.h"

static json_t *metrics_json(const struct string_list *metrics)
{
	json_t *array = json_array();

	for (size_t i = 0; i < metrics->count; i++)
		json_array_append_new(array, report_json_text(metrics->items[i]));
	return array;
}

static void set_if(bool known, json_t *object, const char *name, json_t *value)
{
	if (known)
		json_object_set_new(object, name, value);
	else
		json_decref(value);
}

json_t *run_settings_json(const struct run *run)
{
	const struct measure_settings *settings = &run->settings;
	const unsigned left_out = run->traits.emulated ? SETTINGS_OF_TIMING : 0;
	const unsigned shown = run->settings_known & ~left_out;
	json_t *object;
	char seed[24];

	if (!run->settings_known)
		return report_json_text(run->settings_json);
	object = json_object();
	/* a string: many readers of JSON keep only 53 bits of a number */
	snprintf(seed, sizeof(seed), "%" PRIu64, settings->seed);
#define SET(setting, name, value) set_if(shown &SETTING_##setting, object, name, value)
	SET(DEVICE, "device", json_integer(settings->device));
	SET(SEED, "seed", json_string(seed));
	SET(CACHE, "cache", json_string(settings->cache == CACHE_HOT ? "hot" : "cold"));
	SET(MIN_SAMPLES, "min_samples", json_integer(settings->min_samples));
	SET(MAX_TIME, "max_time_ns", json_integer(settings->max_time_ns));
	SET(PRECISION, "precision", report_json_number(settings->precision));
	SET(ROUNDS, "rounds", json_integer(settings->rounds));
	SET(PLACEMENTS, "placements", json_integer(settings->placements));
	SET(TIMEOUT, "timeout_ns", json_integer(settings->timeout_ns));
	SET(METRICS, "metrics", metrics_json(&settings->metrics));
	SET(CHIP, "chip", report_json_text(settings->chip));
	SET(ALL_BLOCKS, "all_blocks", json_boolean(settings->all_blocks));
	SET(JOBS, "jobs", json_integer(settings->jobs));
	SET(BASE_VARIANT, "base_variant", report_json_text(settings->base_variant));
	SET(COUNTER_DUMP, "counter_dump", report_json_text(settings->counter_dump));
#undef SET
	return object;
}
