/* The exchange of a sweep with its workers: opens and ends them, writes requests about a case, and
 * turns the end of a request into the status of the case. */
#include <stdlib.h>
#include <string.h>

#include "compile/compile.h"
#include "harness/client/client.h"
#include "harness/sweep/data/preparation.h"
#include "harness/sweep/sweep_parts.h"

/* A worker that dies this often before a case begins would die again. */
#define SWEEP_MAX_DEATHS 3

/* What a failed attempt to open a worker shows. */
struct open_failure {
	bool again;  /* another attempt may succeed */
	bool device; /* the device is to blame, not the program of the worker or the memory */
};

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

/* Counters may be off in this session for a reason that earlier sessions did not have. */
static void session_take(struct sweep *sweep, struct session_info *info)
{
	const char *reason = sweep->settings->metrics.count ? info->counters_reason : NULL;

	free(sweep->counters_reason);
	sweep->counters_reason = reason ? xstrdup(reason) : NULL;
	sweep->counters_busy = reason && info->counters_busy;
	/* what happened before was not the fault of the device */
	sweep->suspect = NO_CASE;
	/* sweep_begin() reports the reason of the first session */
	if (sweep->writer)
		sweep_tell_counters_off(sweep);
	if (sweep->info_known) {
		session_info_release(info);
	} else {
		sweep->info = *info;
		sweep->info_known = true;
	}
}

static int64_t limited(int64_t ns, int64_t least_ns, int64_t most_ns)
{
	return ns < least_ns ? least_ns : ns > most_ns ? most_ns : ns;
}

static int64_t open_timeout_ns(const struct sweep *sweep)
{
	return limited(sweep->settings->timeout_ns, WORKER_OPEN_LEAST_NS, WORKER_START_TIMEOUT_NS);
}

const char *sweep_known_uuid(const struct sweep *sweep)
{
	const char *uuid = sweep->hooks.uuid   ? sweep->hooks.uuid
			   : sweep->info_known ? sweep->info.device.uuid
					       : NULL;

	return uuid && *uuid && !sweep->uuids_fail ? uuid : NULL;
}

/* `uuid` may be NULL. */
static json_t *open_request(const struct sweep *sweep, const char *uuid)
{
	/* a worker that only times does not need the counters, which take time to open */
	const bool check_counters = !sweep->info_known || sweep->counts_next;

	json_t *request = json_pack("{s:s, s:o, s:b, s:s*}", "request", "open", "settings",
				    settings_to_json(sweep->settings), "check_counters",
				    (int)check_counters, "uuid", uuid);

	if (sweep->device_used_ns)
		json_object_set_new(request, "idle_ns",
				    json_integer(monotonic_ns() - sweep->device_used_ns));
	return request;
}

/* The worker has answered 'open' with a status that is not ok. Its program speaks, so one that
 * finds no such device any more says something about the device, too. */
static int open_refused(const struct exchange *exchange, struct open_failure *failure,
			struct error *err)
{
	const bool no_memory = exchange->status == TRIAL_OUT_OF_MEMORY;

	failure->again = exchange->status == TRIAL_DEVICE_ERROR || no_memory;
	failure->device =
		exchange->status == TRIAL_DEVICE_ERROR || exchange->unsupported || exchange->usage;
	return error_set(err, failure->again ? PL_EDEVICE : exchange_refusal(exchange), "%s",
			 exchange->reason.data);
}

/* Opens the session of a worker that has just started, or ends it. `uuid` as for open_request(). */
static int session_open(struct sweep *sweep, struct worker_process *worker, const char *uuid,
			struct open_failure *failure, struct error *err)
{
	struct open_answer answer = {0};
	struct exchange exchange = EXCHANGE_INIT(open_reply, &answer, open_timeout_ns(sweep));
	struct error cause = {0};
	enum exchange_end end;
	int rc = 0;

