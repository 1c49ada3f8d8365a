/*
 * Numbers of trials that more than one format shows, and how a person reads
 * them.
 */
#include "metrics/catalogue/catalogue.h"
#include "reports/report_parts.h"

#include <math.h>
#include <string.h>

#define REVISION_SHOWN 12 /* as git abbreviates that of a large repository */

double trial_model_gb_per_s(const struct trial *trial)
{
	double bytes;

	if (!trial->has_work || !(trial->summary.median_ns > 0))
		return NAN;
	bytes = (double)trial->bytes_read + (double)trial->bytes_written;
	/* bytes a nanosecond are 1e9 bytes a second */
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

double trial_half_interval_pct(const struct trial *trial)
{
	const struct summary *summary = &trial->summary;

	if (!(summary->median_ns > 0))
		return NAN;
	return 100 * (summary->high_ns - summary->low_ns) / 2 / summary->median_ns;
}

/* Three digits that count, never an exponent below a million. */
static void format_three(struct text *out, double value)
{
	double size = fabs(value);

	if (size >= 1e6 || (size < 0.01 && size > 0))
		text_addf(out, "%.3g", value);
	else
		text_addf(out, "%.*f", size < 10 ? 2 : size < 100 ? 1 : 0, value);
}

void format_number(struct text *out, double value, const char *unit)
{
	if (strcmp(unit, "byte/s") == 0 || strcmp(unit, "flop/s") == 0)
		format_three(out, value / 1e9);
	else if (strcmp(unit, "percent") == 0)
		text_addf(out, "%.1f", value);
	else if (value == floor(value) && fabs(value) < 1e15)
		text_addf(out, "%.0f", value);
	else
		format_three(out, value);
}

void format_value(struct text *out, double value, const char *unit)
{
	static const struct {
		const char *unit, *suffix;
	} suffixes[] = {{"byte/s", " GB/s"}, {"flop/s", " GFLOP/s"}, {"percent", " %"}};
	char shown[32];

	if (strcmp(unit, "byte") == 0 || strcmp(unit, "ns") == 0) {
		if (unit[0] == 'b')
			format_bytes(shown, value);
		else
			format_duration(shown, value);
		text_add(out, shown);
		return;
	}
	format_number(out, value, unit);
	for (size_t i = 0; i < ARRAY_SIZE(suffixes); i++) {
		if (strcmp(suffixes[i].unit, unit) == 0)
			text_add(out, suffixes[i].suffix);
	}
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

bool run_is_emulated(const struct run *run)
{
	return run->backend && strcmp(run->backend, "ptx") == 0;
}

bool run_may_show(const struct run *run, const char *metric)
{
	const struct metric *known = metric_find(metric);

	return run_is_emulated(run) == (known && known->emulated);
}

void run_counter_names(struct string_list *names, const struct run *run)
{
	for (size_t i = 0; i < run->trial_count; i++) {
		const struct counter_list *counters = &run->trials[i].counters;

		for (size_t j = 0; j < counters->count; j++) {
			const char *metric = counters->items[j].metric;

			/* known without counting, it is shown as a fact of the launch */
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
