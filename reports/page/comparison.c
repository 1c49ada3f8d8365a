/*
 * The page's comparison with a second run: a verdict for each case that has a time in both, judged
 * as `perflab regress` does (metrics/analysis/regress.h).
 */
#include <math.h>
#include <stdlib.h>

#include "metrics/analysis/compare.h"
#include "metrics/analysis/regress.h"
#include "metrics/analysis/statistics.h"
#include "reports/page/page.h"

/* Computes the medians of the rounds from the samples; adds none if the samples are not available.
 */
static void add_rounds_from_samples(struct trial *trial, const struct report_options *options)
{
	struct sample *samples = NULL;
	struct error err = {0};
	double *times;
	size_t count = 0, begin = 0;

	if (!options->samples ||
	    options->samples(options->samples_context, trial->id, &samples, &count, &err))
		return;
	times = xcalloc(count ? count : 1, sizeof(*times));
	trial->rounds = xcalloc(count ? count : 1, sizeof(*trial->rounds));
	for (size_t i = 0; i < count; i++)
		times[i] = samples[i].time_ns;
	for (size_t i = 1; i <= count; i++) {
		if (i < count && samples[i].round == samples[begin].round)
			continue;
		trial->rounds[trial->round_count++] = (struct round_summary){
			.round = samples[begin].round,
			.median_ns = summarise(times + begin, i - begin).median_ns,
			.state = {NAN, NAN, NAN, NAN, -1},
		};
		begin = i;
	}
	free(times);
	free(samples);
}

/* A copy of the run in which every timed trial has its rounds. Only the added rounds are owned. */
static struct run copy_with_rounds(const struct run *run, const struct report_options *options)
{
	struct run copy = *run;

	copy.trials = xcalloc(run->trial_count ? run->trial_count : 1, sizeof(*copy.trials));
	for (size_t i = 0; i < run->trial_count; i++) {
		copy.trials[i] = run->trials[i];
		if (!copy.trials[i].round_count && copy.trials[i].summary.count)
			add_rounds_from_samples(&copy.trials[i], options);
	}
	return copy;
}

static void release_added_rounds(struct run *copy, const struct run *run)
{
	for (size_t i = 0; i < run->trial_count; i++)
		if (copy->trials[i].rounds != run->trials[i].rounds)
			free(copy->trials[i].rounds);
	free(copy->trials);
}

/* item NULL: the case does not have a time in both runs. */
static void case_write(struct page_json *json, const struct run *base,
		       const struct regress_case *item)
{
	if (!item) {
		page_null(json);
		return;
	}
	page_open(json, '[');
	page_integer(json, item->base - base->trials);
	page_integer(json, item->verdict);
	page_short(json, 1 + item->effect.change);
	page_short(json, 1 + item->effect.low);
	page_short(json, 1 + item->effect.high);
	page_close(json, ']');
}

static bool has_time(const struct trial *trial)
{
	return trial && trial_status_measured(trial->status) && trial->summary.count > 0;
}

static void cases_write(struct page_json *json, const struct run *base, const struct run *head)
{
	const struct regress_options options = {.limits = change_limits_default};
	const struct regress_case **timed =
		xcalloc(head->trial_count ? head->trial_count : 1, sizeof(*timed));
	struct regress_pair *pairs;
	struct regress regress = {0};
	size_t count = regress_pairs(&pairs, base, head);

	/* this cannot fail: no counter is named */
	regress_judge(&regress, pairs, count, &options, NULL);
	for (size_t i = 0; i < regress.count; i++)
		if (has_time(regress.cases[i].base) && has_time(regress.cases[i].head))
			timed[regress.cases[i].head - head->trials] = &regress.cases[i];
	for (size_t i = 0; i < head->trial_count; i++)
		case_write(json, base, timed[i]);
	regress_release(&regress);
	free(pairs);
	free(timed);
}

void page_comparison(struct page_json *json, const struct run *run,
		     const struct report_options *options)
{
	struct run base = copy_with_rounds(options->compare, options),
		   head = copy_with_rounds(run, options);

	page_open_member(json, "changes", '[');
	for (int change = 0; change < CHANGE_COUNT; change++) {
		page_open(json, '[');
		page_text(json, change_name((enum change)change));
		page_text(json, change_meaning((enum change)change));
		page_close(json, ']');
	}
	page_close(json, ']');
	page_open_member(json, "comparison", '[');
	cases_write(json, &base, &head);
	page_close(json, ']');
	release_added_rounds(&base, options->compare);
	release_added_rounds(&head, run);
}
