/*
 * Reads the JSON of Google Benchmark: "context" and "benchmarks". Each repetition becomes one
 * sample, which is the mean of its iterations. Without repetitions the aggregate "median" gives the
 * time; other aggregates are ignored. Benchmarks of one name become cases of their own.
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
	bool ended;      /* its aggregates have begun, so it has no more repetitions */
	char *name;      /* of its first row; NULL: none yet */
	int64_t family, instance, repetition; /* of the row before; -1: the file has none */
	struct counter_values *counters;
	size_t counter_count, counter_capacity;
	struct name_index index; /* of the counters */
};
struct reading {
	struct import_run *run;
	struct name_index names;    /* of all rows */
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
static int case_of(size_t *index, struct reading *reading, const char *run_name, size_t occurrence,
		   struct error *err)
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
	if (occurrence > 1)
		case_axes_add_occurrence(&axes, occurrence);
	rc = import_case(index, reading->run, kernel, variant, &axes, err);
	if (!rc && *index == reading->case_count) {
		reading->cases = xgrow(reading->cases, &reading->case_capacity,
				       reading->case_count + 1, sizeof(*reading->cases));
		reading->cases[reading->case_count++] =
			(struct case_results){.family = -1, .instance = -1, .repetition = -1};
	}
	return rc;
}

static int64_t index_of(const json_t *row, const char *key)
{
	const json_t *value = json_object_get(row, key);

	return json_is_integer(value) ? json_integer_value(value) : -1;
}

/* Whether a row belongs to another benchmark than the rows before it that have the same case. */
static bool is_another(const struct case_results *results, const struct reading *reading,
		       const json_t *row, const char *name, bool aggregate)
{
	const int64_t family = index_of(row, "family_index");
	const int64_t repetition = index_of(row, "repetition_index");

	if (!results->name)
		return false;
	if (family >= 0 && results->family >= 0)
		return family != results->family ||
		       index_of(row, "per_family_instance_index") != results->instance;
	if (aggregate)
		return results->aggregated;
	if (repetition >= 0 && results->repetition >= 0)
		return results->ended || repetition <= results->repetition;
	return strcmp(name, results->name) == 0 &&
	       (results->ended || !google_repeats(name, &reading->names));
}

