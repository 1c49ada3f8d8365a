#include "harness/client/client.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/protocol/protocol.h"

#define LOOK_NS INT64_C(500000000) /* between two looks at a worker that lets perflab wait */

/* ---- ending ---- */

static void worker_describe(struct text *how, bool ended, int wait_status)
{
	text_clear(how);
	if (!ended)
		text_add(how, "closed its socket, but kept running");
	else if (WIFSIGNALED(wait_status))
		text_addf(how, "killed by signal %d (%s)", WTERMSIG(wait_status),
			  strsignal(WTERMSIG(wait_status)));
	else if (WEXITSTATUS(wait_status) == WORKER_NOT_STARTED)
		text_addf(how, "exited with %d (it could not be run)", WORKER_NOT_STARTED);
	else
		text_addf(how, "exited with %d", WEXITSTATUS(wait_status));
}

/* Waits until `deadline_ns`, then kills the worker with its process group. */
static void worker_wait(struct worker_process *worker, int64_t deadline_ns, struct text *how)
{
	int wait_status = 0;
	bool ended = false;

	for (;;) {
		siginfo_t info = {0};

		/* a worker that cannot print does not end */
		worker_pipe_serve(worker->printed);
		/* WNOWAIT keeps the process unreaped, so its id cannot name another group. */
		if (!waitid(P_PID, (id_t)worker->pid, &info, WEXITED | WNOHANG | WNOWAIT))
			ended = info.si_pid == worker->pid;
		if (ended || monotonic_ns() >= deadline_ns)
			break;
		poll(NULL, 0, 1);
	}
	kill(-worker->pid, SIGKILL);
	kill(worker->pid, SIGKILL);
	while (waitpid(worker->pid, &wait_status, 0) < 0 && errno == EINTR)
		;
	worker->pid = 0;
	worker->ended_by = ended && WIFSIGNALED(wait_status) ? WTERMSIG(wait_status) : 0;
	worker_pipe_free(worker->printed);
	worker->printed = NULL;
	if (!ended || worker->ended_by)
		held_folders_clean(WORKER_CHECK_FOLDER);
	if (how)
		worker_describe(how, ended, wait_status);
}

void worker_dismiss(struct worker_process *worker)
{
	if (worker->pid)
		channel_release(&worker->channel);
}

void worker_end(struct worker_process *worker)
{
	worker_reap(worker, NULL);
}

void worker_ask_to_end(const struct worker_process *worker)
{
	if (!worker->pid)
		return;
	kill(worker->pid, SIGTERM);
	kill(worker->pid, SIGCONT); /* a stopped process does not see the other signal */
}

void worker_kill(struct worker_process *worker)
{
	if (!worker->pid)
		return;
	channel_release(&worker->channel);
	/* The worker ends at once, or after it removed what it made for a program of the user. */
	worker_ask_to_end(worker);
	worker_wait(worker, monotonic_ns() + WORKER_KILL_TIMEOUT_NS, NULL);
}

void worker_reap(struct worker_process *worker, struct text *how)
{
	if (!worker->pid)
		return;
	channel_release(&worker->channel);
	worker_wait(worker, monotonic_ns() + worker->end_timeout_ns, how);
}

/* ---- asking ---- */

int exchange_refusal(const struct exchange *exchange)
{
	return exchange->unsupported ? PL_EUNSUPPORTED : exchange->usage ? PL_EUSAGE : PL_EWORKER;
}

void exchange_release(struct exchange *exchange)
{
	text_release(&exchange->reason);
}

/* A scheduler that ends a job sends SIGTERM to all of its processes, the worker perhaps first. Then
 * the case did not crash, and perflab gets the signal within moments. */
static bool worker_ended_with_perflab(const struct worker_process *worker, const volatile int *stop)
{
	const int64_t end_ns = monotonic_ns() + WORKER_END_WITH_PERFLAB_NS;

	if (worker->ended_by != SIGTERM || !stop)
		return false;
	while (!*stop && monotonic_ns() < end_ns)
		poll(NULL, 0, 1);
	return *stop;
}

