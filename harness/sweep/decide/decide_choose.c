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

/* Whether so many rounds decide the case at the difference that suits best among those that the
 * mean of so many rounds may have. */
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

static bool lacks_rounds(const struct sweep_decide *decide, size_t index, int rounds)
{
	const struct sweep *sweep = decide->sweep;
	return !sweep->cases[index].ended && sweep->cases[index].rounds_done < rounds;
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

		if (index == NO_CASE || !lacks_rounds(decide, index, rounds))
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
