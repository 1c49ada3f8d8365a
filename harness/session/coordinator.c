/* The sweep: sessions with workers, what their ends mean, and the order of it all. */
#include "harness/session/coordinator.h"
#include "metrics/settings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A worker that dies so often before a case begins will not live the next time. */
#define SWEEP_MAX_DEATHS 3
#define NO_CASE SIZE_MAX

/* ---- results ---- */

void sweep_progress(struct sweep *sweep, const char *phase, size_t index)
{
	struct sweep_progress progress = {
		.done = sweep->steps_done,
		.total = sweep->steps_total,
		.phase = phase,
		.current = index == NO_CASE ? NULL : &sweep->plan->cases[index],
		.elapsed_ns = monotonic_ns() - sweep->started_ns,
		.left_ns = -1,
	};

	if (!sweep->sink || !sweep->sink->progress)
		return;
	if (progress.done)
		progress.left_ns = (int64_t)((double)progress.elapsed_ns / (double)progress.done *
					     (double)(progress.total - progress.done));
	sweep->sink->progress(sweep->sink->context, &progress);
}

void sweep_notice(struct sweep *sweep, const char *line)
{
	if (sweep->sink && sweep->sink->notice)
		sweep->sink->notice(sweep->sink->context, line);
}

size_t case_steps_left(const struct sweep *sweep, size_t index)
{
	const struct case_state *state = &sweep->cases[index];
	int rounds = sweep->rounds - state->rounds_done;

	if (state->ended)
		return 0;
	return (size_t)(rounds > 0 ? rounds : 0) + !state->counted;
}

int sweep_case_finished(struct sweep *sweep, size_t index, enum trial_status status,
			const char *reason, struct error *err)
{
	sweep->steps_total -= case_steps_left(sweep, index);
	sweep->cases[index].ended = true;
	if (status == TRIAL_OK || status == TRIAL_SAMPLED)
		sweep->outcome.ok++;
	else if (status == TRIAL_SKIPPED)
		sweep->outcome.skipped++;
	else
		sweep->outcome.failed++;
	return sweep->sink->finished(sweep->sink->context, index, status, reason, err);
}

/* ---- sessions ---- */

struct open_answer {
	struct session_info info;
	bool opened;
};

static int open_reply(void *context, const char *name, const json_t *message, struct error *err)
{
	struct open_answer *answer = context;
	int rc;

	if (strcmp(name, "opened") || answer->opened)
		return error_set(err, PL_EPROTOCOL, "'%.40s' came as an answer to 'open'", name);
	rc = session_from_json(&answer->info, message, err);
	answer->opened = !rc;
	return rc;
}

/* The counters of a session may be off for a reason that an earlier one did not have. */
static void sweep_session_take(struct sweep *sweep, struct session_info *info)
{
	const char *reason = sweep->settings->metrics.count ? info->counters_reason : NULL;

	/* Said once; what is known before the sink is open, sweep_begin() says. */
	if (sweep->begun && reason && !sweep->counters_reason) {
		char *line = xasprintf("counters are off: %s", reason);

		sweep_notice(sweep, line);
		free(line);
	}
	free(sweep->counters_reason);
	sweep->counters_reason = reason ? xstrdup(reason) : NULL;
	if (sweep->info_known) {
		session_info_release(info);
	} else {
		sweep->info = *info;
		sweep->info_known = true;
	}
}

/* One attempt. *again: another one may fare better. */
static int session_open(struct sweep *sweep, struct worker_process *worker, bool *again,
			struct error *err)
{
	struct open_answer answer = {0};
	struct exchange exchange = EXCHANGE_INIT(open_reply, &answer, WORKER_START_TIMEOUT_NS);
	struct error cause = {0};
	enum exchange_end end;
	int rc = worker_start(worker, sweep->path.data, sweep->stop, WORKER_START_TIMEOUT_NS, err);

