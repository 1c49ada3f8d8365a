/* Which cases get more rounds, and whether the control cases moved meanwhile. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/session/decide.h"

/* One end of a 90 % interval: what a mean of more rounds will hardly leave. */
#define LIKELY_SIGMAS 1.645
/* Of the time that is left, because the times of rounds vary. */
#define TIME_PLANNED 0.9
/* A case that takes longer than so many times the mean is a control case only if there is no other.
 */
#define CONTROL_COST_MOST 3

size_t decide_index(const struct sweep *sweep, const struct trial *head, size_t guess)
{
	const size_t count = sweep->plan->count;

	for (size_t i = 0; i < count; i++) {
		/* both are in canonical order, so the guess is nearly always right */
		const size_t at = (guess + i) % count;

		if (sweep->decide->trial_ids[at] == head->id)
			return at;
	}
	return NO_CASE;
}

/* ---- what may become of a case ---- */

/* Whether so many rounds decide the case at the difference that suits best among those that the
 * mean of so many rounds may have. */
static bool may_be_decided(const struct regress_case *item, size_t base, size_t head, size_t cases)
{
	const double share =
		look_share(LOOK_COUNT - 1) *
		look_share_of(&item->base_looks, look_last(&item->base_looks, item->base));
	const double difference = log1p(item->effect.change);
	const double fewer = 1 / (double)item->head_rounds - 1 / (double)head +
			     1 / (double)item->base_rounds - 1 / (double)base;
	const double reach = LIKELY_SIGMAS * sqrt(item->effect.variance * fmax(0, fewer));
	struct effect nearest = item->effect, farthest = item->effect;

	nearest.change = fabs(difference) <= reach
				 ? 0
				 : expm1(copysign(fabs(difference) - reach, difference));
	farthest.change = expm1(copysign(fabs(difference) + reach, difference));
	return rounds_would_decide(&nearest, base, head, &item->limits, share, cases) ||
	       rounds_would_decide(&farthest, base, head, &item->limits, share, cases);
}

enum undecided_kind decide_kind(const struct sweep_decide *decide, const struct regress_case *item,
				size_t cases)
{
	const size_t last = (size_t)look_rounds(decide->first, LOOK_COUNT - 1);
	const size_t head = item->head_rounds > last ? item->head_rounds : last;

	if (item->head_rounds < last && item->base_rounds >= 2 &&
	    may_be_decided(item, item->base_rounds, last, cases))
		return UNDECIDED_OPEN;
	if (item->base_rounds < last && may_be_decided(item, last, head, cases))
		return UNDECIDED_BY_BASE;
	return item->head_rounds < last ? UNDECIDED_BY_NOISE : UNDECIDED_AT_END;
}

/* ---- control cases ---- */

/* The medians of the rounds from number `begin` to below `end`. */
static size_t medians_between(double *out, const struct trial *trial, int begin, int end)
{
	size_t count = 0;

	for (size_t i = 0; i < trial->round_count; i++) {
		const struct round_summary *round = &trial->rounds[i];

		if (round->round >= begin && round->round < end && round->median_ns > 0)
			out[count++] = round->median_ns;
	}
	return count;
}

/* From the rounds that a trial has from `begin` to below `end` against its first rounds. */
static struct effect effect_of_rounds(const struct trial *trial, int first, int begin, int end,
				      double *error)
{
	double *before = xcalloc(trial->round_count + 1, sizeof(*before));
	double *after = xcalloc(trial->round_count + 1, sizeof(*after));
	const size_t n = medians_between(before, trial, 0, first);
	const size_t m = medians_between(after, trial, begin, end);
	struct effect effect = effect_with_share((struct process_medians){before, n},
						 (struct process_medians){after, m}, 1);

	*error = sqrt(effect.variance * (1 / (double)n + 1 / (double)m));
	free(before);
	free(after);
	return effect;
}

