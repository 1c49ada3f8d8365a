/* Values of runs and trials that several formats show; see the header. */
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "metrics/catalogue/catalogue.h"
#include "reports/derived/derived.h"
#include "reports/table/json.h"

#define REVISION_SHOWN 12 /* as git abbreviates the revisions of a large repository */

double trial_model_gb_per_s(const struct trial *trial)
{
	double bytes;

	if (!trial->has_work || !(trial->summary.median_ns > 0))
		return NAN;
	bytes = (double)trial->bytes_read + (double)trial->bytes_written;
	/* bytes per nanosecond equal 1e9 bytes per second */
	return bytes > 0 ? bytes / trial->summary.median_ns : NAN;
}

double trial_model_gflop_per_s(const struct trial *trial)
{
	if (!trial->has_work || trial->flop <= 0 || !(trial->summary.median_ns > 0))
		return NAN;
	return (double)trial->flop / trial->summary.median_ns;
}

double trial_theoretical_occupancy_pct(const struct trial *trial)
{
	const struct counter_value *counter;

	if (isfinite(trial->facts.theoretical_occupancy_pct))
		return trial->facts.theoretical_occupancy_pct;
	counter = counter_list_find(&trial->counters, THEORETICAL_OCCUPANCY);
	return counter && counter->has_value ? counter->value : NAN;
}

struct launch_facts trial_launch_facts(const struct trial *trial)
{
	struct launch_facts facts = trial->facts;

	facts.theoretical_occupancy_pct = trial_theoretical_occupancy_pct(trial);
	return facts;
}

double trial_half_interval_pct(const struct trial *trial)
{
	const struct summary *summary = &trial->summary;

	if (!(summary->median_ns > 0))
		return NAN;
	return 100 * (summary->session_high_ns - summary->session_low_ns) / 2 / summary->median_ns;
}

const struct named_value *trial_axis(const struct trial *trial, const char *name)
{
	for (size_t i = 0; i < trial->axis_count; i++) {
		if (strcmp(trial->axes[i].name, name) == 0)
			return &trial->axes[i];
	}
	return NULL;
}

static bool any_trial_has_axis(const struct run *run, const char *name)
{
	for (size_t i = 0; i < run->trial_count; i++) {
		if (trial_axis(&run->trials[i], name))
			return true;
	}
	return false;
}

void run_axis_names(struct string_list *names, const struct run *run)
{
	static const char *const first[] = {"block", "n"};

	for (size_t i = 0; i < ARRAY_SIZE(first); i++) {
		if (any_trial_has_axis(run, first[i]))
			string_list_add(names, first[i]);
	}
	for (size_t i = 0; i < run->trial_count; i++) {
		const struct trial *trial = &run->trials[i];

		for (size_t j = 0; j < trial->axis_count; j++) {
			if (!string_list_has(names, trial->axes[j].name))
				string_list_add(names, trial->axes[j].name);
		}
	}
}

void run_changes_text(struct text *out, const struct run *run)
{
	const struct trial *most = NULL;
	size_t slower = 0, faster = 0;

	for (size_t i = 0; i < run->trial_count; i++) {
		const struct trial *trial = &run->trials[i];

		slower += trial->slower;
		faster += trial->faster;
		if (trial->slower && (!most || trial->times_before > most->times_before))
			most = trial;
	}
	if (most) {
		char *name = trial_case_name(most);

		text_addf(out, "%zu slower", slower);
		if (isfinite(most->times_before) && most->times_before > 1)
			text_addf(out, ", most x%.2f", most->times_before);
		text_addf(out, ": %s", name);
		free(name);
	}
	if (faster)
		text_addf(out, "%s%zu faster", most ? "; " : "", faster);
}

bool run_may_show(const struct run *run, const char *metric)
{
	const struct metric *known = metric_find(metric);

	return run->traits.emulated == (known && known->emulated);
}

void run_counter_names(struct string_list *names, const struct run *run)
{
	for (size_t i = 0; i < run->trial_count; i++) {
		const struct counter_list *counters = &run->trials[i].counters;

		for (size_t j = 0; j < counters->count; j++) {
			const char *metric = counters->items[j].metric;

			/* known without counting: reports show it as a fact of the launch */
			if (strcmp(metric, THEORETICAL_OCCUPANCY) != 0 &&
			    run_may_show(run, metric) && !string_list_has(names, metric))
				string_list_add(names, metric);
		}
	}
}

void run_count(struct run_counts *counts, const struct run *run)
{
	*counts = (struct run_counts){0};
	for (size_t i = 0; i < run->trial_count; i++) {
		enum trial_status status = run->trials[i].status;

		counts->by_status[status]++;
		counts->failures += trial_status_is_failure(status);
	}
}

char *report_revision(const char *revision)
{
	static const char dirty[] = "-dirty";
	size_t length = strlen(revision), tail = sizeof(dirty) - 1;
	bool is_dirty = length > tail && strcmp(revision + length - tail, dirty) == 0;

	if (length <= REVISION_SHOWN + (is_dirty ? tail : 0))
		return xstrdup(revision);
	return xasprintf("%.*s%s", REVISION_SHOWN, revision, is_dirty ? dirty : "");
}

/* ---- a trial under the roofline ---- */

const char *emulated_level_name(enum memory_level level)
{
	static const char *const names[MEMORY_LEVEL_COUNT] = {
		[LEVEL_DRAM] = "ptx_compulsory",
		[LEVEL_L1] = "ptx_global_sectors",
		[LEVEL_SHARED] = "ptx_shared_wavefronts",
	};

	return names[level];
}

