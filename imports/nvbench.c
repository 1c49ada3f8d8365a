/*
 * Reads the JSON of nvbench: "devices", and "benchmarks" with their "states". A state is one choice
 * of a value on every axis and of a device. Its "summaries" hold the results, each under a tag. The
 * samples are in files beside the JSON if nvbench wrote them (--jsonbin). A state that occurs again
 * becomes a case of its own.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "imports/import_builder.h"

#define S_IN_NS 1e9
#define MAX_DEVICES 1024

/* The measurements that give the time of a state. The first that it has is used. */
static const struct {
	const char *prefix, *time, *what;
} measurements[] = {
	{"nv/cold/", "time/gpu/", "GPU, each execution alone"},
	{"nv/cpu_only/", "time/cpu/", "CPU"},
};

/* ---- summaries ---- */

static const json_t *summary_find(const json_t *state, const char *prefix, const char *tag)
{
	const size_t length = strlen(prefix);
	const json_t *found = NULL;
	json_t *summary;
	size_t index;

	json_array_foreach(json_object_get(state, "summaries"), index, summary)
	{
		const char *its = json_member_text(summary, "tag");

		if (its && strncmp(its, prefix, length) == 0 && strcmp(its + length, tag) == 0)
			found = summary;
	}
	return found;
}

/* A named value of a summary. The first versions of nvbench wrote it as a member. */
static const json_t *summary_value(const json_t *summary, const char *name)
{
	json_t *entry;
	size_t index;

	json_array_foreach(json_object_get(summary, "data"), index, entry)
	{
		const char *its = json_member_text(entry, "name");

		if (its && strcmp(its, name) == 0)
			return json_object_get(entry, "value");
	}
	return json_object_get(summary, name);
}

static double summary_number(const json_t *state, const char *prefix, const char *tag)
{
	return number_of(summary_value(summary_find(state, prefix, tag), "value"));
}

/* NAN unless it is above 0 and finite, as every time and clock is. */
static double positive_summary(const json_t *state, const char *prefix, const char *tag)
{
	const double number = summary_number(state, prefix, tag);

	return isfinite(number) && number > 0 ? number : NAN;
}

static const char *unit_of(const json_t *summary)
{
	static const struct {
		const char *hint, *unit;
	} units[] = {{"duration", "s"},        {"percentage", "ratio"}, {"byte_rate", "byte/s"},
		     {"item_rate", "item/s"},  {"frequency", "Hz"},     {"bytes", "byte"},
		     {"sample_size", "sample"}};
	const char *hint = json_member_text(summary, "hint");

	for (size_t i = 0; hint && i < ARRAY_SIZE(units); i++)
		if (strcmp(hint, units[i].hint) == 0)
			return units[i].unit;
	return "1";
}

/* Stores every other number as a counter with the name of its tag. */
static void counters_take(struct trial *trial, const json_t *state)
{
	json_t *summary;
	size_t index;

	json_array_foreach(json_object_get(state, "summaries"), index, summary)
	{
		const char *tag = json_member_text(summary, "tag");
		const json_t *value = summary_value(summary, "value");
		char *name;

		if (!tag || !value)
			continue;
		name = xasprintf("nvbench:%s", tag);
		if (isfinite(number_of(value)))
			counter_list_set(&trial->counters, name, unit_of(summary), "nvbench",
					 number_of(value));
		else
			counter_list_set_missing(&trial->counters, name, unit_of(summary),
						 "nvbench", "the file has no number for it");
		free(name);
	}
}

/* ---- samples ---- */

