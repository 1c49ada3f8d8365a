/* What --decide does with rounds: compares, measures and discards them. */
#include "harness/sweep/decide/decide.h"

#include <stdio.h>
#include <stdlib.h>

/* The rounds of an interim analysis are completed if they overrun the time by no more than this
 * part. */
#define OVERRUN_MOST 0.05

/* ---- the comparison ---- */

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

/* ---- measuring ---- */

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

/* ---- discarding ---- */

int decide_drop_rounds(struct sweep_decide *decide, int round, struct error *err)
{
	struct sweep *sweep = decide->sweep;
	int rc = store_drop_rounds(decide->store, round, err);

	for (size_t i = 0; i < sweep->plan->count && !rc; i++)
		if (sweep->cases[i].rounds_done > round)
			sweep->cases[i].rounds_done = round;
	return rc;
}

int decide_withhold(struct sweep_decide *decide, int round, double moved, struct error *err)
{
	char number[16], amount[32];
	int rc = db_together_begin(decide->db, err);

	if (rc)
		return rc;
	snprintf(number, sizeof(number), "%d", round);
	snprintf(amount, sizeof(amount), "%.4f", moved);
	rc = db_environment_set(decide->db, decide->run_id, SEQUENTIAL_USED_KEY, number, err);
	if (!rc)
		rc = db_environment_set(decide->db, decide->run_id, SEQUENTIAL_MOVED_KEY, amount,
					err);
	if (!rc)
		rc = decide_drop_rounds(decide, round, err);
	return db_together_end(decide->db, rc, err);
}