	*failure = (struct open_failure){0};
	sweep->outcome.workers++;
	exchange.what = "the device to open";
	end = worker_ask(worker, open_request(sweep, uuid), &exchange, &cause);
	if (end == EXCHANGE_STOPPED) {
		rc = error_set(err, PL_EINTERRUPTED, "interrupted");
	} else if (end == EXCHANGE_LIED) {
		rc = error_set(err, PL_EPROTOCOL, "the worker broke the protocol at 'open': %s",
			       cause.text);
	} else if (end != EXCHANGE_DONE) {
		failure->again = end == EXCHANGE_DIED;
		/* a driver may abort, or wait for ever, where its device is gone */
		failure->device = end == EXCHANGE_DIED || end == EXCHANGE_TIMEOUT;
		rc = error_set(err, PL_EWORKER, "the worker did not open the device: %s",
			       cause.text);
	} else if (exchange.status != TRIAL_OK) {
		rc = open_refused(&exchange, failure, err);
	} else if (!answer.opened) {
		rc = error_set(err, PL_EPROTOCOL, "the worker opened and described no device");
	}
	if (!rc && sweep->hooks.opened) {
		rc = sweep->hooks.opened(sweep, &answer.info, worker->pid, err);
		failure->device = rc != 0;
	}
	if (rc) {
		session_info_release(&answer.info);
		worker_kill(worker);
	} else {
		if (answer.info.profiler[0])
			worker->end_timeout_ns = WORKER_END_PROFILED_TIMEOUT_NS;
		worker->channel.sides[1] = preparation_side(sweep->preparation);
		session_take(sweep, &answer.info);
	}
	exchange_release(&exchange);
	return rc;
}

/* Makes one attempt with a worker that is started now. */
static int start_and_open(struct sweep *sweep, struct worker_process *worker, const char *uuid,
			  struct open_failure *failure, struct error *err)
{
	const int64_t hello_ns = limited(sweep->settings->timeout_ns, WORKER_HELLO_LEAST_NS,
					 WORKER_HELLO_TIMEOUT_NS);
	const int64_t begun_ns = monotonic_ns();
	const int rc = worker_start(worker, sweep->worker_path.data, &sweep->output, sweep->stop,
				    hello_ns, err);

	/* one that used up its time would do so again */
	*failure = (struct open_failure){.again = rc == PL_EWORKER &&
						  monotonic_ns() - begun_ns < hello_ns};
	return rc ? rc : session_open(sweep, worker, uuid, failure, err);
}

int sweep_open_worker(struct sweep *sweep, struct worker_process *worker, struct error *err)
{
	const enum run_part before = meter_enter(&sweep->times.meter, RUN_PART_STARTING);
	struct open_failure failure = {.again = true};
	struct error cause = {0};
	int rc = 0;

	/* if the early worker fails, one that is started now says what is wrong */
	if (!worker->pid && early_worker_take(sweep, worker, open_timeout_ns(sweep))) {
		const char *uuid = sweep_known_uuid(sweep);
		struct open_failure of_early;
		const int early_rc = session_open(sweep, worker, uuid, &of_early, NULL);

		sweep->early.fails = early_rc != 0;
		sweep->uuids_fail |= uuid && early_rc == PL_EDEVICE;
	}
	for (int deaths = 0; !worker->pid && failure.again && deaths < SWEEP_MAX_DEATHS; deaths++) {
		/* a driver may know no UUIDs */
		const char *uuid = deaths ? NULL : sweep_known_uuid(sweep);

		rc = start_and_open(sweep, worker, uuid, &failure, &cause);
		sweep->uuids_fail |= uuid && rc == PL_EDEVICE;
	}
	if (rc && failure.device)
		sweep->device_lost = sweep->info_known && sweep->info.traits.timed;
	if (rc)
		error_set(err, rc, "%s%s%s", failure.again ? "given up after 3 attempts: " : "",
			  cause.text,
			  failure.again ? "; perflab doctor says what the worker can do here" : "");
	meter_enter(&sweep->times.meter, before);
	return rc;
}

void sweep_end_worker(struct sweep *sweep)
{
	const enum run_part before = meter_enter(&sweep->times.meter, RUN_PART_STARTING);

	worker_end(&sweep->leaving);
	sweep->leaving = sweep->worker;
	sweep->worker = (struct worker_process){0};
	/* a profiler takes long to end, and measures one process at a time */
	if (sweep->info.profiler[0])
		worker_end(&sweep->leaving);
	else
		worker_dismiss(&sweep->leaving);
	meter_enter(&sweep->times.meter, before);
}

int sweep_have_worker(struct sweep *sweep, struct error *err)
{
	int rc = sweep_open_worker(sweep, &sweep->worker, err);
	enum run_part before;

	if (!sweep->leaving.pid)
		return rc;
	before = meter_enter(&sweep->times.meter, RUN_PART_STARTING);
	worker_end(&sweep->leaving);
	meter_enter(&sweep->times.meter, before);
	return rc;
}

