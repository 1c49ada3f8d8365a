/* One round of one case: verifies and times it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/sweep/data/preparation.h"
#include "harness/sweep/sweep_parts.h"

/* What a worker replies to `measure`, the request for one round of a case. */
struct round_answer {
	struct sweep *sweep;
	size_t index;
	int last_phase; /* -1: none yet */
	bool has_accuracy;
	double relative_error;
	char no_accuracy[96];
	struct counter_list clocks; /* what other clocks read */
	struct round_result result;
	bool beside; /* the worker was asked to measure it beside its base case */
	struct meter times;
	size_t base_count;
	struct text alone;   /* why it did not; "": it did */
	struct text unmoved; /* why the data has fewer placements than it should; "": it has all */
};

/* ---- replies ---- */

static int measure_phase(struct round_answer *answer, const json_t *message, struct error *err)
{
	const char *name;
	enum worker_phase phase;
	int rc = member_borrow(&name, message, "phase", false, err);

	if (rc)
		return rc;
	/* Each phase restarts the timeout, so a worker must not gain time by repeating one. */
	if (!worker_phase_parse(&phase, name) || (int)phase <= answer->last_phase)
		return error_set(err, PL_EPROTOCOL, "phase '%.40s' is unknown or out of order",
				 name);
	answer->last_phase = (int)phase;
	sweep_show_progress(answer->sweep, worker_phase_name(phase), answer->index);
	return 0;
}

static int measure_samples(struct round_answer *answer, const json_t *message, struct error *err)
{
	struct round_result *result = &answer->result;
	const char *unmoved = NULL;
	double *more = NULL;
	double *all;
	size_t count = 0;
	int rc = samples_from_json(&more, &count, json_object_get(message, "time_ns"), err);

	if (!rc && json_object_get(message, "unmoved"))
		rc = member_borrow(&unmoved, message, "unmoved", false, err);
	if (!rc && unmoved && !answer->unmoved.length)
		text_add(&answer->unmoved, unmoved);
	if (!rc && json_object_get(message, "placements"))
		rc = member_int64(&result->placements, message, "placements", 1,
				  PROTOCOL_MAX_SAMPLES, err);
	if (!rc && result->count + count > PROTOCOL_MAX_SAMPLES)
		rc = error_set(err, PL_EPROTOCOL, "there are over %d samples of one round",
			       PROTOCOL_MAX_SAMPLES);
	if (!rc) {
		all = realloc(result->time_ns, (result->count + count) * sizeof(*all));
		if (all) {
			memcpy(all + result->count, more, count * sizeof(*all));
			result->time_ns = all;
			result->count += count;
		} else {
			rc = error_set(err, PL_ENOMEM, "samples do not fit in memory");
		}
	}
	free(more);
	return rc;
}

static int measure_accuracy(struct round_answer *answer, const json_t *message, struct error *err)
{
	const char *reason = NULL;
	int rc = member_real_or_null(&answer->relative_error, message, "relative_error", err);

	if (!rc)
		rc = member_borrow(&reason, message, "reason", true, err);
	if (rc)
		return rc;
	if (answer->has_accuracy)
		return error_set(err, PL_EPROTOCOL, "'accuracy' came twice");
	if (isnan(answer->relative_error) == !reason || answer->relative_error < 0)
		return error_set(err, PL_EPROTOCOL,
				 "'accuracy' has neither an error nor a reason, or both");
	snprintf(answer->no_accuracy, sizeof(answer->no_accuracy), "%s", reason ? reason : "");
	answer->has_accuracy = true;
	return 0;
}

/* The samples of the base case, or why there are none. */
static int measure_beside(struct round_answer *answer, const json_t *message, struct error *err)
{
	const char *reason = NULL;
	int rc = member_borrow(&reason, message, "reason", true, err);

	if (rc)
		return rc;
	if (!answer->beside || answer->result.base_ns || answer->alone.length)
		return error_set(err, PL_EPROTOCOL, "'beside' came %s",
				 answer->beside ? "twice" : "although no base case was asked for");
	if (reason) {
		text_add(&answer->alone, *reason ? reason : "the worker did not say why");
		return 0;
	}
	rc = member_bool(&answer->result.same_buffers, message, "same_buffers", err);
	return rc ? rc
		  : samples_from_json(&answer->result.base_ns, &answer->base_count,
				      json_object_get(message, "base_ns"), err);
}

static int measure_clocks(struct round_answer *answer, const json_t *message, struct error *err)
{
	if (answer->clocks.count)
		return error_set(err, PL_EPROTOCOL, "'clocks' came twice");
	return counters_from_json(&answer->clocks, json_object_get(message, "clocks"), err);
}

/* Takes one reply; the function of an exchange, whose context is the answer. PL_EPROTOCOL. */
static int round_answer_reply(void *context, const char *name, const json_t *message,
			      struct error *err)
{
	struct round_answer *answer = context;
	int64_t round;
	int rc;

