/* Workers that are started ahead: of the next round, and of the next sweep of this process. */
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "harness/sweep/sweep_parts.h"

/* ---- the next round ---- */

static int ready_reply(void *context, const char *name, const json_t *message, struct error *err)
{
	(void)context;
	(void)message;
	return error_set(err, PL_EPROTOCOL, "'%.40s' came as an answer to 'ready'", name);
}

/* Who waits for nothing need not hear of it. */
static void early_worker_drop(struct early_worker *early)
{
	if (!early->process.pid)
		return;
	worker_pipe_set_output(early->process.printed, NULL);
	worker_kill(&early->process);
}

void early_worker_begin(struct sweep *sweep, const char *uuid)
{
	struct early_worker *early = &sweep->early;
	enum exchange_end end;
	/* a worker that only times does not need the counters */
	const bool counts = sweep->follows_last && sweep->settings->metrics.count;
	struct text line = TEXT_INIT;
	json_t *request;
	char *dumped;

	/* a profiler measures one process at a time */
	if (!sweep->round_follows || early->process.pid || early->fails || sweep->info.profiler[0])
		return;
	early->fails = worker_begin(&early->process, &early->hello, sweep->worker_path.data,
				    &sweep->output, sweep->stop, WORKER_HELLO_TIMEOUT_NS, NULL);
	if (early->fails)
		return;
	request = json_pack("{s:s, s:i, s:b, s:s*}", "request", "ready", "device",
			    sweep->settings->device, "check_counters", (int)counts, "uuid", uuid);
	dumped = json_dumps(request, JSON_COMPACT);
	text_add(&line, dumped);
	early->ready = (struct exchange)EXCHANGE_INIT(ready_reply, NULL, WORKER_START_TIMEOUT_NS);
	early->ready.what = "the device to open";
	/* A worker that is gone is not one that could be used. */
	early->fails = early->hello.over ||
		       exchange_begin(&early->process, &line, &early->ready, &end, NULL);
	if (early->fails)
		early_worker_drop(early);
	text_release(&line);
	free(dumped);
	json_decref(request);
}

bool early_worker_take(struct sweep *sweep, struct worker_process *worker, int64_t timeout_ns)
{
	struct early_worker *early = &sweep->early;
	int rc;

	if (!early->process.pid)
		return false;
	/* it had the time of a round; what is left to do is little */
	early->hello.exchange.deadline_ns = monotonic_ns() + WORKER_HELLO_TIMEOUT_NS;
	rc = worker_begun(&early->process, &early->hello, sweep->worker_path.data, NULL);
	early->ready.deadline_ns = monotonic_ns() + timeout_ns;
	/* A worker that does not know the request says so, and is used as it is. */
	if (!rc && exchange_finish(&early->process, &early->ready, NULL) != EXCHANGE_DONE)
		rc = PL_EWORKER;
	exchange_release(&early->ready);
	if (rc) {
		early->fails = true;
		early_worker_drop(early);
		return false;
	}
	*worker = early->process;
	early->process = (struct worker_process){0};
	return true;
}

void early_worker_end(struct sweep *sweep)
{
	struct early_worker *early = &sweep->early;

	if (!early->process.pid)
		return;
	early_worker_drop(early);
	exchange_release(&early->hello.exchange);
	exchange_release(&early->ready);
}

/* ---- the next sweep ---- */

struct sweep_kept *kept_new(void)
{
	return xcalloc(1, sizeof(struct sweep_kept));
}

void kept_leave(struct sweep_kept *kept, struct worker_process *worker)
{
	worker_end(&kept->leaving);
	worker_pipe_set_output(worker->printed, NULL); /* which ends with its sweep */
	kept->leaving = *worker;
	*worker = (struct worker_process){0};
}

static void standby_release(struct sweep_kept *kept)
{
	worker_kill(&kept->standby);
	session_info_release(&kept->standby_info);
	kept->standby_info = (struct session_info){0};
}

/* ---- waking ---- */

static int wake_reply(void *context, const char *name, const json_t *message, struct error *err)
{
	if (strcmp(name, "woken") == 0)
		return environment_from_json(context, message, err);
	return error_set(err, PL_EPROTOCOL, "'%.40s' came as an answer to 'wake'", name);
}

/* A worker that does not know the request says so, and is used as it is. */
static void wake_settle(struct sweep_kept *kept, struct worker_process *worker,
			enum exchange_end end)
{
	if (end != EXCHANGE_DONE)
		worker_kill(worker);
	exchange_release(&kept->waking);
	kept->is_waking = false;
}

void kept_await_wake(struct sweep_kept *kept, struct worker_process *worker,
		     struct key_value_list *environment)
{
	enum exchange_end end = EXCHANGE_DONE;

	if (!kept->is_waking)
		return;
	while (!exchange_continue(worker, &kept->waking, kept->waking.deadline_ns, &end, NULL))
		;
	wake_settle(kept, worker, end);
	key_value_add_all(environment, &kept->woken);
	key_value_list_release(&kept->woken);
}

/* ---- the standby worker ---- */

bool kept_take_standby(struct sweep_kept *kept, struct worker_process *worker,
		       struct session_info *info)
{
	struct pollfd end = {.fd = kept->standby.channel.fd, .events = POLLIN};
	enum exchange_end ending = EXCHANGE_DONE;
	struct text request = TEXT_INIT;
	char waited[32];

	/* a worker sends nothing unasked: whatever there is to read is its end */
	if (!kept->standby.pid || poll(&end, 1, 0) != 0) {
		standby_release(kept);
		return false;
	}
	*worker = kept->standby;
	*info = kept->standby_info;
	kept->standby = (struct worker_process){0};
	kept->standby_info = (struct session_info){0};
	format_duration(waited, (double)(monotonic_ns() - kept->standby_since_ns));
	key_value_set(&info->environment, "worker.waited", waited);
	text_add(&request, "{\"request\":\"wake\"}");
	kept->waking =
		(struct exchange)EXCHANGE_INIT(wake_reply, &kept->woken, WORKER_START_TIMEOUT_NS);
	kept->is_waking = true;
	if (exchange_begin(worker, &request, &kept->waking, &ending, NULL))
		wake_settle(kept, worker, ending);
	text_release(&request);
	return true;
}

void kept_free(struct sweep_kept *kept)
{
	if (!kept)
		return;
	standby_release(kept);
	worker_end(&kept->leaving);
	key_value_list_release(&kept->woken);
	free(kept->backend);
	free(kept);
}
