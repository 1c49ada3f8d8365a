/*
 * Reads the JSON of Google Benchmark: "context" and "benchmarks". Each repetition becomes one
 * sample, which is the mean of its iterations. Without repetitions the aggregate "median" gives the
 * time; other aggregates are ignored.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "imports/import_builder.h"
#include "metrics/analysis/statistics.h"

/* Members of a result that Google Benchmark defines. Any other number is a user's counter. */
static const char *const known_members[] = {
	"family_index", "per_family_instance_index",
	"repetitions",  "repetition_index",
	"threads",      "iterations",
	"real_time",    "cpu_time",
};

/* The counters of a trial, each with one value per repetition. */
struct counter_values {
	char *name;
	double *values;
	size_t count, capacity;
};
struct case_results {
	bool aggregated; /* an aggregate gave its summary */
	struct counter_values *counters;
	size_t counter_count, counter_capacity;
	struct name_index index; /* of the counters */
};
struct reading {
	struct import_run *run;
	struct case_results *cases; /* one per trial of the run */
	size_t case_count, case_capacity;
};

/* ---- names ---- */

/* Words that say how a case was measured. They are not part of its name. */
static bool is_about_measuring(const char *word, size_t length)
{
	static const char *const words[] = {"repeats", "iterations", "min_time", "min_warmup_time"};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (strlen(words[i]) == length && strncmp(words[i], word, length) == 0)
			return true;
	return false;
}

/* "/8/bytes:4096/real_time": arguments by position or by name, and words about measuring. */
static void arguments_take(struct case_axes *axes, const char *rest)
{
	struct string_list words = {0};
	int place = 0;

	string_list_split(&words, rest, '/');
	for (size_t i = 0; i < words.count; i++) {
		const char *word = words.items[i];
		const char *colon = strchr(word, ':');
		int64_t number;

		if (colon && is_about_measuring(word, (size_t)(colon - word)))
			continue;
		if (colon) {
			case_axes_add(axes, word, (size_t)(colon - word), colon + 1);
		} else if (parse_i64(&number, word, NULL) == 0) {
			char *name = xasprintf("arg%d", ++place);

			case_axes_add(axes, name, strlen(name), word);
			free(name);
		} else {
			case_axes_add(axes, word, strlen(word), "1");
		}
	}
	string_list_release(&words);
}

/* "sum<double>/1024/real_time": the family, its template arguments, its arguments. */
static int case_of(size_t *index, struct reading *reading, const char *run_name, struct error *err)
{
	struct case_axes axes = {0};
	size_t length = strcspn(run_name, "/<");
	const char *rest = run_name + length;
	char *kernel = name_part(run_name, length), *variant;
	int rc;

	if (*rest == '<') {
		/* up to the last bracket, because types may contain slashes and brackets */
		const char *end = strrchr(rest, '>');
		size_t inside = end ? (size_t)(end - rest) - 1 : strlen(rest + 1);

		variant = name_part(rest + 1, inside);
		rest = end ? end + 1 : rest + 1 + inside;
	} else {
		variant = xstrdup("default");
	}
	if (*rest == '/')
		arguments_take(&axes, rest + 1);
	rc = import_case(index, reading->run, kernel, variant, &axes, err);
	if (!rc && *index == reading->case_count) {
		reading->cases = xgrow(reading->cases, &reading->case_capacity,
				       reading->case_count + 1, sizeof(*reading->cases));
		reading->cases[reading->case_count++] = (struct case_results){0};
	}
	return rc;
}

static void counter_add(struct case_results *results, const char *name, double value)
{
	size_t at = name_index_find(&results->index, name);
	struct counter_values *counter;

	if (at == NO_NAME) {
		at = results->counter_count;
		results->counters = xgrow(results->counters, &results->counter_capacity,
					  results->counter_count + 1, sizeof(*results->counters));
		results->counters[results->counter_count++] =
			(struct counter_values){.name = xstrdup(name)};
		name_index_add(&results->index, results->counters[at].name, at);
	}
	counter = &results->counters[at];
	counter->values = xgrow(counter->values, &counter->capacity, counter->count + 1,
				sizeof(*counter->values));
	counter->values[counter->count++] = value;
}

static void counters_add(struct case_results *results, json_t *result, double unit_ns)
{
	const char *key;
	json_t *value;

	json_object_foreach(result, key, value)
	{
		bool known = !json_is_number(value);

		for (size_t i = 0; i < ARRAY_SIZE(known_members); i++)
			known |= strcmp(key, known_members[i]) == 0;
		if (!known)
			counter_add(results, key, json_number_value(value));
	}
	value = json_object_get(result, "cpu_time");
	if (json_is_number(value))
		counter_add(results, "cpu_time", json_number_value(value) * unit_ns);
}

/* ---- results ---- */

/* Returns 0 for an unknown unit. */
static double unit_in_ns(const char *unit)
{
	static const struct {
		const char *name;
		double ns;
	} units[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};

	for (size_t i = 0; i < ARRAY_SIZE(units); i++)
		if (!unit || strcmp(units[i].name, unit) == 0)
			return units[i].ns;
	return 0;
}

static void trial_fail(struct trial *trial, enum trial_status status, const char *reason)
{
	if (trial->status != TRIAL_OK)
		return;
	trial->status = status;
	trial->reason = xstrdup(reason && *reason ? reason : "no reason was given");
}