	*again = rc == PL_EWORKER;
	if (rc)
		return rc;
	sweep->outcome.workers++;
	end = worker_ask(worker,
			 json_pack("{s:s, s:o}", "request", "open", "settings",
				   settings_to_json(sweep->settings)),
			 &exchange, &cause);
	if (end == EXCHANGE_STOPPED) {
		rc = error_set(err, PL_EINTERRUPTED, "interrupted");
	} else if (end == EXCHANGE_LIED) {
		rc = error_set(err, PL_EPROTOCOL, "the worker broke the protocol at 'open': %s",
			       cause.text);
	} else if (end != EXCHANGE_DONE) {
		*again = end == EXCHANGE_DIED;
		rc = error_set(err, PL_EWORKER, "the worker did not open the device: %s",
			       cause.text);
	} else if (exchange.status != TRIAL_OK) {
		*again = exchange.status == TRIAL_DEVICE_ERROR ||
			 exchange.status == TRIAL_OUT_OF_MEMORY;
		rc = error_set(err, *again ? PL_EDEVICE : exchange_refusal(&exchange), "%s",
			       exchange.reason.data);
	} else if (!answer.opened) {
		rc = error_set(err, PL_EPROTOCOL, "the worker opened without saying what");
	}
	if (rc) {
		session_info_release(&answer.info);
		worker_kill(worker);
	} else {
		if (answer.info.profiler[0])
			worker->end_timeout_ns = WORKER_END_PROFILED_TIMEOUT_NS;
		sweep_session_take(sweep, &answer.info);
	}
	exchange_release(&exchange);
	return rc;
}

int sweep_worker(struct sweep *sweep, struct worker_process *worker, struct error *err)
{
	struct error cause = {0};
	bool again = true;
	int rc = 0;

	for (int deaths = 0; !worker->pid && again && deaths < SWEEP_MAX_DEATHS; deaths++)
		rc = session_open(sweep, worker, &again, &cause);
	if (rc)
		error_set(err, rc, "%s%s%s", again ? "given up after 3 attempts: " : "", cause.text,
			  again ? "; perflab doctor says what the worker can do here" : "");
	return rc;
}

int sweep_settle(struct worker_process *worker, enum exchange_end end,
		 const struct exchange *exchange, const char *where, const struct error *cause,
		 enum trial_status *status, struct text *reason, struct error *err)
{
	char allowed[32];
	int rc = 0;

	text_clear(reason);
	switch (end) {
	case EXCHANGE_DONE:
		*status = exchange->status;
		text_add(reason, exchange->reason.data);
		/* Its context is lost; nothing that it says from now on is to be trusted. */
		if (*status == TRIAL_DEVICE_ERROR || *status == TRIAL_CRASHED)
			worker_kill(worker);
		break;
	case EXCHANGE_DIED:
		*status = TRIAL_CRASHED;
		text_addf(reason, "the worker died in %s: %s", where, cause->text);
		break;
	case EXCHANGE_LIED:
		*status = TRIAL_CRASHED;
		text_addf(reason, "the worker broke the protocol in %s: %s", where, cause->text);
		worker_kill(worker);
		break;
	case EXCHANGE_TIMEOUT:
		*status = TRIAL_TIMEOUT;
		format_duration(allowed, (double)exchange->timeout_ns);
		text_addf(reason, "%s did not end within %s (--timeout)", where, allowed);
		worker_kill(worker);
		break;
	case EXCHANGE_UNSENT:
		*status = TRIAL_FAILED;
		text_addf(reason, "it cannot be sent to the worker: %s", cause->text);
		break;
	case EXCHANGE_STOPPED:
		rc = error_set(err, PL_EINTERRUPTED, "interrupted");
		worker_kill(worker);
		break;
	case EXCHANGE_REFUSED:
		rc = error_set(err, cause->code, "%s", cause->text);
		worker_kill(worker);
		break;
	}
	return rc;
}

/* ---- the sweep ---- */

static void sweep_release(struct sweep *sweep)
{
	worker_end(&sweep->worker);
	for (size_t i = 0; sweep->cases && i < sweep->plan->count; i++)
		free(sweep->cases[i].early_reason);
	free(sweep->cases);
	free(sweep->counters_reason);
	session_info_release(&sweep->info);
	text_release(&sweep->path);
}

static void sweep_cases_init(struct sweep *sweep)
{
	sweep->cases = xcalloc(sweep->plan->count + 1, sizeof(*sweep->cases));
	for (size_t i = 0; i < sweep->plan->count; i++) {
		const struct plan_case *planned = &sweep->plan->cases[i];

		sweep->cases[i] = (struct case_state){
			.facts = launch_facts_unknown,
			.relative_error = NAN,
			.ended = planned->finished || !planned->launch,
			.rounds_done = planned->rounds_done,
			/* An emulated case is done or not: counts without a verdict are worth
			   nothing. */
			.counted = planned->counted && !sweep->info.untimed,
			.early_status = TRIAL_OK,
		};
	}
}

