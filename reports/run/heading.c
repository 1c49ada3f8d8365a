/* The lines about a run as a whole: before its results, and about how they were measured. */
#include <string.h>

#include "reports/derived/derived.h"
#include "reports/run/run.h"

static void heading_add(struct key_value_list *lines, const char *key, struct text *value)
{
	if (value->length)
		key_value_set(lines, key, value->data);
	text_release(value);
}

static void heading_device(struct key_value_list *lines, const struct device_info *device)
{
	struct text value = TEXT_INIT;
	const char *separator = " (";

	if (!device->name[0])
		return;
	text_add(&value, device->name);
	if (device->chip[0]) {
		text_addf(&value, "%s%s", separator, device->chip);
		separator = ", ";
	}
	if (device->cc_major > 0) {
		text_addf(&value, "%scompute capability %d.%d", separator, device->cc_major,
			  device->cc_minor);
		separator = ", ";
	}
	if (separator[0] == ',')
		text_add_char(&value, ')');
	if (device->driver[0])
		text_addf(&value, ", driver %s", device->driver);
	if (device->toolkit[0])
		text_addf(&value, ", CUDA toolkit %s", device->toolkit);
	heading_add(lines, "device", &value);
}

static void heading_when(struct key_value_list *lines, const struct run *run)
{
	struct text value = TEXT_INIT;
	char when[21], took[32];

	format_utc(when, run->started_ns);
	text_add(&value, when);
	if (run->finished_ns > 0) {
		format_duration(took, (double)(run->finished_ns - run->started_ns));
		text_addf(&value, ", took %s", took);
	}
	text_addf(&value, ", %s", run_state_name(run->state));
	heading_add(lines, "when", &value);
}

static void heading_emulated(struct key_value_list *lines, const struct run *run)
{
	struct text value = TEXT_INIT;

	text_addf(&value, "emulated PTX: no times; seed %llu", (unsigned long long)run->seed);
	heading_add(lines, "method", &value);
}

/* The most rounds of a case: --decide adds some. */
static int most_rounds(const struct run *run)
{
	int most = 0;

	for (size_t i = 0; i < run->trial_count; i++)
		if (run->trials[i].rounds_done > most)
			most = run->trials[i].rounds_done;
	return most;
}

static void heading_measured(struct key_value_list *lines, const struct run *run)
{
	const struct measure_settings *settings = &run->settings;
	struct text value = TEXT_INIT;

	if (run->settings_known & SETTING_CACHE)
		text_addf(&value, "%s cache, ", settings->cache == CACHE_HOT ? "hot" : "cold");
	text_addf(&value, "%d %s", run->rounds, run->rounds == 1 ? "round" : "rounds");
	if (run->rounds && most_rounds(run) > run->rounds)
		text_addf(&value, ", of some cases up to %d", most_rounds(run));
	/* an imported run has no settings and no seed; every other run has its seed stored */
	if (run->settings_known)
		text_addf(&value, ", seed %llu", (unsigned long long)run->seed);
	if (run->settings_known & SETTING_MIN_SAMPLES)
		text_addf(&value, ", at least %lld samples", (long long)settings->min_samples);
	if (run->settings_known & SETTING_PRECISION)
		text_addf(&value, ", until the median is known to ±%.3g %%",
			  100 * settings->precision);
	heading_add(lines, "method", &value);
}

static void heading_cases(struct key_value_list *lines, const struct run *run,
			  const struct report_options *options)
{
	const struct report_selection *selection = options->selection;
	const bool selected = options->whole && options->whole->trial_count != run->trial_count;
	struct text value = TEXT_INIT;
	struct run_counts counts;

	run_count(&counts, run);
	text_addf(&value, "%zu", run->trial_count);
	if (selected)
		text_addf(&value, " of %zu", options->whole->trial_count);
	for (size_t i = 0; i < TRIAL_STATUS_COUNT; i++) {
		/* list the good cases first */
		size_t status = i == 0 ? TRIAL_OK : i == TRIAL_OK ? TRIAL_PENDING : i;

		if (counts.by_status[status])
			text_addf(&value, "%s%zu %s", strchr(value.data, '(') ? ", " : " (",
				  counts.by_status[status],
				  trial_status_name((enum trial_status)status));
	}
	if (run->trial_count)
		text_add_char(&value, ')');
	for (size_t i = 0; selected && selection && i < selection->pattern_count; i++)
		text_addf(&value, "%s%s", i ? " " : " that match ", selection->patterns[i]);
	heading_add(lines, "cases", &value);
}

