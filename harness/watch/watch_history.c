/* Compares the measurements of a watch. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/watch/watch_history.h"
#include "metrics/analysis/roofline.h"

/* ---- the report ---- */

const char *watch_change_words(enum watch_change change)
{
	static const char *const words[] = {
#define X(symbol, words) words,
		WATCH_CHANGE_LIST(X)
#undef X
	};

	return words[change];
}

void watch_report_release(struct watch_report *report)
{
	regress_release(&report->against_last);
	regress_release(&report->against_best);
	free(report->cases);
	*report = (struct watch_report){0};
}

/* ---- memory ---- */

static void run_free(struct run *run)
{
	run_release(run);
	free(run);
}

/* A watch may run for days: only what a later comparison can need stays. */
static void history_forget(struct watch_history *history)
{
	size_t kept = 0;

	for (size_t i = 0; i < history->run_count; i++) {
		struct run *run = history->runs[i];
		bool used = false;

		for (size_t s = 0; s < history->slot_count; s++)
			used |= history->slots[s].last.run == run ||
				history->slots[s].best.run == run;
		if (used)
			history->runs[kept++] = run;
		else
			run_free(run);
	}
	history->run_count = kept;
}

void watch_history_release(struct watch_history *history)
{
	for (size_t i = 0; i < history->run_count; i++)
		run_free(history->runs[i]);
	for (size_t i = 0; i < history->slot_count; i++)
		free(history->slots[i].name);
	free(history->runs);
	free(history->slots);
	*history = (struct watch_history){0};
}

/* ---- slots ---- */

/* Returns the index of the slot of a case. Adds one if the case is new. */
static size_t slot_of(struct watch_history *history, const struct trial *trial)
{
	char *name = trial_case_name(trial);
	size_t i = 0;

	while (i < history->slot_count && strcmp(history->slots[i].name, name) != 0)
		i++;
	if (i < history->slot_count) {
		free(name);
		return i;
	}
	history->slots =
		xgrow(history->slots, &history->slot_capacity, i + 1, sizeof(*history->slots));
	history->slots[history->slot_count++] = (struct watch_slot){.name = name};
	return i;
}

static struct watch_result watch_result_of(const struct run *run, const struct trial *trial,
					   const struct ceiling_list *ceilings)
{
	struct watch_result result = {.run = run, .trial = trial, .roof_pct = NAN};
	const struct verdict_context context = verdict_context_of(run, ceilings);
	struct roofline_point point;
	struct verdict verdict;

	if (!trial_status_counted(trial->status))
		return (struct watch_result){.roof_pct = NAN};
	if (run->traits.emulated)
		return result;
	roofline_point_of(&point, trial, false, ceilings);
	verdict_of(&verdict, trial, &point, &context);
	result.bound = verdict.bound;
	result.roof_pct = verdict.roof_pct;
	result.above_roof = verdict.above_roof != NULL;
	verdict_release(&verdict);
	return result;
}

/* ---- one case ---- */

/* The SM clock of the newest round; NAN: not measured. */
static double sm_clock_of(const struct trial *trial)
{
	return trial->round_count ? trial->rounds[trial->round_count - 1].state.sm_clock_hz : NAN;
}

/* So many standard errors of a difference of two rounds are noise: 95 % of Student's distribution
 * with the few degrees of freedom that one round leaves. */
#define ONE_ROUND_ERRORS 2.8

/* Judges two times of which at least one has a single round. */
static enum watch_change change_by_one_round(const struct regress_case *item)
{
	const struct effect *effect = &item->effect;
	const char *why;
	const double explained = (sm_clock_of(item->base) / sm_clock_of(item->head) - 1) *
				 regress_clock_dependence(item, &why);

	/* the variance is NAN if nothing is known of the scatter of such a device */
	if (fabs(effect->change) < WATCH_ONE_ROUND_NOISE ||
	    fabs(log1p(effect->change)) <= ONE_ROUND_ERRORS * sqrt(2 * effect->variance))
		return WATCH_NOISE;
	if ((explained > 0) == (effect->change > 0) &&
	    fabs(effect->change) - fabs(explained) < WATCH_ONE_ROUND_NOISE)
		return WATCH_CLOCKS;
	return effect->change < 0 ? WATCH_PROBABLY_FASTER : WATCH_PROBABLY_SLOWER;
}

static enum watch_change change_of_time(const struct regress_case *item)
{
	if (item->same_code && item->same_launch)
		return WATCH_SAME_CODE;
	if (item->base->round_count < 2 || item->head->round_count < 2)
		return change_by_one_round(item);
	if (item->time == CHANGE_IMPROVED)
		return WATCH_FASTER;
	if (item->time == CHANGE_REGRESSED)
		return WATCH_SLOWER;
	return item->time == CHANGE_UNCHANGED ? WATCH_SAME_TIME : WATCH_NOISE;
}

