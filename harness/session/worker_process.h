/*
 * worker_process: perflab's side of one worker: start it, ask it, end it, and
 * say how it ended. Internal to harness/.
 */
#ifndef HARNESS_SESSION_WORKER_PROCESS_H
#define HARNESS_SESSION_WORKER_PROCESS_H

#include <sys/types.h>

#include "harness/protocol/channel.h"
#include "metrics/metrics.h"

/* For what is no case: the hello, and the first contact with a device. */
#define WORKER_START_TIMEOUT_NS (INT64_C(60) * 1000000000)
#define WORKER_END_TIMEOUT_NS (INT64_C(5) * 1000000000)
/* A profiler writes what it has collected when the process ends. */
#define WORKER_END_PROFILED_TIMEOUT_NS (INT64_C(300) * 1000000000)

struct worker_process {
	pid_t pid; /* 0: none runs */
	/* How long it may take to end by itself once its socket is closed. */
	int64_t end_timeout_ns;
	struct channel channel;
};

/*
 * Starts the program and exchanges hellos. It is in a process group of its
 * own, dies with perflab, and inherits nothing but the socket, the
 * environment and stderr (which is its stdout, too).
 */
int worker_start(struct worker_process *out, const char *path, const volatile int *stop,
		 int64_t timeout_ns, struct error *err);
/* Closes the socket and gives the worker a while to end by itself. None running is fine. */
void worker_end(struct worker_process *worker);
/* Ends it now. */
void worker_kill(struct worker_process *worker);
/* After the worker broke the connection: waits for its end and says how it was: "killed by signal 9
 * (Killed)", "exited with 3". */
void worker_reap(struct worker_process *worker, struct text *how);

/* ---- one request and its answers ---- */

enum exchange_end {
	EXCHANGE_DONE,    /* `done` came: see struct exchange */
	EXCHANGE_DIED,    /* the worker is gone; err says how */
	EXCHANGE_LIED,    /* it broke the protocol; err says how. Still running */
	EXCHANGE_TIMEOUT, /* the deadline passed. Still running */
	EXCHANGE_STOPPED, /* *stop became non-zero. Still running */
	EXCHANGE_UNSENT,  /* the request is too large for the wire; nothing was sent */
	EXCHANGE_REFUSED, /* reply() returned an error of its own, now in err */
};

struct exchange {
	/* Called for every reply but `done`. PL_EPROTOCOL: the reply is a lie. */
	int (*reply)(void *context, const char *name, const json_t *message, struct error *err);
	void *context;
	int64_t timeout_ns;       /* begins anew at every `phase` and every `counters` */
	int64_t first_timeout_ns; /* until the first of them; 0: timeout_ns */

	int64_t deadline_ns; /* of what goes on now, by monotonic_ns() */
	/* Filled at its end: what `done` said. */
	enum trial_status status;
	struct text reason;
	bool unsupported, usage;
};
#define EXCHANGE_INIT(handler, handler_context, timeout)                                   \
	{                                                                                  \
		.reply = (handler), .context = (handler_context), .timeout_ns = (timeout), \
		.reason = TEXT_INIT                                                        \
	}

/* Takes the reference of `request`. */
enum exchange_end worker_ask(struct worker_process *worker, json_t *request,
			     struct exchange *exchange, struct error *err);

/* The same in parts, for who asks several workers at once. Both return true when the exchange is
 * over, as *end says. */
bool exchange_begin(struct worker_process *worker, json_t *request, struct exchange *exchange,
		    enum exchange_end *end, struct error *err);
/* Takes the replies that come until the moment given; one that has passed: those that are there. */
bool exchange_go_on(struct worker_process *worker, struct exchange *exchange, int64_t until_ns,
		    enum exchange_end *end, struct error *err);
/* The code of a `done` that is not ok: PL_EUNSUPPORTED or PL_EUSAGE if it says so, or PL_EWORKER.
 */
int exchange_refusal(const struct exchange *exchange);
void exchange_release(struct exchange *exchange);

#endif