/* Up to where a dry run and a real one are the same. */
static int sweep_prepare(struct sweep *sweep, const char *backend, const struct plan_source *source,
			 struct error *err)
{
	int rc = worker_find(&sweep->path, backend, err);

	if (!rc)
		rc = sweep_worker(sweep, &sweep->worker, err);
	if (!rc)
		rc = source->build(source->context, &sweep->info.device, &sweep->plan, err);
	if (rc)
		return rc;
	sweep_cases_init(sweep);
	/* A profiler replays a kernel as often as it needs to: rounds would only repeat that. */
	sweep->rounds = strcmp(sweep->info.profiler, "ncu") ? sweep->settings->rounds : 1;
	if (sweep->info.untimed)
		sweep->rounds = 0;
	return sweep_inspect_cases(sweep, err);
}

/* Tells the sink what inspection found. */
static int sweep_begin(struct sweep *sweep, struct error *err)
{
	const struct sweep_sink *sink = sweep->sink;
	int rc = sink->opened(sink->context, &sweep->info, sweep->plan, err);

	sweep->begun = true;
	if (!rc && sweep->counters_reason) {
		char *line = xasprintf("counters are off: %s", sweep->counters_reason);

		sweep_notice(sweep, line);
		free(line);
	}
	for (size_t i = 0; i < sweep->plan->count && !rc; i++) {
		const struct case_state *state = &sweep->cases[i];

		sweep->outcome.skipped += !sweep->plan->cases[i].launch;
		if (state->inspected)
			rc = sink->facts(sink->context, i, &state->facts, err);
		sweep->steps_total += case_steps_left(sweep, i);
		if (!rc && state->early_status != TRIAL_OK)
			rc = sweep_case_finished(sweep, i, state->early_status, state->early_reason,
						 err);
	}
	sweep->started_ns = monotonic_ns();
	return rc;
}

static int sweep_measure(struct sweep *sweep, struct error *err)
{
	int rc = sweep_rounds(sweep, err);

	return rc ? rc : sweep_count(sweep, err);
}

int sweep_execute(const char *backend, const struct plan_source *source,
		  const struct measure_settings *settings, const struct sweep_sink *sink,
		  const volatile int *stop, struct sweep_outcome *outcome, struct error *err)
{
	struct sweep sweep = {.path = TEXT_INIT, .settings = settings, .sink = sink, .stop = stop};
	int rc;

	rc = sweep_prepare(&sweep, backend, source, err);
	if (!rc)
		rc = sweep_begin(&sweep, err);
	if (!rc && sweep.info.untimed)
		rc = sweep_emulate(&sweep, err);
	else if (!rc)
		rc = sweep_measure(&sweep, err);
	if (!rc)
		sweep_progress(&sweep, sweep.info.untimed ? "emulate" : "count", NO_CASE);
	if (rc)
		worker_kill(&sweep.worker);
	sweep.outcome.interrupted = rc == PL_EINTERRUPTED;
	if (outcome)
		*outcome = sweep.outcome;
	sweep_release(&sweep);
	return rc;
}

int sweep_inspect(const char *backend, const struct plan_source *source,
		  const struct measure_settings *settings, struct session_info *info,
		  struct error *err)
{
	struct sweep sweep = {.path = TEXT_INIT, .settings = settings};
	int rc = sweep_prepare(&sweep, backend, source, err);

	for (size_t i = 0; i < (rc ? 0 : sweep.plan->count); i++) {
		struct plan_case *planned = &sweep.plan->cases[i];
		const struct case_state *state = &sweep.cases[i];

		if (state->early_status == TRIAL_OK)
			continue;
		/* What would fail is shown as what it is: not going to run. */
		planned->skip_reason = xasprintf("%s: %s", trial_status_name(state->early_status),
						 state->early_reason);
		launch_case_free(planned->launch);
		planned->launch = NULL;
		sweep.plan->runnable--;
	}
	if (!rc && info) {
		*info = sweep.info;
		sweep.info = (struct session_info){0};
	}
	sweep_release(&sweep);
	return rc;
}