static enum watch_change watch_change_of(const struct regress_case *item)
{
	if (!item->base || !trial_status_counted(item->head->status))
		return WATCH_NOT_COMPARED;
	if (item->timed)
		return change_of_time(item);
	if (!item->counters_compared)
		return WATCH_NOT_COMPARED;
	if (item->verdict == CHANGE_IMPROVED)
		return WATCH_BETTER_COUNTS;
	if (item->verdict == CHANGE_REGRESSED)
		return WATCH_WORSE_COUNTS;
	return item->counter_count ? WATCH_OTHER_COUNTS : WATCH_SAME_COUNTS;
}

/* ---- all cases ---- */

/* Compares with the bases that the cases have: the last or the best results. */
static int compare_cases_with(struct regress *out, struct watch_report *report, bool best,
			      struct error *err)
{
	const struct regress_options options = {.limits = change_limits_default};
	const struct noise noise = noise_of_runs(&report->run, 1);
	struct regress_pair *pairs = xcalloc(report->count + 1, sizeof(*pairs));
	size_t next = 0;
	int rc;

	for (size_t i = 0; i < report->count; i++) {
		const struct watch_case *item = &report->cases[i];
		const struct watch_result *result = best ? &item->best.result : &item->last.result;

		pairs[i] = (struct regress_pair){
			.base = result->trial, .head = item->trial, .limiter = result->bound};
		regress_pair_set_runs(&pairs[i], result->run ? result->run : report->run,
				      report->run, &noise);
	}
	rc = regress_judge(out, pairs, report->count, &options, err);
	/* the cases of a comparison are in the order of the pairs; some pairs have none */
	for (size_t i = 0; i < report->count && !rc && next < out->count; i++) {
		struct watch_case *item = &report->cases[i];
		struct watch_base *found = best ? &item->best : &item->last;

		if (out->cases[next].head != item->trial)
			continue;
		if (found->result.run) {
			found->judged = &out->cases[next];
			found->change = watch_change_of(found->judged);
		}
		next++;
	}
	free(pairs);
	return rc;
}

static void find_bases(struct watch_history *history, struct watch_report *report,
		       const struct ceiling_list *ceilings)
{
	for (size_t i = 0; i < report->count; i++) {
		const struct trial *trial = &report->run->trials[i];
		const size_t index = slot_of(history, trial); /* may move the slots */
		const struct watch_slot *slot = &history->slots[index];
		const struct trial *best = slot->best.run ? slot->best.trial : NULL;
		struct watch_case *item = &report->cases[i];

		item->trial = trial;
		item->now = watch_result_of(report->run, trial, ceilings);
		item->last.result = slot->last;
		/* of trials that do the same work, the faster one is better */
		item->new_problem =
			best && (best->has_work != trial->has_work || best->flop != trial->flop ||
				 best->bytes_read != trial->bytes_read ||
				 best->bytes_written != trial->bytes_written);
		if (!item->new_problem)
			item->best.result = slot->best;
	}
}

int watch_history_add(struct watch_history *history, struct run *run,
		      const struct ceiling_list *ceilings, bool outdated, struct watch_report *out,
		      struct error *err)
{
	struct watch_report report = {.outdated = outdated};
	struct run *kept;
	int rc;

	history_forget(history);
	kept = xmalloc(sizeof(*kept));
	*kept = *run;
	*run = (struct run){0};
	history->runs = xgrow(history->runs, &history->run_capacity, history->run_count + 1,
			      sizeof(struct run *));
	history->runs[history->run_count++] = kept;
	report.run = kept;
	report.count = report.run->trial_count;
	report.cases = xcalloc(report.count + 1, sizeof(*report.cases));
	find_bases(history, &report, ceilings);
	rc = compare_cases_with(&report.against_last, &report, false, err);
	if (!rc)
		rc = compare_cases_with(&report.against_best, &report, true, err);
	for (size_t i = 0; i < report.count; i++) {
		struct watch_case *item = &report.cases[i];
		struct watch_slot *slot = &history->slots[slot_of(history, item->trial)];

		/* Noise does not make a new best: the least of many noisy times would be too good.
		 */
		item->is_best = !outdated && item->now.run && item->now.run->traits.timed &&
				!item->now.above_roof && item->trial->status == TRIAL_OK &&
				item->trial->summary.median_ns > 0 &&
				(!item->best.result.run || item->best.change == WATCH_FASTER ||
				 item->best.change == WATCH_PROBABLY_FASTER);
		if (!rc && !outdated && item->now.run)
			slot->last = item->now;
		if (!rc && item->is_best)
			slot->best = item->now;
	}
	if (rc)
		watch_report_release(&report);
	else
		*out = report;
	return rc;
}
