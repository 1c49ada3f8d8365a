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

json_t *run_settings_json(const struct run *run)
{
	const struct measure_settings *settings = &run->settings;
	const bool timed = !run->traits.emulated;
	json_t *object;
	char seed[24];

	if (!run->has_settings)
		return report_json_text(run->settings_json);
	object = json_object();
	/* a string: many readers of JSON keep only 53 bits of a number */
	snprintf(seed, sizeof(seed), "%" PRIu64, settings->seed);
	json_object_set_new(object, "device", json_integer(settings->device));
	json_object_set_new(object, "seed", json_string(seed));
	if (timed) {
		json_object_set_new(object, "cache",
				    json_string(settings->cache == CACHE_HOT ? "hot" : "cold"));
		json_object_set_new(object, "min_samples", json_integer(settings->min_samples));
		json_object_set_new(object, "max_time_ns", json_integer(settings->max_time_ns));
		json_object_set_new(object, "precision", report_json_number(settings->precision));
		json_object_set_new(object, "rounds", json_integer(settings->rounds));
	}
	json_object_set_new(object, "timeout_ns", json_integer(settings->timeout_ns));
	json_object_set_new(object, "metrics", metrics_json(&settings->metrics));
	json_object_set_new(object, "chip", report_json_text(settings->chip));
	json_object_set_new(object, "all_blocks", json_boolean(settings->all_blocks));
	json_object_set_new(object, "jobs", json_integer(settings->jobs));
	if (timed)
		json_object_set_new(object, "counter_dump",
				    report_json_text(settings->counter_dump));
	return object;
}
