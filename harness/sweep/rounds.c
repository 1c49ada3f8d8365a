/* Rounds: verify and time every case, each round in a fresh worker. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "harness/sweep/data/preparation.h"
#include "harness/sweep/round_answer.h"
#include "harness/sweep/sweep_state.h"

/* ---- one case, one round ---- */

static void accuracy_keep(struct case_state *state, const struct round_answer *answer)
{
	if (!answer->has_accuracy)
		return;
	state->relative_error = fmax(state->relative_error, answer->relative_error);
	memcpy(state->no_accuracy, answer->no_accuracy, sizeof(state->no_accuracy));
}

/* Gives a round that was measured to the writer. */
static int round_store(struct sweep *sweep, size_t index, const struct round_result *result,
		       struct error *err)
{
	int rc = 0;

	if (sweep->hooks.round)
		sweep->hooks.round(sweep, index, result);
	if (result->count)
		rc = sweep->writer->round(sweep->writer->context, index, result, err);
	if (!rc) {
		sweep->cases[index].rounds_done = result->round + 1;
		sweep->steps_done++;
		sweep_show_progress(sweep, "time", index);
	}
	return rc;
}

/* From now on the case is measured alone. */
static int pair_end(struct sweep *sweep, size_t index, const char *reason, struct error *err)
{
	sweep->cases[index].alone = true;
	return sweep->writer->alone(sweep->writer->context, index, reason, err);
}

/* Once per sweep, because it is so for most cases then. */
static void tell_unmoved(struct sweep *sweep, const struct round_answer *answer)
{
	const struct plan_case *planned = &sweep->plan->cases[answer->index];
	char *line;

	if (!answer->unmoved.length || sweep->unmoved_shown)
		return;
	line = xasprintf("%s/%s/%s was timed on fewer placements than %d: %s; round.placements in "
			 "the database has the number of each round",
			 planned->kernel, planned->variant, planned->config,
			 sweep->settings->placements, answer->unmoved.data);
	sweep_notice(sweep, NOTICE_WARNING, line);
	sweep->unmoved_shown = true;
	free(line);
}

/* Stores what a measurement came to, and ends the case unless it was measured. */
static int answer_take(struct sweep *sweep, struct round_answer *answer, enum trial_status status,
		       const char *reason, struct error *err)
{
	const size_t index = answer->index;
	int rc = 0;

	if (status == TRIAL_UNVERIFIED)
		case_keep_unverified(&sweep->cases[index], reason);
	if (!trial_status_measured(status))
		return case_finish(sweep, index, status, reason, err);
	if (answer->alone.length)
		rc = pair_end(sweep, index, answer->alone.data, err);
	accuracy_keep(&sweep->cases[index], answer);
	tell_unmoved(sweep, answer);
	return rc ? rc : round_store(sweep, index, &answer->result, err);
}

/* ---- storing, while the next case is measured ---- */

/* A round that was measured. */
struct unstored_round {
	struct round_answer answer;
	enum trial_status status;
	struct text reason;
};

/* Takes over the answer and the reason. */
static void round_keep(struct round_answer *answer, enum trial_status status, struct text *reason)
{
	struct unstored_round *round = xcalloc(1, sizeof(*round));

	*round = (struct unstored_round){*answer, status, *reason};
	answer->sweep->unstored = round;
}

/* Stores the round that is kept, if any. */
static int round_store_kept(struct sweep *sweep, struct error *err)
{
	struct unstored_round *round = sweep->unstored;
	int rc;

	if (!round)
		return 0;
	sweep->unstored = NULL;
	rc = answer_take(sweep, &round->answer, round->status, round->reason.data, err);
	preparation_update(sweep->preparation, round->answer.index);
	round_answer_release(&round->answer);
	text_release(&round->reason);
	free(round);
	return rc;
}

/* Asks for a round. While the worker measures, stores the round before, and starts the worker of
 * the next one. Returns 0, or the code with which storing failed; the worker is ended then. */
static int ask_and_store(struct sweep *sweep, struct text *request, struct exchange *exchange,
			 enum exchange_end *end, struct error *cause, struct error *err)
{
	bool over;
	int rc;

