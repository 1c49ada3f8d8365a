/* What --decide does with rounds: compares and measures them, and adds some for later comparisons.
 */
#include <math.h>
#include <stdlib.h>

#include "harness/sweep/decide/decide.h"

/* The rounds of an interim analysis are completed if they overrun the time by no more than this
 * part. */
#define OVERRUN_MOST 0.05

int decide_judge(struct decide_judged *out, const struct sweep_decide *decide, struct error *err)
{
	struct run_comparison_request request = {
		.base = decide->base,
		.head = decide->head,
		.base_option = "--compare",
		.measuring = true,
		.options = {.limits = change_limits_default, .judge_same_code = true}};
	int rc;

	*out = (struct decide_judged){0};
	rc = comparison_rules_load(&out->rules, &request.options, "none", NULL, err);
	return rc ? rc : compare_runs(&out->comparison, decide->db, &request, err);
}

void decide_judged_release(struct decide_judged *judged)
{
	run_comparison_release(&judged->comparison);
	comparison_rules_release(&judged->rules);
}

/* The cases among `chosen` that lack this round, and the control cases if there are any. */
static size_t lacking(size_t *out, const struct sweep_decide *decide, const size_t *chosen,
		      size_t count, int round)
{
	const struct sweep *sweep = decide->sweep;
	size_t found = 0;

	for (size_t i = 0; i < count; i++) {
		const struct case_state *state = &sweep->cases[chosen[i]];

		if (!state->ended && state->rounds_done <= round)
			out[found++] = chosen[i];
	}
	return found ? decide_add_control(decide, out, found) : 0;
}

int decide_measure_to(struct sweep_decide *decide, const size_t *chosen, size_t count, int rounds,
		      struct error *err)
{
	struct sweep *sweep = decide->sweep;
	const int64_t now_ns = monotonic_ns();
	const int64_t overrun_ns = (int64_t)(OVERRUN_MOST * (double)(decide->deadline_ns - now_ns));
	size_t *order = xcalloc(count + CONTROL_CASES, sizeof(*order));
	const size_t done = sweep->steps_done;
	const size_t total = sweep->steps_total;
	double wall_ns = 0, cases_ns = 0;
	size_t planned = 0;
	int rc = 0;

	for (int round = 0; round < rounds; round++)
		planned += lacking(order, decide, chosen, count, round);
	sweep->steps_total += planned;
	for (int round = 0; round < rounds && !rc; round++) {
		const size_t lack = lacking(order, decide, chosen, count, round);
		const int64_t begun_ns = monotonic_ns();

		if (!lack)
			continue;
		if (begun_ns > decide->deadline_ns + overrun_ns)
			break;
		rc = sweep_round_again(sweep, round, order, lack, err);
		wall_ns += (double)(monotonic_ns() - begun_ns);
		for (size_t i = 0; i < lack; i++)
			cases_ns += (double)sweep->cases[order[i]].round_ns;
	}
	if (cases_ns > 0)
		decide->pace = wall_ns / cases_ns;
	decide->added += sweep->steps_done - done;
	sweep->steps_total = total + sweep->steps_done - done;
	free(order);
	return rc;
}

/*
 * ---- for later comparisons ----
 *
 * The time that --decide has left: a case that its interim analyses decided early has few rounds,
 * and as a base it would leave many cases undecided.
 */

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
		reached = 0; /* the last for which it has the rounds */
		while (reached + 1 < INTERIM_COUNT && interim_rounds(decide->first, reached + 1) <=
							      sweep->cases[index].rounds_done)
			reached++;
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