/* Reads a little-endian float on any machine. */
static double float_at(const char *bytes)
{
	const unsigned char *b = (const unsigned char *)bytes;
	uint32_t bits =
		(uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
	float value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

/* A JSON file may only name files in folders below its own. */
static bool is_below(const char *path)
{
	struct string_list parts = {0};
	bool below = *path && *path != '/';

	string_list_split(&parts, path, '/');
	for (size_t i = 0; i < parts.count; i++)
		below &= strcmp(parts.items[i], "..") != 0;
	string_list_release(&parts);
	return below;
}

/* "result.json-bin/0.bin" of "out/result.json-bin/0.bin". */
static const char *last_two_parts(const char *path)
{
	const char *part = strrchr(path, '/');

	while (part && part > path && part[-1] != '/')
		part--;
	return part ? part : path;
}

static int samples_read(struct import_trial *measured, struct trial *trial, const char *path,
			int64_t size, struct error *err)
{
	char *bytes = NULL;
	size_t length;
	int rc = read_file(&bytes, &length, path, IMPORT_MAX_BYTES, err);

	if (rc)
		return rc;
	if (size < 0 || length % sizeof(float) || length / sizeof(float) != (size_t)size)
		rc = error_set(err, PL_EPARSE, "%s has %zu bytes, not %lld samples of 4", path,
			       length, (long long)size);
	for (size_t i = 0; !rc && i < length; i += sizeof(float)) {
		double time_ns = float_at(bytes + i) * S_IN_NS;

		if (isfinite(time_ns) && time_ns > 0)
			import_add_sample(measured, time_ns);
		else
			import_refuse_time(trial, "a sample");
	}
	free(bytes);
	return rc;
}

/* Reads the samples from a file beside the JSON. nvbench names it from the folder in which it ran,
 * so only the last two parts of the name say where it lies from the JSON. */
static int samples_take(struct import_run *run, size_t index, const json_t *state,
			const char *prefix, const struct import_source *source, struct error *err)
{
	char *tag = xasprintf("%ssample_times", prefix);
	const json_t *summary = summary_find(state, "nv/json/bin:", tag);
	const char *file = json_string_value(summary_value(summary, "filename"));
	const int64_t size = whole_of(summary_value(summary, "size"));
	const char *const names[] = {file, file ? last_two_parts(file) : NULL};
	int rc = PL_ENOENT;

	free(tag);
	if (!file || !source->folder)
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(names) && rc == PL_ENOENT; i++) {
		char *path = xasprintf("%s/%s", source->folder, names[i]);

		if (is_below(names[i]))
			rc = samples_read(&run->trials[index], &run->run.trials[index], path, size,
					  err);
		free(path);
	}
	run->without_samples += rc == PL_ENOENT;
	return rc == PL_ENOENT ? 0 : rc;
}

/* Takes what nvbench says about its samples. A mean is not a median, so a file of a version that
 * writes only means gives no median, but a mean under its own name. */
static void summary_take(struct import_trial *measured, struct trial *trial, const json_t *state,
			 size_t which)
{
	const char *prefix = measurements[which].prefix;
	char *times = xasprintf("%s%s", prefix, measurements[which].time);
	double median_s = summary_number(state, times, "median");
	double samples = summary_number(state, prefix, "sample_size");
	double mean_s = summary_number(state, times, "mean");

	if (isfinite(median_s) && median_s > 0 && samples >= 1 && samples < 1e15) {
		measured->given.count = (int64_t)samples;
		measured->given.median_ns = median_s * S_IN_NS;
		measured->given.min_ns = positive_summary(state, times, "min") * S_IN_NS;
		measured->given.max_ns = positive_summary(state, times, "max") * S_IN_NS;
	}
	if (isfinite(mean_s) && mean_s > 0)
		trial->mean_ns = mean_s * S_IN_NS;
	/* nvbench writes 0e-20 for what it did not measure */
	if (!(measured->given.count || trial->mean_ns > 0) && (median_s <= 0 || mean_s <= 0))
		import_refuse_time(trial, "the time");
	free(times);
}

static int state_measured(struct import_run *run, size_t index, const json_t *state,
			  const struct import_source *source, struct error *err)
{
	struct import_trial *measured = &run->trials[index];
	size_t which = 0;
	int rc;

	while (which + 1 < ARRAY_SIZE(measurements) &&
	       !summary_find(state, measurements[which].prefix, "sample_size"))
		which++;
	if (summary_find(state, measurements[which].prefix, "sample_size"))
		key_value_set(&run->run.environment, "time", measurements[which].what);
	rc = samples_take(run, index, state, measurements[which].prefix, source, err);
	if (!rc && !measured->count)
		summary_take(measured, &run->run.trials[index], state, which);
	measured->sm_clock_hz = positive_summary(state, "nv/cold/", "sm_clock_rate/mean");
	/* what was computed from a time that is none is none either */
	if (run->run.trials[index].status == TRIAL_OK)
		counters_take(&run->run.trials[index], state);
	return rc;
}

/* ---- devices ---- */

static void device_take(struct device_info *device, const json_t *json)
{
	const int64_t sm_version = whole_of(json_object_get(json, "sm_version"));
	const struct {
		const char *key;
		int64_t *to;
	} numbers[] = {
		{"number_of_sms", &device->sm_count},
		{"max_threads_per_sm", &device->max_threads_per_sm},
		{"max_threads_per_block", &device->max_threads_per_block},
		{"max_blocks_per_sm", &device->max_blocks_per_sm},
		{"registers_per_sm", &device->registers_per_sm},
		{"shared_memory_per_sm", &device->shared_bytes_per_sm},
		{"shared_memory_per_block", &device->shared_bytes_per_block},
		{"l2_cache_size", &device->l2_bytes},
		{"global_memory_size", &device->memory_bytes},
		{"sm_default_clock_rate", &device->sm_clock_max_hz},
		{"global_memory_bus_peak_clock_rate", &device->memory_clock_max_hz},
		{"global_memory_bus_width", &device->memory_bus_bits},
	};
	const char *name = json_member_text(json, "name");

	/* leaves room for the number */
	snprintf(device->name, sizeof(device->name), "%.80s", name && *name ? name : "unknown");
	if (sm_version >= 100 && sm_version < 10000) {
		device->cc_major = (int)(sm_version / 100);
		device->cc_minor = (int)(sm_version % 100 / 10);
	}
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
		int64_t number = whole_of(json_object_get(json, numbers[i].key));

		*numbers[i].to = number > 0 ? number : 0;
	}
}

