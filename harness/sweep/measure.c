/* Measures the cases of a plan that has been inspected, in rounds. */
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "harness/sweep/data/preparation.h"
#include "harness/sweep/sweep_parts.h"

int sweep_begin(struct sweep *sweep, const struct result_writer *writer, struct error *err)
{
	int rc = 0;

	sweep->writer = writer;
	sweep_tell_counters_off(sweep);
	for (size_t i = 0; i < sweep->plan->count && !rc; i++) {
		const struct case_state *state = &sweep->cases[i];

		sweep->outcome.skipped += !sweep->plan->cases[i].launch;
		if (state->inspected)
			rc = writer->facts(writer->context, i, &state->facts, err);
		sweep->steps_total += case_steps_left(sweep, i);
		if (!rc && state->early_status != TRIAL_OK && case_take(sweep, i))
			rc = case_finish(sweep, i, state->early_status, state->early_reason, err);
	}
	sweep->started_ns = monotonic_ns();
	return rc;
}

/* ---- rounds ---- */

/* Moves the base cases to the front, which otherwise keeps its order. A base case that fails is
 * then known before any case is measured beside it. */
static void put_bases_first(const struct sweep *sweep, size_t *order, size_t count)
{
	bool *is_base = xcalloc(sweep->plan->count + 1, sizeof(*is_base));
	size_t *rest = xcalloc(count + 1, sizeof(*rest));
	size_t bases = 0, others = 0;

	for (size_t i = 0; i < sweep->plan->count; i++)
		if (plan_base(sweep->plan, &sweep->plan->cases[i]))
			is_base[sweep->plan->cases[i].base] = true;
	for (size_t i = 0; i < count; i++) {
		if (is_base[order[i]])
			order[bases++] = order[i];
		else
			rest[others++] = order[i];
	}
	memcpy(order + bases, rest, others * sizeof(*order));
	free(is_base);
	free(rest);
}

static void round_shuffle(const struct sweep *sweep, int round, size_t *order, size_t count)
{
	uint64_t state = sweep->settings->seed ^ (uint64_t)round;

	for (size_t i = count; i > 1; i--) {
		size_t j = (size_t)(random_next(&state) % i);
		size_t swapped = order[i - 1];

		order[i - 1] = order[j];
		order[j] = swapped;
	}
}

/* The cases that still need this round, in an order drawn from seed and round. */
static size_t round_order(struct sweep *sweep, int round, size_t *order)
{
	size_t count = 0;

	if (sweep->hooks.reclaim)
		sweep->hooks.reclaim(sweep, true);
	for (size_t i = 0; i < sweep->plan->count; i++)
		if (!sweep->cases[i].ended && sweep->cases[i].rounds_done <= round &&
		    sweep->cases[i].rounds_done < sweep->rounds)
			order[count++] = i;
	round_shuffle(sweep, round, order, count);
	if (round == 0 && sweep->hooks.order)
		sweep->hooks.order(sweep, order, count);
	/* a case that another process gave back begins in a later round */
	if (round == 0 || sweep->hooks.reclaim)
		put_bases_first(sweep, order, count);
	return count;
}

/* Measures the next round of each of these cases, in this order. All of it is stored in the end. */
static int measure_cases(struct sweep *sweep, const size_t *order, size_t count, struct error *err)
{
	struct error own = {0};
	int rc = 0, stored;

	for (size_t i = 0; i < count && !rc; i++) {
		const bool mine = case_take(sweep, order[i]);
		const char *refusal = mine ? case_refusal(sweep, order[i], true) : NULL;

		if (refusal)
			rc = case_finish(sweep, order[i], TRIAL_CRASHED, refusal, err);
		else if (mine)
			rc = round_of_case(sweep, order[i], sweep->cases[order[i]].rounds_done,
					   err);
		else
			preparation_update(sweep->preparation, order[i]);
	}
	stored = round_store_kept(sweep, &own);
	return rc || !stored ? rc : error_set(err, stored, "%s", own.text);
}

int sweep_round_again(struct sweep *sweep, int round, size_t *cases, size_t count,
		      struct error *err)
{
	round_shuffle(sweep, round, cases, count);
	preparation_set_order(sweep->preparation, cases, count);
	sweep_end_worker(sweep);
	return measure_cases(sweep, cases, count, err);
}

/* Verifies and times: each round in a fresh worker, in an order drawn from the seed. */
static int sweep_rounds(struct sweep *sweep, struct error *err)
{
	size_t *order = xcalloc(sweep->plan->count + 1, sizeof(*order));
	bool used = false;
	int rc = 0;

	for (int round = 0; !rc; round++) {
		size_t count = round_order(sweep, round, order);

		/* more than the rounds: what another GPU gave back begins with its first one */
		if (round >= sweep->rounds && !count)
			break;
		sweep->counts_next = round + 1 >= sweep->rounds && !sweep->hooks.add_rounds;
		sweep->round_follows = round + 1 < sweep->rounds;
		sweep->follows_last = round + 2 >= sweep->rounds && !sweep->hooks.add_rounds;
		/* The worker that inspected is fresh enough for the first round. */
		preparation_set_order(sweep->preparation, order, count);
		if (count && used)
			sweep_end_worker(sweep);
		used = used || count;
		rc = measure_cases(sweep, order, count, err);
	}
	sweep->round_follows = false;
	early_worker_end(sweep); /* no case was left for its round, or the sweep ends early */
	free(order);
	return rc;
}

int sweep_measure(struct sweep *sweep, struct error *err)
{
	const bool timed = sweep->info.traits.timed;
	int64_t begun_ns = monotonic_ns(), measured_ns;
	int rc = sweep->hooks.prepare ? sweep->hooks.prepare(sweep, err) : 0;

	/* a profiler would attach to the workers that prepare, too */
	if (!rc && !sweep->info.profiler[0])
		rc = preparation_begin(&sweep->preparation, sweep, err);

	sweep->worker.channel.sides[1] = preparation_side(sweep->preparation);
	if (!timed)
		meter_enter(&sweep->times.meter, RUN_PART_EMULATING);
	if (!rc)
		rc = timed ? sweep_rounds(sweep, err) : sweep_emulate(sweep, err);
	if (!rc && timed && sweep->hooks.add_rounds)
		rc = sweep->hooks.add_rounds(sweep, err);
	measured_ns = monotonic_ns();
	sweep->times.measure_ns = measured_ns - begun_ns;
	meter_enter(&sweep->times.meter, timed ? RUN_PART_COUNTING : RUN_PART_OTHER);
	if (!rc && timed)
		rc = sweep_count(sweep, err);
	meter_enter(&sweep->times.meter, timed ? RUN_PART_PROFILING : RUN_PART_OTHER);
	if (!rc && sweep_profiles(sweep))
		rc = sweep_profile(sweep, err);
	meter_enter(&sweep->times.meter, RUN_PART_OTHER);
	sweep->times.count_ns = monotonic_ns() - measured_ns;
	sweep->worker.channel.sides[1] = NULL;
	preparation_end(sweep->preparation);
	sweep->preparation = NULL;
	if (!rc)
		sweep_show_progress(sweep, timed ? "count" : "emulate", NO_CASE);
	return rc;
}