void case_request(struct text *out, struct sweep *sweep, const char *request, size_t index,
		  int round, size_t base)
{
	text_addf(out, "{\"request\":\"%s\",\"id\":%zu", request, index);
	if (round >= 0)
		text_addf(out, ",\"round\":%d", round);
	text_add(out, ",\"case\":");
	case_add_json(out, sweep, index);
	if (base != NO_CASE) {
		text_add(out, ",\"beside\":");
		case_add_json(out, sweep, base);
	}
	preparation_hold(sweep->preparation, &index, 1);
	preparation_add_data(out, sweep->preparation, &index, 1);
	text_add_char(out, '}');
}

int sweep_await_data(struct sweep *sweep, size_t index, struct error *err)
{
	const enum run_part before = meter_enter(&sweep->times.meter, RUN_PART_WAITING);
	int rc = preparation_await(sweep->preparation, index, err);

	meter_enter(&sweep->times.meter, before);
	return rc;
}

int exchange_settle(struct worker_process *worker, enum exchange_end end,
		    const struct exchange *exchange, const char *where, const struct error *cause,
		    enum trial_status *status, struct text *reason, struct error *err)
{
	char allowed[32];

	text_clear(reason);
	switch (end) {
	case EXCHANGE_DONE:
		*status = exchange->status;
		text_add(reason, exchange->reason.data);
		/* The context of the worker is lost, so no later reply can be trusted. */
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
	case EXCHANGE_HALTED:
		*status = TRIAL_TIMEOUT;
		text_addf(reason, "the worker did not end %s: %s", where, cause->text);
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
		worker_kill(worker);
		return error_set(err, PL_EINTERRUPTED, "interrupted");
	case EXCHANGE_REFUSED:
		worker_kill(worker);
		return error_set(err, cause->code, "%s", cause->text);
	}
	return 0;
}

/* ---- the first session ---- */

static void tell_slow(void *context, const char *what, int64_t limit_ns)
{
	const struct sweep *sweep = context;
	char limit[32];

	format_duration(limit, (double)limit_ns);
	tell_observer(sweep->observer, NOTICE_WARNING,
		      "waiting for %s; the worker is ended after %s", what, limit);
}

static void pass_printed(void *context, const char *line)
{
	const struct sweep *sweep = context;

	tell_observer(sweep->observer, NOTICE_WARNING, "worker: %s", line);
}

int sweep_open(struct sweep *sweep, const char *backend, struct sweep_kept *kept, struct error *err)
{
	struct session_info info = {0};
	int rc = worker_find(&sweep->worker_path, backend, err);

	sweep->output.line = pass_printed;
	sweep->output.slow = tell_slow;
	sweep->output.context = sweep;
	if (!rc && kept && kept_take_standby(kept, &sweep->worker, &info)) {
		worker_pipe_set_output(sweep->worker.printed, &sweep->output);
		session_take(sweep, &info);
	}
	return rc ? rc : sweep_open_worker(sweep, &sweep->worker, err);
}

void sweep_close(struct sweep *sweep, int rc)
{
	struct text dropped = TEXT_INIT;

	if (rc)
		worker_kill(&sweep->worker);
	worker_end(&sweep->leaving);
	worker_end(&sweep->worker);
	worker_output_describe_dropped(&dropped, &sweep->output);
	if (dropped.length)
		tell_observer(sweep->observer, NOTICE_WARNING, "%s", dropped.data);
	text_release(&dropped);
	sweep->outcome.interrupted = rc == PL_EINTERRUPTED;
	built_in_free(sweep->built_in);
	compile_cache_leave(sweep->images);
	sweep_cases_release(sweep);
	free(sweep->counters_reason);
	free(sweep->uncounted_reason);
	session_info_release(&sweep->info);
	string_list_release(&sweep->files);
	text_release(&sweep->worker_path);
}

/* ---- whether a device is lost ---- */

int lost_device_check(struct sweep *sweep, struct error *err)
{
	const size_t index = sweep->suspect != NO_CASE ? sweep->suspect : sweep->uncounted;
	struct error cause = {0};
	int rc = 0;

	if (index != NO_CASE)
		rc = sweep_open_worker(sweep, &sweep->worker, &cause);
	if (rc && (sweep->device_lost || rc == PL_EINTERRUPTED))
		return error_set(err, rc, "%s", cause.text);
	if (rc) {
		const struct plan_case *ended = &sweep->plan->cases[index];

		tell_observer(sweep->observer, NOTICE_WARNING,
			      "whether the GPU is lost is not known, because no worker could be "
			      "started after %s/%s/%s: %s",
			      ended->kernel, ended->variant, ended->config, cause.text);
	}
	return 0;
}