void trial_roofline_init(struct trial_roofline *out, const struct run *run,
			 const struct trial *trial, const struct ceiling_list *ceilings)
{
	const struct verdict_context context = verdict_context_of(run, ceilings);

	roofline_point_of(&out->point, trial, run->traits.emulated, ceilings);
	verdict_of(&out->verdict, trial, &out->point, &context);
}

void trial_roofline_release(struct trial_roofline *roofline)
{
	verdict_release(&roofline->verdict);
}

bool trial_is_above_roof(const struct run *run, const struct trial *trial,
			 const struct ceiling_list *ceilings)
{
	const struct verdict_context context = verdict_context_of(run, ceilings);
	struct roofline_point point;

	roofline_point_of(&point, trial, run->traits.emulated, ceilings);
	return verdict_is_above_roof(trial, &point, &context);
}

/* ---- the cases of a kernel ---- */

void run_kernels_init(struct run_kernels *out, const struct run *run)
{
	size_t *last = xcalloc(run->trial_count + 1, sizeof(*last));

	*out = (struct run_kernels){
		.run = run,
		.first = xcalloc(run->trial_count + 1, sizeof(*out->first)),
		.next = xcalloc(run->trial_count + 1, sizeof(*out->next)),
	};
	for (size_t i = 0; i < run->trial_count; i++) {
		const char *name = run->trials[i].kernel;
		size_t kernel = name_index_find(&out->index, name);

		out->next[i] = run->trial_count;
		if (kernel == NO_NAME) {
			kernel = out->count++;
			out->first[kernel] = i;
			name_index_add(&out->index, name, kernel);
		} else {
			out->next[last[kernel]] = i;
		}
		last[kernel] = i;
	}
	free(last);
}

size_t run_kernels_first(const struct run_kernels *kernels, const char *kernel)
{
	size_t at = name_index_find(&kernels->index, kernel);

	return at == NO_NAME ? kernels->run->trial_count : kernels->first[at];
}

void run_kernels_release(struct run_kernels *kernels)
{
	free(kernels->first);
	free(kernels->next);
	name_index_release(&kernels->index);
	*kernels = (struct run_kernels){0};
}

static bool axis_varies(const struct run_kernels *kernels, size_t at, const char *name)
{
	const struct run *run = kernels->run;
	const struct named_value *first =
		at < run->trial_count ? trial_axis(&run->trials[at], name) : NULL;

	for (; at < run->trial_count; at = kernels->next[at]) {
		const struct named_value *axis = trial_axis(&run->trials[at], name);

		if (!axis != !first || (axis && axis->value != first->value))
			return true;
	}
	return false;
}

static void add_names(struct string_list *names, const struct trial *trial)
{
	for (size_t i = 0; i < trial->axis_count; i++) {
		if (!string_list_has(names, trial->axes[i].name))
			string_list_add(names, trial->axes[i].name);
	}
}

void kernel_axes(struct string_list *varying, struct text *constant,
		 const struct run_kernels *kernels, const char *kernel)
{
	const struct run *run = kernels->run;
	struct string_list names = {0};
	size_t first = run_kernels_first(kernels, kernel);

	for (size_t i = first; i < run->trial_count; i = kernels->next[i])
		add_names(&names, &run->trials[i]);
	for (size_t i = 0; i < names.count; i++) {
		if (axis_varies(kernels, first, names.items[i]))
			string_list_add(varying, names.items[i]);
		else if (constant)
			text_addf(
				constant, "%s%s=%lld", constant->length ? ", " : "", names.items[i],
				(long long)trial_axis(&run->trials[first], names.items[i])->value);
	}
	string_list_release(&names);
}

void trial_axes_text(struct text *out, const struct trial *trial, const struct string_list *names)
{
	size_t begin = out->length;

	for (size_t i = 0; i < names->count; i++) {
		const struct named_value *axis = trial_axis(trial, names->items[i]);

		if (axis)
			text_addf(out, "%s%s=%lld", out->length > begin ? "," : "", axis->name,
				  (long long)axis->value);
	}
}

/* ---- failures that share a cause ---- */

/* Behind a number, if the text begins with one. */
static const char *behind_number(const char *text)
{
	if (isdigit((unsigned char)text[*text == '-']))
		text += 1 + strspn(text + 1, "0123456789.");
	if (*text == 'e' && isdigit((unsigned char)text[-1]) &&
	    isdigit((unsigned char)text[1 + (text[1] == '-' || text[1] == '+')]))
		text += 2 + strspn(text + 2, "0123456789");
	return text;
}

/* Whether two reasons differ only in numbers that are no lines, such as those of a thread. What
 * follows the place of a fault is not compared. */
static bool same_cause(const char *a, const char *b, bool to_place)
{
	const char *const start = a;
	bool line = false;

	while (*a && !(to_place && a[0] == ':' && a[1] == ' ')) {
		const bool numbers = isdigit((unsigned char)a[*a == '-']) &&
				     isdigit((unsigned char)b[*b == '-']);

		line = a > start && (a[-1] == ':' || (line && isdigit((unsigned char)a[-1])));
		if (!(numbers && !line) && *a != *b)
			return false;
		a = numbers && !line ? behind_number(a) : a + 1;
		b = numbers && !line ? behind_number(b) : b + 1;
	}
	return *a == *b;
}

bool trial_failures_agree(const struct trial *a, const struct trial *b)
{
	const char *reason = a->reason ? a->reason : "", *other = b->reason ? b->reason : "";

	if (a->status != b->status)
		return false;
	if ((a->status == TRIAL_FAULT || a->status == TRIAL_MISMATCH) &&
	    !strcmp(a->kernel, b->kernel) && !strcmp(a->variant, b->variant) &&
	    same_cause(reason, other, a->status == TRIAL_FAULT))
		return true;
	return strcmp(reason, other) == 0;
}

/* ---- settings ---- */

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
