/*
 * T4, the results of an autotuner as Kernel Tuner writes them, schema version 1.0.0, with the
 * object `metadata` of version 1.1 (github.com/AutoTuningAssociation/autotuning_methodology). Times
 * are in milliseconds, as Kernel Tuner has them. perflab does not record how long it compiled or
 * verified a case, so these optional members are missing.
 */
#include <math.h>
#include <stdlib.h>

#include "reports/derived/derived.h"
#include "reports/export/writers.h"
#include "reports/table/escape.h"

#define NS_PER_MS 1e6

static json_t *metadata_json(const struct run *run)
{
	json_t *metadata = json_object();
	char utc[21];

	export_json_set_text(metadata, "device", run->device.name);
	export_json_set_text(metadata, "platform", run->traits.vendor);
	json_object_set_new(metadata, "autotuner", json_string("perflab"));
	export_json_set_text(metadata, "autotuner_version", run->version);
	json_object_set_new(metadata, "timeunit", json_string("milliseconds"));
	if (run->started_ns > 0) {
		format_utc(utc, run->started_ns);
		json_object_set_new(metadata, "timestamp", json_string(utc));
	}
	return metadata;
}

/* Takes the value. A parameter with the name of another one gets a longer name. */
static void add_t4_parameter(json_t *configuration, const char *name, json_t *value)
{
	struct text shown = TEXT_INIT;

	text_add_escaped(&shown, name);
	while (json_object_get(configuration, shown.data))
		text_add_char(&shown, '_');
	json_object_set_new(configuration, shown.data, value);
	text_release(&shown);
}

/* The kernel and the variant are parameters of the search, too. */
static json_t *configuration_json(const struct trial *trial)
{
	json_t *configuration = json_object();

	export_json_set_text(configuration, "kernel", trial->kernel);
	export_json_set_text(configuration, "variant", trial->variant);
	for (size_t i = 0; i < trial->axis_count; i++)
		add_t4_parameter(configuration, trial->axes[i].name,
				 json_integer(trial->axes[i].value));
	return configuration;
}

static json_t *measurement_json(const char *name, double value, const char *unit)
{
	json_t *measurement = json_object();

	export_json_set_text(measurement, "name", name);
	export_json_set(measurement, "value", value);
	/* an empty unit means: none */
	json_object_set_new(measurement, "unit", json_string(""));
	export_json_set_text(measurement, "unit", unit);
	return measurement;
}

/* The median time, and every counter with a value, under the name that perflab gives it. What the
 * work model says is no measurement. */
static json_t *measurements_json(const struct run *run, const struct trial *trial)
{
	json_t *list = json_array();

	json_array_append_new(list,
			      measurement_json("time", trial->summary.median_ns / NS_PER_MS, "ms"));
	for (size_t i = 0; i < trial->counters.count; i++) {
		const struct counter_value *counter = &trial->counters.items[i];

		if (counter->has_value && isfinite(counter->value) &&
		    run_may_show(run, counter->metric) && !export_is_modelled(counter->metric))
			json_array_append_new(
				list,
				measurement_json(counter->metric, counter->value, counter->unit));
	}
	return list;
}

static int runtimes_json(json_t **out, const struct export_source *source,
			 const struct trial *trial, struct error *err)
{
	json_t *runtimes = json_array();
	struct sample *samples = NULL;
	size_t count = 0;
	int rc = source->samples(source->samples_context, trial->id, &samples, &count, err);

	for (size_t i = 0; i < count && !rc; i++) {
		if (isfinite(samples[i].time_ns))
			json_array_append_new(runtimes, json_real(samples[i].time_ns / NS_PER_MS));
	}
	free(samples);
	*out = json_pack("{s:o}", "runtimes", runtimes);
	return rc;
}

static int result_write(FILE *out, const struct export_source *source, const struct trial *trial,
			struct error *err)
{
	json_t *times = NULL;
	int rc = runtimes_json(&times, source, trial, err);

	if (rc) {
		json_decref(times);
		return rc;
	}
	export_json(out, json_pack("{s:o, s:o, s:s, s:i, s:[s], s:o}", "configuration",
				   configuration_json(trial), "times", times, "invalidity",
				   "correct", "correctness", 1, "objectives", "time",
				   "measurements", measurements_json(source->run, trial)));
	return 0;
}

int export_write_t4(FILE *out, const struct export_source *source, struct error *err)
{
	const struct export_choice *choice = source->choice;
	int rc = 0;

	if (key_value_get(&source->run->environment, "imported_from"))
		return error_set(err, PL_EUSAGE,
				 "t4 says of each case whether its result is right, and perflab "
				 "verified none of run %lld, which was imported",
				 (long long)source->run->id);
	fputs("{\n\"schema_version\": \"1.0.0\",\n\"metadata\": ", out);
	export_json(out, metadata_json(source->run));
	fputs(",\n\"results\": [\n", out);
	for (size_t i = 0; i < choice->count && !rc; i++) {
		if (i)
			fputs(",\n", out);
		rc = result_write(out, source, choice->trials[i], err);
	}
	fputs("\n]\n}\n", out);
	return rc;
}