#define NO_DEVICE (-1)

/* nvbench writes null for a state of the CPU only, which belongs to no device of the list. */
static int64_t device_id(const json_t *value)
{
	return json_is_integer(value) && json_integer_value(value) >= 0 ? json_integer_value(value)
									: NO_DEVICE;
}

static const json_t *nvbench_device_find(const json_t *root, int64_t id)
{
	json_t *device;
	size_t index;

	json_array_foreach(json_object_get(root, "devices"), index, device)
	{
		if (id != NO_DEVICE && device_id(json_object_get(device, "id")) == id)
			return device;
	}
	return NULL;
}

static bool has_equal_device(const json_t *root, const json_t *device)
{
	const char *name = json_member_text(device, "name");
	json_t *other;
	size_t index;

	json_array_foreach(json_object_get(root, "devices"), index, other)
	{
		const char *its = json_member_text(other, "name");

		if (other != device && name && its && strcmp(name, its) == 0)
			return true;
	}
	return false;
}

/* The name is all that identifies a device of a file, so that of equal ones gets their number. */
static void device_number(struct import_run *run, const json_t *root, const json_t *device,
			  int64_t id)
{
	char *name = run->run.device.name;
	const size_t length = strlen(name);

	if (id != NO_DEVICE)
		snprintf(run->device_number, sizeof(run->device_number), " (device %lld)",
			 (long long)id);
	if (has_equal_device(root, device))
		snprintf(name + length, sizeof(run->run.device.name) - length, "%s",
			 run->device_number);
}

static void meta_take(struct run *run, const json_t *root)
{
	const json_t *meta = json_object_get(root, "meta");
	const json_t *version = json_object_get(json_object_get(meta, "version"), "nvbench");
	static const char *const keys[] = {"string", "git_version"};
	struct text command = TEXT_INIT;
	json_t *word;
	size_t index;

	json_array_foreach(json_object_get(meta, "argv"), index, word)
	{
		if (json_is_string(word))
			text_addf(&command, "%s%s", command.length ? " " : "",
				  json_string_value(word));
	}
	if (command.length)
		run->command = text_detach(&command);
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		if (json_member_text(version, keys[i]))
			key_value_set(&run->environment, i ? "nvbench_revision" : "nvbench_version",
				      json_member_text(version, keys[i]));
}