struct candidate {
	size_t index;
	bool undecided, dear;
	double variance; /* of its first rounds */
};

static int by_suitability(const void *left, const void *right)
{
	const struct candidate *a = left, *b = right;

	if (a->undecided != b->undecided)
		return a->undecided - b->undecided;
	if (a->dear != b->dear)
		return a->dear - b->dear;
	if (a->variance != b->variance)
		return a->variance > b->variance ? 1 : -1;
	return a->index < b->index ? -1 : 1;
}

/* The cases that have their first rounds, the best control cases first; malloc'd. */
static struct candidate *find_candidates(size_t *count, const struct sweep *sweep,
					 const struct run *head, const struct regress *regress)
{
	const struct sweep_decide *decide = sweep->decide;
	struct candidate *found = xcalloc(sweep->plan->count + 1, sizeof(*found));
	double mean_ns = 0;

	*count = 0;
	for (size_t i = 0; i < sweep->plan->count; i++) {
		const struct trial *trial = run_trial(head, decide->trial_ids[i]);
		struct candidate *item = &found[*count];
		double error;

		if (sweep->cases[i].ended || !trial || sweep->cases[i].rounds_done < decide->first)
			continue;
		item->index = i;
		item->variance =
			effect_of_rounds(trial, decide->first, 0, decide->first, &error).variance;
		mean_ns += (double)sweep->cases[i].round_ns;
		*count += isfinite(item->variance);
	}
	mean_ns /= *count ? (double)*count : 1;
	for (size_t i = 0; i < *count; i++)
		found[i].dear =
			(double)sweep->cases[found[i].index].round_ns > CONTROL_COST_MOST * mean_ns;
	for (size_t i = 0; i < regress->count; i++) {
		const struct regress_case *item = &regress->cases[i];
		const size_t index = item->undecided ? decide_index(sweep, item->head, i) : NO_CASE;

		for (size_t k = 0; k < *count && index != NO_CASE; k++)
			found[k].undecided |= found[k].index == index;
	}
	qsort(found, *count, sizeof(*found), by_suitability);
	return found;
}

static bool control_has(const struct sweep *sweep, size_t index, bool kernel_of_it)
{
	const struct sweep_decide *decide = sweep->decide;

	for (size_t i = 0; i < decide->control_count; i++)
		if (kernel_of_it ? strcmp(sweep->plan->cases[decide->control[i]].kernel,
					  sweep->plan->cases[index].kernel) == 0
				 : decide->control[i] == index)
			return true;
	return false;
}

void decide_choose_control(struct sweep *sweep, const struct run *head,
			   const struct regress *regress)
{
	struct sweep_decide *decide = sweep->decide;
	struct candidate *found;
	size_t count;

	if (decide->control_count)
		return;
	found = find_candidates(&count, sweep, head, regress);
	/* one of each kernel first */
	for (int pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < count && decide->control_count < CONTROL_CASES; i++) {
			const bool others = !found[0].undecided && found[i].undecided;

			if (!others && !control_has(sweep, found[i].index, pass == 0))
				decide->control[decide->control_count++] = found[i].index;
		}
	free(found);
}

static int compare_moves(const void *left, const void *right)
{
	const double a = *(const double *)left, b = *(const double *)right;

	return (a > b) - (a < b);
}

/* The standard error of the median of these moves: by what the known noise and the rounds say of
 * each, or by how far they are apart, which is more if the first rounds agreed by chance. */
static double error_of_median(const double *moves, size_t count, double variance)
{
	double mean = 0, squares = 0, by_rounds = variance / (double)count, by_moves = 0;

	for (size_t i = 0; i < count; i++)
		mean += moves[i] / (double)count;
	for (size_t i = 0; i < count; i++)
		squares += (moves[i] - mean) * (moves[i] - mean);
	if (count > 1)
		by_moves = squares / (double)(count - 1);
	/* the variance of a median is pi/2 times that of a mean */
	return sqrt(M_PI / 2 * fmax(by_rounds, by_moves) / (double)count);
}