/* Newer versions write "skipped" and a message, with or instead of the error. */
static bool take_failure(struct trial *trial, const json_t *result)
{
	const json_t *skipped = json_object_get(result, "skipped");

	if (json_is_true(json_object_get(result, "error_occurred"))) {
		trial_fail(trial, TRIAL_FAILED, json_member_text(result, "error_message"));
		return true;
	}
	if (json_is_true(skipped)) {
		trial_fail(trial, TRIAL_SKIPPED, json_member_text(result, "skip_message"));
		return true;
	}
	return false;
}

static void take_aggregate(struct import_trial *measured, struct case_results *results,
			   json_t *result, double time_ns, double unit_ns)
{
	const char *name = json_member_text(result, "aggregate_name");

	if (!name || strcmp(name, "median") != 0)
		return;
	results->aggregated = true;
	measured->given.count = whole_of(json_object_get(result, "repetitions"));
	if (measured->given.count < 1)
		measured->given.count = 1;
	measured->given.median_ns = time_ns;
	/* repetitions have their own counters */
	if (!measured->count)
		counters_add(results, result, unit_ns);
}

static int take_result(struct reading *reading, json_t *result, size_t index, struct error *err)
{
	const char *run_name = json_member_text(result, "run_name");
	const char *type = json_member_text(result, "run_type");
	double unit_ns = unit_in_ns(json_member_text(result, "time_unit"));
	double time_ns = number_of(json_object_get(result, "real_time")) * unit_ns;
	struct import_trial *measured;
	struct case_results *results;
	struct trial *trial;
	size_t at;
	int rc;

	if (!run_name)
		run_name = json_member_text(result, "name");
	if (!run_name || !*run_name)
		return error_set(err, PL_EPARSE, "benchmarks[%zu] has no name", index);
	rc = case_of(&at, reading, run_name, err);
	if (rc)
		return rc;
	results = &reading->cases[at];
	trial = &reading->run->run.trials[at];
	measured = &reading->run->trials[at];
	if (take_failure(trial, result))
		return 0;
	if (unit_ns == 0)
		return error_set(err, PL_EPARSE,
				 "benchmarks[%zu] (%.80s): unknown time_unit '%.20s'", index,
				 run_name, json_member_text(result, "time_unit"));
	if (type && strcmp(type, "aggregate") == 0 && !isfinite(time_ns))
		return 0; /* for example the aggregate "BigO" */
	if (!isfinite(time_ns) || time_ns < 0)
		return error_set(err, PL_EPARSE, "benchmarks[%zu] (%.80s) has no real_time", index,
				 run_name);
	if (type && strcmp(type, "aggregate") == 0)
		take_aggregate(measured, results, result, time_ns, unit_ns);
	else
		import_add_sample(measured, time_ns);
	if (measured->count && !results->aggregated)
		counters_add(results, result, unit_ns);
	return 0;
}

/* ---- the run ---- */

static const char *google_counter_unit(const char *name)
{
	if (strcmp(name, "cpu_time") == 0)
		return "ns";
	if (strcmp(name, "bytes_per_second") == 0)
		return "byte/s";
	if (strcmp(name, "items_per_second") == 0)
		return "item/s";
	return "1";
}

/* Stores the median of the repetitions. */
static void counters_finish(struct trial *trial, const struct case_results *results)
{
	for (size_t i = 0; i < results->counter_count; i++) {
		const struct counter_values *counter = &results->counters[i];
		char *name = xasprintf("google-benchmark:%s", counter->name);

		counter_list_set(&trial->counters, name, google_counter_unit(counter->name),
				 "Google Benchmark",
				 summarise(counter->values, counter->count).median_ns);
		free(name);
	}
}

static void cases_finish(struct reading *reading)
{
	for (size_t i = 0; i < reading->case_count; i++) {
		struct case_results *results = &reading->cases[i];
		struct trial *trial = &reading->run->run.trials[i];

		if (trial->status == TRIAL_OK)
			counters_finish(trial, results);
		for (size_t j = 0; j < results->counter_count; j++) {
			free(results->counters[j].name);
			free(results->counters[j].values);
		}
		free(results->counters);
		name_index_release(&results->index);
	}
	free(reading->cases);
}

static void context_take(struct run *run, json_t *context)
{
	const char *host = json_member_text(context, "host_name");
	const char *key;
	json_t *value;

	snprintf(run->device.name, sizeof(run->device.name), "%s%.100s", host ? "host " : "unknown",
		 host ? host : "");
	run->started_ns = import_time_ns(json_member_text(context, "date"));
	if (json_member_text(context, "executable"))
		run->command = xstrdup(json_member_text(context, "executable"));
	json_object_foreach(context, key, value)
	{
		char *text = scalar_text(value);

		if (text && strcmp(key, "date") != 0 && strcmp(key, "executable") != 0)
			key_value_set(&run->environment, key, text);
		free(text);
	}
	key_value_set(&run->environment, "samples", "each is the mean of many iterations");
}

int import_google_benchmark(struct import *out, const json_t *root,
			    const struct import_source *source, struct error *err)
{
	json_t *benchmarks = json_object_get(root, "benchmarks");
	struct reading reading = {0};
	json_t *result;
	size_t index;
	int rc = 0;

	(void)source;
	if (!json_is_array(benchmarks))
		return error_set(err, PL_EPARSE, "the file has no list \"benchmarks\"");
	if (!json_array_size(benchmarks))
		return 0;
	reading.run = import_add_run(out);
	context_take(&reading.run->run, json_object_get(root, "context"));
	json_array_foreach(benchmarks, index, result)
	{
		rc = take_result(&reading, result, index, err);
		if (rc)
			break;
	}
	cases_finish(&reading);
	return rc;
}