	if (!strcmp(name, "filled"))
		return preparation_take_filled(answer->sweep->preparation, message, err);
	rc = reply_check_id(message, (int64_t)answer->index, err);
	if (rc)
		return rc;
	if (!strcmp(name, "phase"))
		return measure_phase(answer, message, err);
	if (!strcmp(name, "times"))
		return meter_from_json(&answer->times, message, err);
	rc = member_int64(&round, message, "round", 0, INT32_MAX, err);
	if (!rc && round != answer->result.round)
		rc = error_set(err, PL_EPROTOCOL, "a reply is about round %lld, asked was %d",
			       (long long)round, answer->result.round);
	if (rc)
		return rc;
	if (!strcmp(name, "samples"))
		return measure_samples(answer, message, err);
	if (!strcmp(name, "beside"))
		return measure_beside(answer, message, err);
	if (!strcmp(name, "accuracy"))
		return measure_accuracy(answer, message, err);
	if (!strcmp(name, "clocks"))
		return measure_clocks(answer, message, err);
	if (!strcmp(name, "state"))
		return state_from_json(&answer->result.state, message, err);
	return error_set(err, PL_EPROTOCOL, "'%.40s' came as an answer to 'measure'", name);
}

/* What the replies lack, although the measurement succeeded; NULL: nothing. */
static const char *round_answer_missing(const struct round_answer *answer)
{
	/* Under ncu there are no samples: the times would be the profiler's. */
	if (!answer->result.count)
		return strcmp(answer->sweep->info.profiler, "ncu")
			       ? "it measured the case and gave no samples"
			       : NULL;
	if (!answer->beside || answer->alone.length)
		return NULL;
	if (!answer->result.base_ns)
		return "it was asked for a base case and gave neither samples of it nor a reason";
	return answer->base_count == answer->result.count
		       ? NULL
		       : "it gave another number of samples of the base case than of the case";
}

static void round_answer_release(struct round_answer *answer)
{
	free(answer->result.time_ns);
	free(answer->result.base_ns);
	counter_list_release(&answer->clocks);
	text_release(&answer->alone);
	text_release(&answer->unmoved);
}

/* ---- results ---- */

/* From now on the case is measured alone. */
static int pair_end(struct sweep *sweep, size_t index, const char *reason, struct error *err)
{
	sweep->cases[index].alone = true;
	return sweep->writer->alone(sweep->writer->context, index, reason, err);
}

/* Stores what a measurement came to, and ends the case unless it was measured. */
static int answer_take(struct sweep *sweep, struct round_answer *answer, enum trial_status status,
		       const char *reason, struct error *err)
{
	const size_t index = answer->index;
	const struct round_result *result = &answer->result;
	const struct plan_case *planned = &sweep->plan->cases[index];
	struct case_state *state = &sweep->cases[index];
	int rc = 0;

	if (status == TRIAL_UNVERIFIED)
		case_keep_unverified(state, reason);
	if (!trial_status_measured(status))
		return case_finish(sweep, index, status, reason, err);
	if (answer->alone.length)
		rc = pair_end(sweep, index, answer->alone.data, err);
	if (answer->has_accuracy) {
		state->relative_error = fmax(state->relative_error, answer->relative_error);
		memcpy(state->no_accuracy, answer->no_accuracy, sizeof(state->no_accuracy));
	}
	if (answer->clocks.count) {
		counter_list_release(&state->clocks);
		state->clocks = answer->clocks;
		answer->clocks = (struct counter_list){0};
	}
	/* said once per sweep, because it is so for most cases then */
	if (answer->unmoved.length && !sweep->unmoved_shown) {
		tell_observer(sweep->observer, NOTICE_WARNING,
			      "%s/%s/%s was timed on fewer placements than %d: %s; "
			      "round.placements in the database has the number of each round",
			      planned->kernel, planned->variant, planned->config,
			      sweep->settings->placements, answer->unmoved.data);
		sweep->unmoved_shown = true;
	}
	if (rc)
		return rc;
	if (sweep->hooks.round)
		sweep->hooks.round(sweep, index, result);
	if (result->count)
		rc = sweep->writer->round(sweep->writer->context, index, result, err);
	if (!rc) {
		state->rounds_done = result->round + 1;
		sweep->steps_done++;
		sweep_show_progress(sweep, "time", index);
	}
	return rc;
}

/* ---- storing, while the next case is measured ---- */

/* A round that was measured. */
struct unstored_round {
	struct round_answer answer;
	enum trial_status status;
	struct text reason;
};

int round_store_kept(struct sweep *sweep, struct error *err)
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

/* Takes over the parts of the request that the worker reports. */
static void take_times(struct sweep *sweep, const struct meter *parts)
{
	struct meter *meter = &sweep->times.meter;

	if (!meter->since_ns)
		return;
	meter_read(meter);
	for (int part = 0; part < RUN_PART_COUNT; part++)
		if (part != (int)meter->current)
			meter_move(meter, meter->current, (enum run_part)part, parts->ns[part]);
}

/* Measures one round beside the case `base`, or alone. *failed_beside: something went wrong while
 * the worker prepared the base case; nothing is stored. */
static int measure_round(struct sweep *sweep, size_t index, int round, size_t base,
			 bool *failed_beside, struct error *err)
{
	struct round_answer answer = {
		.sweep = sweep,
		.index = index,
		.last_phase = -1,
		.relative_error = NAN,
		.result = {.round = round, .state = device_state_unknown},
		.beside = base != NO_CASE,
		.alone = TEXT_INIT,
		.unmoved = TEXT_INIT,
	};
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
	take_times(sweep, &answer.times);
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
		sweep->unstored = xmalloc(sizeof(*sweep->unstored));
		*sweep->unstored = (struct unstored_round){answer, status, reason};
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

int round_of_case(struct sweep *sweep, size_t index, int round, struct error *err)
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
