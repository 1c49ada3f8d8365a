/*
 * worker_process: perflab's side of one worker process. Starts the worker,
 * sends requests, takes the replies, and reports how the process ended.
 * Internal to harness/session.
 */
#ifndef HARNESS_SESSION_WORKER_PROCESS_H
#define HARNESS_SESSION_WORKER_PROCESS_H

#include <sys/types.h>

#include "harness/protocol/channel.h"
#include "harness/session/worker_output.h"
#include "metrics/metrics.h"

/* For requests that are not about a case, such as the first contact with a device. */
#define WORKER_START_TIMEOUT_NS (INT64_C(60) * 1000000000)
/* For the hello, before which a worker only loads its libraries. --timeout shortens both limits,
 * but not below these, because a busy machine takes as long. */
#define WORKER_HELLO_TIMEOUT_NS (INT64_C(20) * 1000000000)
#define WORKER_HELLO_LEAST_NS (INT64_C(5) * 1000000000)
#define WORKER_OPEN_LEAST_NS (INT64_C(20) * 1000000000)
#define WORKER_NOT_STARTED 127 /* the exit code of a worker that could not be executed */
/* After this time perflab says what it waits for. */
#define WORKER_SLOW_NS (INT64_C(2) * 1000000000)
/* A worker that was stopped by a signal is ended if it does not go on. */
#define WORKER_STOPPED_MOST_NS (INT64_C(5) * 1000000000)
#define WORKER_END_TIMEOUT_NS (INT64_C(5) * 1000000000)
/* For the end that is asked for at once: a worker may have to end a program of the user. */
#define WORKER_KILL_TIMEOUT_NS (INT64_C(5) * 1000000000)
/* How long after a worker perflab may get the SIGTERM that ends both. */
#define WORKER_END_WITH_PERFLAB_NS (INT64_C(1) * 1000000000)
/* A profiler writes what it has collected when the process ends. */
#define WORKER_END_PROFILED_TIMEOUT_NS (INT64_C(300) * 1000000000)

struct worker_process {
	pid_t pid;              /* 0: no process runs */
	int64_t end_timeout_ns; /* how long it may take to exit after its socket is closed */
	struct channel channel;
	struct worker_pipe *printed; /* its standard output and error */
	int ended_by;                /* the signal that ended the last process; 0: none did */
	/* How long it is stopped by a signal, and when that was seen last. */
	int64_t stopped_ns, looked_ns;
};

/*
 * Starts the program and exchanges hellos. The worker runs in its own process
 * group, dies with perflab, and inherits only the socket, the shared data
 * (data_file.h) and the environment.
 * What it prints goes to `output`, which is borrowed; NULL: nowhere.
 */
int worker_start(struct worker_process *out, const char *path, struct worker_output *output,
		 const volatile int *stop, int64_t timeout_ns, struct error *err);
/*
 * The same in two steps. In between perflab may do other work, and send requests that follow the
 * hello. worker_begin() sends the hello; *hello must stay where it is. worker_begun() waits for the
 * answer, and ends the worker if there is none of use.
 */
struct worker_hello;
int worker_begin(struct worker_process *worker, struct worker_hello *hello, const char *path,
		 struct worker_output *output, const volatile int *stop, int64_t timeout_ns,
		 struct error *err);
int worker_begun(struct worker_process *worker, struct worker_hello *hello, const char *path,
		 struct error *err);
/* Closes the socket, because there is nothing left to ask. The worker ends while perflab goes on;
 * worker_end() waits for it. */
void worker_dismiss(struct worker_process *worker);
/* Closes the socket and waits end_timeout_ns for the worker to exit, then kills it. Does nothing
 * if no process runs. */
void worker_end(struct worker_process *worker);
/* Sends SIGTERM, for the end of several workers at once. worker_kill() waits for it. */
void worker_ask_to_end(const struct worker_process *worker);
/* Ends the worker with SIGTERM, and after WORKER_KILL_TIMEOUT_NS with SIGKILL. */
void worker_kill(struct worker_process *worker);
/* After the worker broke the connection: waits for its end and writes how it ended: "killed by
 * signal 9 (Killed)", "exited with 3". */
void worker_reap(struct worker_process *worker, struct text *how);

/* ---- one request and its replies ---- */

enum exchange_end {
	EXCHANGE_DONE,    /* `done` came: see struct exchange */
	EXCHANGE_DIED,    /* the worker is gone; err says how */
	EXCHANGE_LIED,    /* the worker violated the protocol; err says how. It still runs */
	EXCHANGE_TIMEOUT, /* the deadline passed. The worker still runs */
	EXCHANGE_HALTED,  /* a signal stopped the worker, and it did not go on; err says so */
	EXCHANGE_STOPPED, /* *stop became non-zero. The worker still runs, or ended by SIGTERM, too
			   */
	EXCHANGE_UNSENT,  /* the request is longer than a line may be; nothing was sent */
	EXCHANGE_REFUSED, /* reply() returned an error of perflab's own, now in err */
};

struct exchange {
	/* Called for every reply except `done`. PL_EPROTOCOL: the reply violates the protocol. */
	int (*reply)(void *context, const char *name, const json_t *message, struct error *err);
	void *context;
	int64_t timeout_ns;       /* starts again at every `phase` and every `counters` */
	int64_t first_timeout_ns; /* until the first of them; 0: timeout_ns */

	const char *what; /* is waited for: worker_output.slow() gets it. NULL: nothing is said */

	int64_t deadline_ns; /* of the current step, by monotonic_ns() */
	/* From `done`. */
	enum trial_status status;
	struct text reason;
	bool unsupported, usage;
};
#define EXCHANGE_INIT(handler, handler_context, timeout)                                   \
	{                                                                                  \
		.reply = (handler), .context = (handler_context), .timeout_ns = (timeout), \
		.reason = TEXT_INIT                                                        \
	}

/* The hello of a worker that has been started: see worker_begin(). */
struct worker_hello {
	struct exchange exchange;
	int64_t version; /* of the worker; -1: not known yet */
	bool over;       /* the exchange is over, and `end` and `cause` are set */
	enum exchange_end end;
	struct error cause;
};

/* Sends a request and takes all its replies. Takes over the caller's reference to `request`. */
enum exchange_end worker_ask(struct worker_process *worker, json_t *request,
			     struct exchange *exchange, struct error *err);
/* The same with a request that is one line of JSON; a newline is appended to it. */
enum exchange_end worker_ask_line(struct worker_process *worker, struct text *request,
				  struct exchange *exchange, struct error *err);

/* The same in two steps, so that one thread can serve several workers. Both return true when the
 * exchange is over; *end is set then. */
bool exchange_begin(struct worker_process *worker, struct text *request, struct exchange *exchange,
		    enum exchange_end *end, struct error *err);
/* Takes the replies that arrive before until_ns. If that is in the past, takes those that have
 * already arrived. */
bool exchange_continue(struct worker_process *worker, struct exchange *exchange, int64_t until_ns,
		       enum exchange_end *end, struct error *err);
/* Waits for the end of an exchange that has begun. */
enum exchange_end exchange_finish(struct worker_process *worker, struct exchange *exchange,
				  struct error *err);
/* Whether the worker has been stopped by a signal for WORKER_STOPPED_MOST_NS. To be called at least
 * once a second while an exchange waits; *err says what happened. */
bool worker_is_halted(struct worker_process *worker, struct error *err);
/* The error code of a `done` that is not ok: PL_EUNSUPPORTED or PL_EUSAGE if it says so, else
 * PL_EWORKER. */
int exchange_refusal(const struct exchange *exchange);
void exchange_release(struct exchange *exchange);

#endif
