#include "harness/sweep/round_answer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/sweep/data/preparation.h"

static const struct device_state state_unknown = {
	.sm_clock_hz = __builtin_nan(""),
	.memory_clock_hz = __builtin_nan(""),
	.temperature_c = __builtin_nan(""),
	.power_w = __builtin_nan(""),
	.throttle_reasons = -1,
};

struct round_answer round_answer_begin(struct sweep *sweep, size_t index, int round, size_t base)
{
	return (struct round_answer){
		.sweep = sweep,
		.index = index,
		.last_phase = -1,
		.relative_error = NAN,
		.result = {.round = round, .state = state_unknown},
		.beside = base != NO_CASE,
		.alone = TEXT_INIT,
		.unmoved = TEXT_INIT,
	};
}

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

int round_answer_reply(void *context, const char *name, const json_t *message, struct error *err)
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
	if (!strcmp(name, "state"))
		return state_from_json(&answer->result.state, message, err);
	return error_set(err, PL_EPROTOCOL, "'%.40s' came as an answer to 'measure'", name);
}

/* ---- the whole answer ---- */

const char *round_answer_missing(const struct round_answer *answer)
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

void round_answer_release(struct round_answer *answer)
{
	free(answer->result.time_ns);
	free(answer->result.base_ns);
	text_release(&answer->alone);
	text_release(&answer->unmoved);
}