/* The GPUs of its sweep that have no run. */
static void heading_absent(struct key_value_list *lines, const struct run *run)
{
	struct text value = TEXT_INIT;
	struct gpu_absence absent;
	size_t at = 0;

	while (gpu_absence_next(&absent, run, &at))
		text_addf(&value, "%sGPU %lld: %s", value.length ? "; " : "",
			  (long long)absent.number, absent.reason);
	heading_add(lines, "no run of", &value);
}

static bool has_taken_counters(const struct trial *trial)
{
	for (size_t i = 0; i < trial->counters.count; i++)
		if (strstr(trial->counters.items[i].source, COUNTER_TAKEN))
			return true;
	return false;
}

/* The source of a derived metric does not name the run that its inputs were taken from. */
static void heading_taken(struct key_value_list *lines, const struct run *run)
{
	struct text value = TEXT_INIT;
	size_t taken = 0;

	for (size_t i = 0; i < run->trial_count; i++)
		taken += has_taken_counters(&run->trials[i]);
	if (taken)
		text_addf(&value, "exact counters of %zu of %zu cases, from earlier runs", taken,
			  run->trial_count);
	heading_add(lines, "copied", &value);
}

void run_heading(struct key_value_list *lines, const struct run *run,
		 const struct report_options *options)
{
	static const struct {
		const char *key, *line;
	} shown_environment[] = {{"counters_off", "counters"},
				 {"ptx_compiler", "compiler"},
				 {"profiler", "profiler"},
				 {GPUS_INTERFERENCE_FOUND_KEY, "disturbed"}};
	const char *build_type = key_value_get(&run->environment, "build_type");
	const char *failed = key_value_get(&run->environment, GPUS_FAILED_KEY);
	struct text roofs = TEXT_INIT, changes = TEXT_INIT;

	if (run->label)
		key_value_set(lines, "label", run->label);
	heading_device(lines, &run->device);
	heading_when(lines, run);
	if (failed && !options->gpus && run->state != RUN_FINISHED)
		key_value_set(lines, "failed", failed); /* of several runs, their table says it */
	if (!options->gpus)
		heading_absent(lines, run); /* of several runs, their table says it */
	heading_cases(lines, run, options);
	run_changes_text(&changes, run);
	heading_add(lines, "changes", &changes);
	for (size_t i = 0; i < ARRAY_SIZE(shown_environment); i++) {
		const char *value = key_value_get(&run->environment, shown_environment[i].key);

		if (value && *value)
			key_value_set(lines, shown_environment[i].line, value);
	}
	heading_taken(lines, run);
	if (options->roofs_of) {
		text_addf(&roofs, "those of GPU %d, for all GPUs",
			  options->roofs_of->settings.device);
		heading_add(lines, "roofs", &roofs);
	}
	if (build_type && strcmp(build_type, "Debug") == 0)
		key_value_set(lines, "warning", "perflab was a Debug build");
	if (run->note)
		key_value_set(lines, "note", run->note);
}

void run_heading_title(struct text *title, struct text *uid, const struct run *run,
		       const struct report_options *options)
{
	const struct gpu_group *group = options->gpus;
	const char *own = run->uid;

	if (group) {
		own = key_value_get(&group->runs[0].environment, GPUS_GROUP_KEY);
		text_addf(title, "Sweep on %lld %s, %s", (long long)group->gpus,
			  group->gpus == 1 ? "GPU" : "GPUs", group->spread ? "spread" : "split");
	} else {
		text_addf(title, "Run %lld", (long long)run->id);
	}
	text_addf(uid, "%.12s", own ? own : "");
}

void run_heading_method(struct key_value_list *lines, const struct run *run)
{
	key_value_set(lines, "backend", run->backend ? run->backend : "unknown");
	if (run->command)
		key_value_set(lines, "command", run->command);
	if (run->source_revision)
		key_value_set(lines, "revision", run->source_revision);
	if (run->origin)
		key_value_set(lines, "origin", run->origin);
	if (run->traits.emulated)
		heading_emulated(lines, run);
	else
		heading_measured(lines, run);
}
