/* Values of runs and trials that several formats show; see the header. */
#include "metrics/catalogue/catalogue.h"
#include "reports/derived/derived.h"

#include <math.h>
#include <string.h>

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
	return 100 * (summary->high_ns - summary->low_ns) / 2 / summary->median_ns;
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
