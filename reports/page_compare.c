/*
 * A run beside another, for a page: what became of each case that both have,
 * judged as everywhere (metrics/compare.h), by the medians of its rounds.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reports/page.h"

/* A case of the run that has a time there and in the other. */
struct pair {
	const struct trial *other;
	struct effect effect;
};

static int compare_cases(const void *a, const void *b)
{
	const struct trial *left = *(const struct trial *const *)a;
	const struct trial *right = *(const struct trial *const *)b;
	int order = strcmp(left->kernel, right->kernel);

	if (!order)
		order = strcmp(left->variant, right->variant);
	return order ? order : strcmp(left->config, right->config);
}

/* By case; a damaged file may lack a name, and then there is nothing to find it by. */
static const struct trial **cases_by_name(const struct run *run, size_t *count)
{
	const struct trial **cases =
		xcalloc(run->trial_count ? run->trial_count : 1, sizeof(const struct trial *));

	*count = 0;
	for (size_t i = 0; i < run->trial_count; i++) {
		const struct trial *trial = &run->trials[i];

		if (trial->kernel && trial->variant && trial->config)
			cases[(*count)++] = trial;
	}
	qsort(cases, *count, sizeof(const struct trial *), compare_cases);
	return cases;
}

/* Medians of the rounds, malloc'd; none where the samples cannot be had. */
static double *round_medians(const struct trial *trial, const struct report_options *options,
			     size_t *rounds)
{
	struct sample *samples = NULL;
	struct error err = {0};
	double *times, *medians;
	size_t count = 0, begin = 0;

	*rounds = 0;
	if (!options->samples ||
	    options->samples(options->samples_context, trial->id, &samples, &count, &err))
		return NULL;
	times = xcalloc(count ? count : 1, sizeof(*times));
	medians = xcalloc(count ? count : 1, sizeof(*medians));
	for (size_t i = 0; i < count; i++)
		times[i] = samples[i].time_ns;
	for (size_t i = 1; i <= count; i++) {
		double median;

		if (i < count && samples[i].round == samples[begin].round)
			continue;
		median = summarise(times + begin, i - begin).median_ns;
		if (median > 0)
			medians[(*rounds)++] = median;
		begin = i;
	}
	free(times);
	free(samples);
	return medians;
}

static struct effect effect_between(const struct trial *base, const struct trial *head,
				    const struct report_options *options)
{
	struct process_medians before = {0}, now = {0};
	double *base_ns = round_medians(base, options, &before.count);
	double *head_ns = round_medians(head, options, &now.count);
	struct effect effect;

	before.time_ns = base_ns;
	now.time_ns = head_ns;
	effect = effect_of(before, now);
	free(base_ns);
	free(head_ns);
	return effect;
}

static struct pair *pairs_make(const struct run *run, const struct report_options *options)
{
	struct pair *pairs = xcalloc(run->trial_count ? run->trial_count : 1, sizeof(*pairs));
	size_t count;
	const struct trial **others = cases_by_name(options->compare, &count);

	for (size_t i = 0; i < run->trial_count; i++) {
		const struct trial *trial = &run->trials[i];
		const struct trial **found = NULL;

		if (trial->kernel && trial->variant && trial->config && trial->status == TRIAL_OK &&
		    trial->summary.count > 0)
			found = bsearch(&trial, others, count, sizeof(const struct trial *),
					compare_cases);
		if (!found || (*found)->status != TRIAL_OK || (*found)->summary.count == 0)
			continue;
		pairs[i].other = *found;
		pairs[i].effect = effect_between(*found, trial, options);
	}
	free(others);
	return pairs;
}

static void pair_write(struct page_json *json, const struct run *run, const struct pair *pair,
		       double adjusted_p)
{
	const struct effect *effect = &pair->effect;

	if (!pair->other) {
		page_null(json);
		return;
	}
	page_open(json, '[');
	page_integer(json, pair->other - run->trials);
	page_integer(json, effect_judge(effect, adjusted_p, &change_limits_default));
	page_short(json, 1 + effect->change);
	page_short(json, 1 + effect->low);
	page_short(json, 1 + effect->high);
	page_close(json, ']');
}

void page_comparison(struct page_json *json, const struct run *run,
		     const struct report_options *options)
{
	struct pair *pairs = pairs_make(run, options);
	double *p = xcalloc(run->trial_count ? run->trial_count : 1, sizeof(*p));

	for (size_t i = 0; i < run->trial_count; i++)
		p[i] = pairs[i].other ? pairs[i].effect.p : NAN;
	effects_adjust(p, run->trial_count);
	page_key(json, "changes");
	page_open(json, '[');
	for (int change = 0; change < CHANGE_COUNT; change++) {
		page_open(json, '[');
		page_text(json, change_name((enum change)change));
		page_text(json, change_meaning((enum change)change));
		page_close(json, ']');
	}
	page_close(json, ']');
	page_key(json, "comparison");
	page_open(json, '[');
	for (size_t i = 0; i < run->trial_count; i++)
		pair_write(json, options->compare, &pairs[i], p[i]);
	page_close(json, ']');
	free(pairs);
	free(p);
}
