/*
 * The order of the cases of a run, and the best ones. Every output takes both from here, so that
 * text, page, JSON and pictures name the same fastest case.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reports/derived/derived.h"

bool trial_can_be_best(const struct run *run, const struct trial *trial,
		       const struct ceiling_list *ceilings)
{
	return trial_status_measured(trial->status) && isfinite(trial->summary.median_ns) &&
	       !trial_is_above_roof(run, trial, ceilings);
}

bool trial_is_faster(const struct trial *a, const struct trial *b)
{
	if (a->status != b->status)
		return a->status == TRIAL_OK;
	if (a->summary.median_ns != b->summary.median_ns)
		return a->summary.median_ns < b->summary.median_ns;
	return a < b;
}

/* What the order is found with. */
struct ranking {
	const struct run *run;
	const struct ranks *ranks;
	const struct problems *problems;
	const struct trial **fastest; /* per problem; NULL: no case of it can be the best */
};

/* The larger problem first; of problems of one size, the one with the fastest case. */
static int compare_problems(const struct ranking *ranking, size_t a, size_t b)
{
	const struct problems *problems = ranking->problems;
	const struct trial *fastest_a = ranking->fastest[a], *fastest_b = ranking->fastest[b];

	if (problems->size[a] != problems->size[b])
		return problems->size[a] > problems->size[b] ? -1 : 1;
	if (!fastest_a || !fastest_b)
		return fastest_a ? -1 : fastest_b ? 1 : a < b ? -1 : 1;
	return trial_is_faster(fastest_a, fastest_b) ? -1 : 1;
}

static int compare_trials(const void *left, const void *right, void *context)
{
	const struct ranking *ranking = context;
	const size_t a = *(const size_t *)left, b = *(const size_t *)right;
	const size_t *problem = ranking->problems->of;
	const bool *can_be_best = ranking->ranks->can_be_best;
	const struct trial *trials = ranking->run->trials;
	const bool counted = trial_status_counted(trials[a].status);

	if (problem[a] != problem[b])
		return compare_problems(ranking, problem[a], problem[b]);
	if (can_be_best[a] != can_be_best[b])
		return can_be_best[a] ? -1 : 1;
	if (counted != trial_status_counted(trials[b].status))
		return counted ? -1 : 1;
	if (can_be_best[a])
		return trial_is_faster(&trials[a], &trials[b]) ? -1 : 1;
	return a < b ? -1 : 1;
}

/* Flags the first trial that can be the best in each group of the order. `name_of` names the group
 * of a trial. */
static bool *first_of_groups(const struct ranks *ranks, const struct run *run,
			     void (*name_of)(struct text *, const struct trial *))
{
	bool *first = xcalloc(run->trial_count + 1, sizeof(*first));
	struct string_list names = {0};
	struct name_index seen = {0}; /* borrows the names */

	for (size_t i = 0; i < run->trial_count; i++) {
		const size_t trial = ranks->order[i];
		struct text name = TEXT_INIT;

		name_of(&name, &run->trials[trial]);
		if (ranks->can_be_best[trial] && name_index_find(&seen, name.data) == NO_NAME) {
			string_list_add(&names, name.data);
			name_index_add(&seen, names.items[names.count - 1], i);
			first[trial] = true;
		}
		text_release(&name);
	}
	name_index_release(&seen);
	string_list_release(&names);
	return first;
}

static void name_kernel(struct text *out, const struct trial *trial)
{
	text_add(out, trial->kernel);
}

static void name_variant(struct text *out, const struct trial *trial)
{
	text_addf(out, "%s\n%s", trial->kernel, trial->variant);
}

void run_ranks(struct ranks *out, const struct run *run, const struct ceiling_list *ceilings)
{
	const size_t count = run->trial_count;
	struct problems problems;
	struct ranking ranking = {.run = run, .ranks = out, .problems = &problems};

	run_problems(&problems, run);
	*out = (struct ranks){
		.order = xcalloc(count + 1, sizeof(*out->order)),
		.can_be_best = xcalloc(count + 1, sizeof(*out->can_be_best)),
		.of_problem = xcalloc(count + 1, sizeof(*out->of_problem)),
	};
	ranking.fastest = xcalloc(problems.count + 1, sizeof(const struct trial *));
	for (size_t i = 0; i < count; i++) {
		const struct trial *trial = &run->trials[i];
		const struct trial **there = &ranking.fastest[problems.of[i]];

		out->order[i] = i;
		out->can_be_best[i] = trial_can_be_best(run, trial, ceilings);
		if (out->can_be_best[i] && (!*there || trial_is_faster(trial, *there)))
			*there = trial;
	}
	for (size_t i = 0; i < problems.count; i++) {
		if (ranking.fastest[i])
			out->of_problem[ranking.fastest[i] - run->trials] = true;
	}
	qsort_r(out->order, count, sizeof(*out->order), compare_trials, &ranking);
	out->of_variant = first_of_groups(out, run, name_variant);
	out->of_kernel = first_of_groups(out, run, name_kernel);
	free(ranking.fastest);
	problems_release(&problems);
}

void ranks_release(struct ranks *ranks)
{
	free(ranks->order);
	free(ranks->can_be_best);
	free(ranks->of_problem);
	free(ranks->of_variant);
	free(ranks->of_kernel);
	*ranks = (struct ranks){0};
}