	over = exchange_begin(&sweep->worker, request, exchange, end, cause);
	/* this costs no time if the worker takes longer */
	sweep->times.meter.held = !over;
	rc = round_store_kept(sweep, err);
	if (!over && !rc)
		early_worker_begin(sweep, sweep_known_uuid(sweep));
	sweep->times.meter.held = false;
	if (rc && !over)
		worker_kill(&sweep->worker);
	else if (!over)
		*end = exchange_finish(&sweep->worker, exchange, cause);
	return rc;
}

/* ---- one round ---- */

/* Measures one round beside the case `base`, or alone. *failed_beside: something went wrong while
 * the worker prepared the base case; nothing is stored. */
static int measure_round(struct sweep *sweep, size_t index, int round, size_t base,
			 bool *failed_beside, struct error *err)
{
	struct round_answer answer = round_answer_begin(sweep, index, round, base);
	struct exchange exchange =
		EXCHANGE_INIT(round_answer_reply, &answer, sweep->settings->timeout_ns);
	enum trial_status status = TRIAL_OK;
	struct text request = TEXT_INIT, reason = TEXT_INIT;
	struct error cause = {0};
	char where[32] = "its beginning";
	enum exchange_end end = EXCHANGE_DONE;
	const char *missing;
	int rc;

	*failed_beside = false;
	case_request(&request, sweep, "measure", index, round, base);
	rc = ask_and_store(sweep, &request, &exchange, &end, &cause, err);
	text_release(&request);
	if (rc) {
		preparation_release(sweep->preparation, &index, 1);
		goto out;
	}
	sweep_take_times(sweep, &answer.times);
	if (end == EXCHANGE_DONE && answer.result.count)
		sweep->device_used_ns = monotonic_ns();
	missing = round_answer_missing(&answer);
	if (end == EXCHANGE_DONE && trial_status_measured(exchange.status) && missing) {
		end = EXCHANGE_LIED;
		error_set(&cause, PL_EPROTOCOL, "%s", missing);
	}
	if (answer.last_phase >= 0)
		snprintf(where, sizeof(where), "phase %s",
			 worker_phase_name((enum worker_phase)answer.last_phase));
	rc = exchange_settle(&sweep->worker, end, &exchange, where, &cause, &status, &reason, err);
	/* not before: a worker that is late may write into what was offered to it until it ends */
	preparation_release(sweep->preparation, &index, 1);
	*failed_beside = !rc && answer.beside && answer.last_phase == WORKER_PHASE_BESIDE &&
			 !trial_status_measured(status);
	if (*failed_beside) {
		rc = pair_end(sweep, index, reason.data, err);
	} else if (!rc && trial_status_measured(status)) {
		round_keep(&answer, status, &reason);
		exchange_release(&exchange);
		return 0;
	} else if (!rc) {
		rc = answer_take(sweep, &answer, status, reason.data, err);
	}
	preparation_update(sweep->preparation, index);
out:
	round_answer_release(&answer);
	exchange_release(&exchange);
	text_release(&reason);
	return rc;
}

/* A base case that fails costs the case its speed-up, and nothing else. */
static int measure_round_of_case(struct sweep *sweep, size_t index, int round, struct error *err)
{
	int64_t begun_ns = 0;
	bool again = true;
	int rc = 0;

	while (!rc && again) {
		if (sweep->unstored && !preparation_is_ready(sweep->preparation, index))
			rc = round_store_kept(sweep, err);
		if (!rc)
			rc = sweep_await_data(sweep, index, err);
		begun_ns = monotonic_ns(); /* data are made once, not in each round */
		if (!rc)
			rc = sweep_have_worker(sweep, err);
		if (!rc)
			rc = measure_round(sweep, index, round, case_base(sweep, index), &again,
					   err);
	}
	sweep->cases[index].round_ns = monotonic_ns() - begun_ns;
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
			rc = measure_round_of_case(sweep, order[i],
						   sweep->cases[order[i]].rounds_done, err);
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

int sweep_rounds(struct sweep *sweep, struct error *err)
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