/* Finds the case of a row. Of several benchmarks with one name, the rows of each come together. */
static int case_of_row(size_t *index, struct reading *reading, const json_t *row, const char *name,
		       bool aggregate, struct error *err)
{
	struct case_results *results;
	size_t first, occurrence;
	int rc = case_of(&first, reading, name, 1, err);

	if (rc)
		return rc;
	*index = first;
	occurrence = reading->run->trials[first].occurrences + 1;
	if (occurrence > 1)
		rc = case_of(index, reading, name, occurrence, err);
	if (!rc && is_another(&reading->cases[*index], reading, row, name, aggregate)) {
		const size_t before = reading->case_count;

		rc = case_of(index, reading, name, occurrence + 1, err);
		if (!rc && reading->case_count == before)
			return error_set(err, PL_EPARSE, "the name %.80s occurs twice", name);
		reading->run->trials[first].occurrences++;
		reading->run->repeated++;
	}
	if (rc)
		return rc;
	results = &reading->cases[*index];
	if (!results->name)
		results->name = xstrdup(name);
	results->family = index_of(row, "family_index");
	results->instance = index_of(row, "per_family_instance_index");
	results->repetition = index_of(row, "repetition_index");
	results->ended |= aggregate;
	return 0;
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

/* Newer versions write "skipped" and a message, with or instead of the error. */
static bool take_failure(struct trial *trial, const json_t *result)
{
	const bool failed = json_is_true(json_object_get(result, "error_occurred"));
	const char *reason = json_member_text(result, failed ? "error_message" : "skip_message");

	if (!failed && !json_is_true(json_object_get(result, "skipped")))
		return false;
	if (trial->status == TRIAL_OK) {
		trial->status = failed ? TRIAL_FAILED : TRIAL_SKIPPED;
		trial->reason = xstrdup(reason && *reason ? reason : "no reason was given");
	}
	return true;
}

static void take_median(struct import_trial *measured, struct case_results *results, json_t *row,
			double time_ns, double unit_ns)
{
	results->aggregated = true;
	measured->given.count = whole_of(json_object_get(row, "repetitions"));
	if (measured->given.count < 1)
		measured->given.count = 1;
	measured->given.median_ns = time_ns;
	/* repetitions have their own counters */
	if (!measured->count)
		counters_add(results, row, unit_ns);
}

/* Takes the time of a row. A missing or negative one shows that the file is no such file; one that
 * is 0, NaN or infinite, which null stands for, shows that this benchmark measured nothing. */
static int take_time(struct reading *reading, json_t *row, size_t at, bool aggregate,
		     const char *where, struct error *err)
{
	const double unit_ns = unit_in_ns(json_member_text(row, "time_unit"));
	const json_t *time = json_object_get(row, "real_time");
	const double time_ns = number_of(time) * unit_ns;
	struct import_trial *measured = &reading->run->trials[at];
	struct case_results *results = &reading->cases[at];

	if (unit_ns == 0)
		return error_set(err, PL_EPARSE, "%s: unknown time_unit '%.20s'", where,
				 json_member_text(row, "time_unit"));
	if (!json_is_null(time) && !(time_ns >= 0))
		return error_set(err, PL_EPARSE, "%s has no real_time", where);
	if (!(time_ns > 0) || !isfinite(time_ns)) {
		import_refuse_time(&reading->run->run.trials[at], "real_time");
		return 0;
	}
	if (aggregate)
		take_median(measured, results, row, time_ns, unit_ns);
	else
		import_add_sample(measured, time_ns);
	if (measured->count && !results->aggregated)
		counters_add(results, row, unit_ns);
	return 0;
}

/* After the aggregates of a benchmark, a row of the same name belongs to another one. */
static int end_repetitions(struct reading *reading, const char *name, struct error *err)
{
	size_t at;
	int rc;

	/* without a row of its own, the case would stay empty */
	if (name_index_find(&reading->names, name) == NO_NAME)
		return 0;
	rc = case_of(&at, reading, name, 1, err);
	if (!rc && reading->run->trials[at].occurrences)
		rc = case_of(&at, reading, name, reading->run->trials[at].occurrences + 1, err);
	if (!rc)
		reading->cases[at].ended = true;
	return rc;
}

static int take_row(struct reading *reading, json_t *row, size_t index, struct error *err)
{
	const char *name = json_member_text(row, "run_name"), *aggregate;
	char *base, where[128];
	size_t at, length;
	int rc;

	if (!name)
		name = json_member_text(row, "name");
	if (!name || !*name)
		return error_set(err, PL_EPARSE, "benchmarks[%zu] has no name", index);
	snprintf(where, sizeof(where), "benchmarks[%zu] (%.80s)", index, name);
	aggregate = google_aggregate_of(&length, row, &reading->names);
	base = xstrndup(name, length);
	if (aggregate && strcmp(aggregate, "median") != 0) {
		rc = end_repetitions(reading, base, err);
	} else {
		rc = case_of_row(&at, reading, row, base, aggregate != NULL, err);
		if (!rc && !take_failure(&reading->run->run.trials[at], row))
			rc = take_time(reading, row, at, aggregate != NULL, where, err);
	}
	free(base);
	return rc;
}

/* ---- the run ---- */

/* Stores the median of the repetitions. */
static void counters_finish(struct trial *trial, const struct case_results *results)
{
	static const char *const units[][2] = {
		{"cpu_time", "ns"}, {"bytes_per_second", "byte/s"}, {"items_per_second", "item/s"}};

	for (size_t i = 0; i < results->counter_count; i++) {
		const struct counter_values *counter = &results->counters[i];
		char *name = xasprintf("google-benchmark:%s", counter->name);
		const char *unit = "1";

		for (size_t k = 0; k < ARRAY_SIZE(units); k++)
			if (strcmp(counter->name, units[k][0]) == 0)
				unit = units[k][1];
		counter_list_set(&trial->counters, name, unit, "Google Benchmark",
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
		free(results->name);
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
	google_names_collect(&reading.names, benchmarks);
	json_array_foreach(benchmarks, index, result)
	{
		rc = take_row(&reading, result, index, err);
		if (rc)
			break;
	}
	cases_finish(&reading);
	name_index_release(&reading.names);
	if (!rc && !reading.run->run.trial_count)
		rc = error_set(err, PL_EPARSE,
			       "the file has neither repetitions nor medians, only other "
			       "aggregates");
	return rc;
}