/* Turns the failure of a channel into the end of an exchange; reaps a dead worker. */
static enum exchange_end exchange_failed(struct worker_process *worker, enum channel_result result,
					 const struct error *cause, struct error *err)
{
	const volatile int *stop = worker->channel.stop;
	struct text how = TEXT_INIT;

	switch (result) {
	case CHANNEL_TIMEOUT:
		error_set(err, PL_EWORKER, "it did not answer in time");
		return EXCHANGE_TIMEOUT;
	case CHANNEL_STOPPED:
		error_set(err, PL_EINTERRUPTED, "interrupted");
		return EXCHANGE_STOPPED;
	case CHANNEL_BAD:
	case CHANNEL_BROKEN:
		error_set(err, PL_EPROTOCOL, "%s", cause->text);
		return EXCHANGE_LIED;
	case CHANNEL_OK:
	case CHANNEL_ENDED:
	case CHANNEL_CUT:
		break;
	}
	worker_reap(worker, &how);
	if (worker_ended_with_perflab(worker, stop)) {
		text_release(&how);
		error_set(err, PL_EINTERRUPTED, "interrupted");
		return EXCHANGE_STOPPED;
	}
	error_set(err, PL_EWORKER, "%s%s", how.data,
		  result == CHANNEL_CUT ? ", in the middle of a reply" : "");
	text_release(&how);
	return EXCHANGE_DIED;
}

static int exchange_done(struct exchange *exchange, const json_t *message, struct error *err)
{
	const char *status, *reason;

	if (member_borrow(&status, message, "status", false, err) ||
	    member_borrow(&reason, message, "reason", true, err))
		return PL_EPROTOCOL;
	if (!trial_status_parse(&exchange->status, status) || exchange->status == TRIAL_PENDING)
		return error_set(err, PL_EPROTOCOL, "'done' has the status '%.40s'", status);
	if (exchange->status != TRIAL_OK && (!reason || !*reason))
		return error_set(err, PL_EPROTOCOL, "'done' is %s and gives no reason", status);
	exchange->unsupported = json_is_true(json_object_get(message, "unsupported"));
	exchange->usage = json_is_true(json_object_get(message, "usage"));
	text_clear(&exchange->reason);
	if (exchange->status != TRIAL_OK)
		text_add(&exchange->reason, reason);
	return 0;
}

static int64_t deadline_after(int64_t timeout_ns)
{
	int64_t deadline_ns;

	if (__builtin_add_overflow(monotonic_ns(), timeout_ns, &deadline_ns))
		deadline_ns = INT64_MAX;
	return deadline_ns;
}

/* Handles one message. Returns true when the exchange is over and *end is set. */
static bool exchange_take(struct exchange *exchange, const json_t *message, enum exchange_end *end,
			  struct error *err)
{
	const char *name;
	int rc = member_borrow(&name, message, "reply", false, err);

	if (!rc && !strcmp(name, "done")) {
		rc = exchange_done(exchange, message, err);
		*end = rc ? EXCHANGE_LIED : EXCHANGE_DONE;
		return true;
	}
	if (!rc)
		rc = exchange->reply(exchange->context, name, message, err);
	if (rc) {
		*end = rc == PL_EPROTOCOL ? EXCHANGE_LIED : EXCHANGE_REFUSED;
		return true;
	}
	if (!strcmp(name, "phase") || !strcmp(name, "counters"))
		exchange->deadline_ns = deadline_after(exchange->timeout_ns);
	return false;
}

bool exchange_begin(struct worker_process *worker, struct text *request, struct exchange *exchange,
		    enum exchange_end *end, struct error *err)
{
	struct error cause = {0};
	enum channel_result result;

