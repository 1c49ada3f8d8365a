/* Which cases get more rounds. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/sweep/decide/decide.h"

size_t decide_index(const struct sweep_decide *decide, const struct trial *head, size_t guess)
{
	const struct sweep *sweep = decide->sweep;
	const size_t count = sweep->plan->count;

	for (size_t i = 0; i < count; i++) {
		/* both are in canonical order, so the guess is nearly always right */
		const size_t at = (guess + i) % count;

		if (decide->trial_ids[at] == head->id)
			return at;
	}
	return NO_CASE;
}

/* ---- what may become of a case ---- */

/* Whether `base` and `head` rounds decide the case at the most favourable difference in the 90 %
 * interval of their mean. */
static bool may_be_decided(const struct regress_case *item, size_t base, size_t head, size_t cases)
{
	const double share =
		interim_share(INTERIM_COUNT - 1) *
		interim_share_of(&item->base_test, interim_last(&item->base_test, item->base));
	const double difference = log1p(item->effect.change);
	const double fewer = 1 / (double)item->head_rounds - 1 / (double)head +
			     1 / (double)item->base_rounds - 1 / (double)base;
	const double reach = DECIDE_LIKELY_SIGMAS * sqrt(item->effect.variance * fmax(0, fewer));
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
	const size_t last = (size_t)interim_rounds(decide->first, INTERIM_COUNT - 1);
	const size_t head = item->head_rounds > last ? item->head_rounds : last;

	if (item->head_rounds < last && item->base_rounds >= 2 &&
	    may_be_decided(item, item->base_rounds, last, cases))
		return UNDECIDED_OPEN;
	if (item->base_rounds < last && may_be_decided(item, last, head, cases))
		return UNDECIDED_BY_BASE;
	return item->head_rounds < last ? UNDECIDED_BY_NOISE : UNDECIDED_AT_END;
}

/* ---- the cases of an interim analysis ---- */

struct choice {
	size_t index;
	bool by_base; /* UNDECIDED_BY_BASE */
	int needed;   /* rounds of the head; 0: not known */
};

static int by_need(const void *left, const void *right)
{
	const struct choice *a = left, *b = right;

	if (a->by_base != b->by_base)
		return a->by_base - b->by_base;
	if (!a->needed != !b->needed)
		return !a->needed - !b->needed;
	if (a->needed != b->needed)
		return a->needed < b->needed ? -1 : 1;
	return a->index < b->index ? -1 : 1;
}

static double rounds_cost_ns(const struct sweep_decide *decide, size_t index, int rounds)
{
	const struct sweep *sweep = decide->sweep;
	return sweep->cases[index].ended
		       ? 0
		       : decide->pace * (double)sweep->cases[index].round_ns * rounds;
}

size_t decide_choose(size_t **out, const struct sweep_decide *decide, const struct regress *regress,
		     int interim)
{
	const struct sweep *sweep = decide->sweep;
	const int rounds = interim_rounds(decide->first, interim);
	struct choice *choices = xcalloc(regress->count + 1, sizeof(*choices));
	double left_ns = DECIDE_TIME_PLANNED * (double)(decide->deadline_ns - monotonic_ns());
	size_t count = 0, taken = 0;
	int fewest = rounds;

	for (size_t i = 0; i < regress->count; i++) {
		const struct regress_case *item = &regress->cases[i];
		const size_t index =
			item->undecided ? decide_index(decide, item->head, i) : NO_CASE;
		enum undecided_kind kind;

		if (index == NO_CASE || sweep->cases[index].ended ||
		    sweep->cases[index].rounds_done >= rounds)
			continue;
		kind = decide_kind(decide, item, regress->compared);
		if (kind != UNDECIDED_OPEN && kind != UNDECIDED_BY_BASE)
			continue;
		choices[count++] =
			(struct choice){index, kind == UNDECIDED_BY_BASE, item->needed.head};
		if (sweep->cases[index].rounds_done < fewest)
			fewest = sweep->cases[index].rounds_done;
	}
	qsort(choices, count, sizeof(*choices), by_need);
	*out = xcalloc(count + 1, sizeof(**out));
	/* the control cases are measured in each round, however many they have */
	for (size_t i = 0; i < decide->control_count; i++)
		left_ns -= rounds_cost_ns(decide, decide->control[i].index, rounds - fewest);
	for (size_t i = 0; i < count; i++) {
		const int lacking = rounds - sweep->cases[choices[i].index].rounds_done;
		const double cost_ns = rounds_cost_ns(decide, choices[i].index, lacking);

		if (cost_ns > left_ns || left_ns <= 0)
			continue;
		left_ns -= cost_ns;
		(*out)[taken++] = choices[i].index;
	}
	free(choices);
	return taken;
}

/*
 * ---- for later comparisons ----
 *
 * The time that --decide has left: a case that its interim analyses decided early has few rounds,
 * and as a base it would leave many cases undecided.
 */

/* The last interim analysis for which a case has the rounds. */
static int interim_reached(const struct sweep_decide *decide, size_t index)
{
	const struct sweep *sweep = decide->sweep;
	int interim = 0;

	while (interim + 1 < INTERIM_COUNT &&
	       interim_rounds(decide->first, interim + 1) <= sweep->cases[index].rounds_done)
		interim++;
	return interim;
}

/* Whether the rounds of this interim analysis, as a base, would probably decide an equal run that
 * has all of its interim analyses. */