double decide_control_moved(const struct sweep *sweep, const struct run *head, int begin, int end)
{
	const struct sweep_decide *decide = sweep->decide;
	double moves[CONTROL_CASES], variance = 0, moved;
	size_t count = 0;

	for (size_t i = 0; i < decide->control_count; i++) {
		const struct trial *trial = run_trial(head, decide->trial_ids[decide->control[i]]);
		struct effect effect;
		double error;

		if (!trial)
			continue;
		effect = effect_of_rounds(trial, decide->first, begin, end, &error);
		if (isnan(effect.change))
			continue;
		moves[count++] = log1p(effect.change);
		variance += error * error;
	}
	if (!count)
		return 0;
	qsort(moves, count, sizeof(*moves), compare_moves);
	moved = fabs(moves[(count - 1) / 2] / 2 + moves[count / 2] / 2);
	return moved > CONTROL_MOVED_MOST &&
			       moved > CONTROL_ERRORS * error_of_median(moves, count, variance)
		       ? moved
		       : 0;
}

/* ---- the cases of a look ---- */

struct choice {
	size_t index;
	int needed; /* rounds of the head; 0: not known */
};

static int by_need(const void *left, const void *right)
{
	const struct choice *a = left, *b = right;

	if (!a->needed != !b->needed)
		return !a->needed - !b->needed;
	if (a->needed != b->needed)
		return a->needed < b->needed ? -1 : 1;
	return a->index < b->index ? -1 : 1;
}

static bool lacks_rounds(const struct sweep *sweep, size_t index, int rounds)
{
	return !sweep->cases[index].ended && sweep->cases[index].rounds_done < rounds;
}

static double rounds_cost_ns(const struct sweep *sweep, size_t index, int rounds)
{
	return lacks_rounds(sweep, index, rounds)
		       ? (double)sweep->cases[index].round_ns *
				 (rounds - sweep->cases[index].rounds_done)
		       : 0;
}

size_t decide_choose(size_t **out, const struct sweep *sweep, const struct regress *regress,
		     int look)
{
	const struct sweep_decide *decide = sweep->decide;
	const int rounds = look_rounds(decide->first, look);
	struct choice *choices = xcalloc(regress->count + 1, sizeof(*choices));
	double left_ns = TIME_PLANNED * (double)(decide->deadline_ns - monotonic_ns());
	size_t count = 0, taken = 0;

	for (size_t i = 0; i < regress->count; i++) {
		const struct regress_case *item = &regress->cases[i];
		const size_t index = item->undecided ? decide_index(sweep, item->head, i) : NO_CASE;

		if (index != NO_CASE && lacks_rounds(sweep, index, rounds) &&
		    decide_kind(decide, item, regress->compared) == UNDECIDED_OPEN)
			choices[count++] = (struct choice){index, item->needed.head};
	}
	qsort(choices, count, sizeof(*choices), by_need);
	*out = xcalloc(count + CONTROL_CASES + 1, sizeof(**out));
	for (size_t i = 0; i < decide->control_count; i++)
		left_ns -= rounds_cost_ns(sweep, decide->control[i], rounds);
	for (size_t i = 0; i < count; i++) {
		const double cost_ns = rounds_cost_ns(sweep, choices[i].index, rounds);

		if (cost_ns > left_ns || left_ns <= 0)
			continue;
		left_ns -= cost_ns;
		(*out)[taken++] = choices[i].index;
	}
	free(choices);
	if (!taken)
		return 0;
	for (size_t i = 0; i < decide->control_count; i++) {
		const size_t index = decide->control[i];
		bool has = !lacks_rounds(sweep, index, rounds);

		for (size_t k = 0; k < taken && !has; k++)
			has = (*out)[k] == index;
		if (!has)
			(*out)[taken++] = index;
	}
	return taken;
}