static int run_of(struct import_run **run, struct import *out, int64_t known[MAX_DEVICES],
		  const json_t *root, const json_t *state, struct error *err)
{
	const int64_t id = device_id(json_object_get(state, "device"));
	const json_t *device;

	for (size_t i = 0; i < out->count; i++)
		if (known[i] == id) {
			*run = &out->runs[i];
			return 0;
		}
	if (out->count == MAX_DEVICES)
		return error_set(err, PL_EPARSE, "more than %d devices", MAX_DEVICES);
	known[out->count] = id;
	*run = import_add_run(out);
	device = nvbench_device_find(root, id);
	device_take(&(*run)->run.device, device);
	device_number(*run, root, device, id);
	meta_take(&(*run)->run, root);
	return 0;
}

/* ---- states ---- */

static int state_case(size_t *index, struct import_run *run, const char *benchmark,
		      const json_t *state, size_t occurrence, struct error *err)
{
	struct case_axes axes = {0};
	json_t *axis;
	size_t at;

	json_array_foreach(json_object_get(state, "axis_values"), at, axis)
	{
		const char *name = json_member_text(axis, "name");
		char *value = scalar_text(json_object_get(axis, "value"));

		if (name && value)
			case_axes_add(&axes, name, strlen(name), value);
		free(value);
	}
	if (occurrence > 1)
		case_axes_add_occurrence(&axes, occurrence);
	return import_case(index, run, name_part(benchmark, strlen(benchmark)), xstrdup("default"),
			   &axes, err);
}

static int state_take(struct import_run *run, const char *benchmark, const json_t *state,
		      const struct import_source *source, struct error *err)
{
	size_t before = run->run.trial_count, index;
	struct trial *trial;
	int rc = state_case(&index, run, benchmark, state, 1, err);

	if (!rc && index < before) {
		const size_t occurrence = ++run->trials[index].occurrences + 1;

		run->repeated++;
		rc = state_case(&index, run, benchmark, state, occurrence, err);
	}
	if (rc)
		return rc;
	trial = &run->run.trials[index];
	if (index < before)
		return error_set(err, PL_EPARSE, "%s/%s occurs twice", trial->kernel,
				 trial->config);
	if (!json_is_true(json_object_get(state, "is_skipped")))
		return state_measured(run, index, state, source, err);
	trial->status = TRIAL_SKIPPED;
	trial->reason = xstrdup(json_member_text(state, "skip_reason")
					? json_member_text(state, "skip_reason")
					: "no reason was given");
	return 0;
}

static int benchmark_take(struct import *out, int64_t known[MAX_DEVICES], const json_t *root,
			  const json_t *benchmark, const struct import_source *source,
			  struct error *err)
{
	const char *name = json_member_text(benchmark, "name");
	struct import_run *run = NULL;
	json_t *state;
	size_t index;
	int rc = 0;

	if (!name || !*name)
		return error_set(err, PL_EPARSE, "the benchmark has no name");
	json_array_foreach(json_object_get(benchmark, "states"), index, state)
	{
		rc = run_of(&run, out, known, root, state, err);
		if (!rc)
			rc = state_take(run, name, state, source, err);
		if (rc)
			return error_context(err, rc, "%.80s, states[%zu]", name, index);
	}
	return rc;
}

int import_nvbench(struct import *out, const json_t *root, const struct import_source *source,
		   struct error *err)
{
	json_t *benchmarks = json_object_get(root, "benchmarks"), *benchmark;
	int64_t known[MAX_DEVICES]; /* the ids of devices in the file, by their index in out->runs
				     */
	size_t index;
	int rc = 0;

	if (!json_is_array(benchmarks))
		return error_set(err, PL_EPARSE, "the file has no list \"benchmarks\"");
	json_array_foreach(benchmarks, index, benchmark)
	{
		rc = benchmark_take(out, known, root, benchmark, source, err);
		if (rc) {
			error_context(err, rc, "benchmarks[%zu]", index);
			break;
		}
	}
	return rc;
}