static bool serves_as_base(const struct sweep_decide *decide, const struct regress_case *item,
			   int interim, size_t cases)
{
	const int base = interim_rounds(decide->first, interim);
	const int head = interim_rounds(decide->first, INTERIM_COUNT - 1);
	const double share = interim_share(interim) * interim_share(INTERIM_COUNT - 1);
	struct effect effect = item->effect;

	effect.change =
		expm1(DECIDE_LIKELY_SIGMAS * sqrt(effect.variance * (1.0 / base + 1.0 / head)));
	return rounds_would_decide(&effect, (size_t)base, (size_t)head, &item->limits, share,
				   cases);
}

struct candidate {
	size_t index;
	double cost_ns; /* of the rounds up to the interim analysis that serves */
};

static int by_cost(const void *left, const void *right)
{
	const struct candidate *a = left, *b = right;

	if (a->cost_ns != b->cost_ns)
		return a->cost_ns < b->cost_ns ? -1 : 1;
	return a->index < b->index ? -1 : 1;
}

static double cost_ns(const struct sweep_decide *decide, size_t index, int rounds)
{
	const struct sweep *sweep = decide->sweep;
	return decide->pace * (double)sweep->cases[index].round_ns *
	       (rounds - sweep->cases[index].rounds_done);
}

/* The decided cases to measure up to this interim analysis, the cheapest first, as far as the time
 * allows; malloc'd, with room for the control cases. */
static size_t choose_for_later(size_t **out, const struct sweep_decide *decide,
			       const struct regress *regress, int interim)
{
	const struct sweep *sweep = decide->sweep;
	const int rounds = interim_rounds(decide->first, interim);
	struct candidate *found = xcalloc(regress->count + 1, sizeof(*found));
	double left_ns = DECIDE_TIME_PLANNED * (double)(decide->deadline_ns - monotonic_ns());
	size_t count = 0, taken = 0;

	for (size_t i = 0; i < regress->count; i++) {
		const struct regress_case *item = &regress->cases[i];
		const size_t index = item->timed && !item->undecided
					     ? decide_index(decide, item->head, i)
					     : NO_CASE;
		int reached, serves;

		if (index == NO_CASE || sweep->cases[index].ended)
			continue;
		reached = interim_reached(decide, index);
		serves = reached; /* the first whose rounds would serve; INTERIM_COUNT: none */
		while (serves < INTERIM_COUNT &&
		       !serves_as_base(decide, item, serves, regress->compared))
			serves++;
		if (reached < interim && serves > reached && serves < INTERIM_COUNT)
			found[count++] = (struct candidate){
				index,
				cost_ns(decide, index, interim_rounds(decide->first, serves))};
	}
	qsort(found, count, sizeof(*found), by_cost);
	for (size_t i = 0; i < decide->control_count; i++)
		left_ns -= decide->pace * (double)sweep->cases[decide->control[i].index].round_ns *
			   (rounds - decide->first);
	*out = xcalloc(count + CONTROL_CASES, sizeof(**out));
	for (size_t i = 0; i < count && found[i].cost_ns <= left_ns; i++) {
		left_ns -= found[i].cost_ns;
		(*out)[taken++] = found[i].index;
	}
	free(found);
	return taken;
}

/* ---- measuring ---- */

/* Discards what the cases and the control got if the control moved meanwhile. */
static int check_later(struct sweep_decide *decide, const size_t *measured,
		       const int *rounds_before, size_t count, double *moved, struct error *err)
{
	struct sweep *sweep = decide->sweep;
	struct decide_judged judged;
	int rc = decide_judge(&judged, decide, err);

	if (!rc)
		*moved = decide_control_moved(decide, &judged.comparison.head);
	decide_judged_release(&judged);
	if (!(*moved > 0))
		return rc;
	for (size_t i = 0; i < count && !rc; i++) {
		rc = store_drop_rounds_of(decide->store, measured[i], rounds_before[i], err);
		sweep->cases[measured[i]].rounds_done = rounds_before[i];
	}
	tell_observer(decide->observer, NOTICE_REMARK,
		      "the rounds for later comparisons were discarded, because the control cases "
		      "moved by %.2g %%",
		      100 * *moved);
	return rc;
}

/* `chosen` has room for the control cases. */
static int measure_later(struct sweep_decide *decide, size_t *chosen, size_t count, int rounds,
			 double *moved, struct error *err)
{
	struct sweep *sweep = decide->sweep;
	const size_t measured = decide_add_control(decide, chosen, count);
	const size_t added = decide->added;
	int *before = xcalloc(measured + 1, sizeof(*before));
	int fewest = rounds, rc;

	for (size_t i = 0; i < measured; i++) {
		before[i] = sweep->cases[chosen[i]].rounds_done;
		if (i < count && before[i] < fewest)
			fewest = before[i];
	}
	rc = decide_store_control(decide, fewest, err);
	if (!rc)
		rc = decide_measure_to(decide, chosen, count, rounds, err);
	if (!rc)
		rc = check_later(decide, chosen, before, measured, moved, err);
	if (*moved > 0)
		decide->added = added;
	decide->added_for_later += decide->added - added;
	free(before);
	return rc;
}

int decide_for_later(struct sweep_decide *decide, struct error *err)
{
	double moved = 0;
	int rc = 0;

	for (int interim = 1; interim < INTERIM_COUNT && !rc && moved == 0; interim++) {
		struct decide_judged judged;
		size_t *chosen = NULL, count = 0;

		rc = decide_judge(&judged, decide, err);
		if (!rc) {
			decide_choose_control(decide, &judged.comparison.head,
					      &judged.comparison.regress);
			count = choose_for_later(&chosen, decide, &judged.comparison.regress,
						 interim);
		}
		decide_judged_release(&judged);
		if (!rc && count)
			rc = measure_later(decide, chosen, count,
					   interim_rounds(decide->first, interim), &moved, err);
		free(chosen);
	}
	return rc;
}