	exchange->deadline_ns = deadline_after(
		exchange->first_timeout_ns ? exchange->first_timeout_ns : exchange->timeout_ns);
	result = channel_send_line(&worker->channel, request, exchange->deadline_ns, &cause);
	if (result == CHANNEL_OK)
		return false;
	if (result == CHANNEL_BROKEN && cause.code == PL_EPROTOCOL) {
		error_set(err, PL_EPROTOCOL, "%s", cause.text);
		*end = EXCHANGE_UNSENT;
	} else {
		*end = exchange_failed(worker, result, &cause, err);
	}
	return true;
}

bool exchange_continue(struct worker_process *worker, struct exchange *exchange, int64_t until_ns,
		       enum exchange_end *end, struct error *err)
{
	bool over = false;

	while (!over) {
		int64_t wait_ns =
			until_ns < exchange->deadline_ns ? until_ns : exchange->deadline_ns;
		json_t *message = NULL;
		struct error cause = {0};
		enum channel_result result =
			channel_receive(&worker->channel, &message, wait_ns, &cause);

		if (result == CHANNEL_TIMEOUT && monotonic_ns() < exchange->deadline_ns)
			return false;
		if (result == CHANNEL_OK) {
			over = exchange_take(exchange, message, end, err);
		} else {
			*end = exchange_failed(worker, result, &cause, err);
			over = true;
		}
		json_decref(message);
	}
	return true;
}

bool worker_is_halted(struct worker_process *worker, struct error *err)
{
	const int64_t now_ns = monotonic_ns();
	const int64_t since_ns = now_ns - worker->looked_ns;
	siginfo_t info = {0};

	worker->looked_ns = now_ns;
	if (waitid(P_PID, (id_t)worker->pid, &info, WSTOPPED | WNOHANG | WNOWAIT) ||
	    info.si_pid != worker->pid) {
		worker->stopped_ns = 0;
		return false;
	}
	/* after a longer time perflab was stopped, too, and the worker may go on with it */
	if (since_ns < 2 * LOOK_NS)
		worker->stopped_ns += since_ns;
	if (worker->stopped_ns < WORKER_STOPPED_MOST_NS)
		return false;
	error_set(err, PL_EWORKER, "signal %d (%s) stopped it, and it did not go on within %d s",
		  info.si_status, strsignal(info.si_status),
		  (int)(WORKER_STOPPED_MOST_NS / 1000000000));
	return true;
}

/* Waits in steps, between which it looks at the worker. */
enum exchange_end exchange_finish(struct worker_process *worker, struct exchange *exchange,
				  struct error *err)
{
	const int64_t slow_ns = monotonic_ns() + WORKER_SLOW_NS;
	enum exchange_end end = EXCHANGE_DONE;
	bool slow_shown = !exchange->what;

	while (!exchange_continue(worker, exchange, monotonic_ns() + LOOK_NS, &end, err)) {
		if (worker_is_halted(worker, err))
			return EXCHANGE_HALTED;
		if (!slow_shown && monotonic_ns() >= slow_ns) {
			worker_pipe_tell_slow(worker->printed, exchange->what,
					      exchange->timeout_ns);
			slow_shown = true;
		}
	}
	return end;
}

enum exchange_end worker_ask_line(struct worker_process *worker, struct text *request,
				  struct exchange *exchange, struct error *err)
{
	enum exchange_end end = EXCHANGE_DONE;

	return exchange_begin(worker, request, exchange, &end, err)
		       ? end
		       : exchange_finish(worker, exchange, err);
}

enum exchange_end worker_ask(struct worker_process *worker, json_t *request,
			     struct exchange *exchange, struct error *err)
{
	struct text line = TEXT_INIT;
	char *json = json_dumps(request, JSON_COMPACT);
	enum exchange_end end;

	text_add(&line, json ? json : "null");
	free(json);
	json_decref(request);
	end = worker_ask_line(worker, &line, exchange, err);
	text_release(&line);
	return end;
}
