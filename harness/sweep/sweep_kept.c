/* Keeps a standby worker between sweeps. See sweep_kept.h. */
#include "harness/sweep/sweep_kept.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "harness/client/client.h"
#include "harness/protocol/protocol.h"

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

/* A worker sends nothing unasked: whatever there is to read is its end. */
static bool standby_runs(const struct sweep_kept *kept)
{
	struct pollfd end = {.fd = kept->standby.channel.fd, .events = POLLIN};

	return kept->standby.pid && poll(&end, 1, 0) == 0;
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

static void wake_begin(struct sweep_kept *kept, struct worker_process *worker)
{
	enum exchange_end end = EXCHANGE_DONE;
	struct text request = TEXT_INIT;

	text_add(&request, "{\"request\":\"wake\"}");
	kept->waking =
		(struct exchange)EXCHANGE_INIT(wake_reply, &kept->woken, WORKER_START_TIMEOUT_NS);
	kept->is_waking = true;
	if (exchange_begin(worker, &request, &kept->waking, &end, NULL))
		wake_settle(kept, worker, end);
	text_release(&request);
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
	char waited[32];

	if (!standby_runs(kept)) {
		standby_release(kept);
		return false;
	}
	*worker = kept->standby;
	*info = kept->standby_info;
	kept->standby = (struct worker_process){0};
	kept->standby_info = (struct session_info){0};
	format_duration(waited, (double)(monotonic_ns() - kept->standby_since_ns));
	key_value_set(&info->environment, "worker.waited", waited);
	wake_begin(kept, worker);
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
