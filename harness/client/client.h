/*
 * client: perflab's side of its workers: which backends there are, finding and starting the program
 * of a worker, one request and its replies, what a worker prints, and the memory that perflab
 * shares with its workers. Knows no sweep.
 *
 * worker_start(&worker, path, &output, stop, timeout_ns, err) starts one; worker_ask() sends a
 * request and takes its replies; worker_end() ends it.
 */
#ifndef HARNESS_CLIENT_CLIENT_H
#define HARNESS_CLIENT_CLIENT_H

#include <sys/types.h>

#include "base/base.h"
#include "harness/protocol/channel.h"
#include "harness/protocol/messages.h"
#include "metrics/metrics.h"

/* ---- backends.c ---- */

/*
 * The table of backends that perflab knows before any worker runs:
 * their names, traits and options. A worker reports its own traits when it
 * opens; the table serves earlier decisions. A backend with another name
 * (perflab-worker-NAME) is not in the table and is treated as timed.
 */

/* Values of --backend. BACKEND_AUTO means BACKEND_CUDA if it opens a device, else BACKEND_PTX. */
#define BACKEND_AUTO "auto"
#define BACKEND_CUDA "cuda"
#define BACKEND_PTX "ptx"

struct backend {
	const char *name;
	struct backend_traits traits;
	bool has_ceilings;          /* a sweep measures the ceilings of its device first */
	bool needs_toolkit;         /* its worker is built only if the CUDA toolkit is found */
	bool needs_all_checks;      /* `perflab doctor` expects every check of its worker to pass */
	const char *build_remedy;   /* what to do if its worker is missing */
	const char *const *options; /* options of `sweep` that only backends of its kind use;
				     * NULL-terminated */
};

/* NULL: not in the table. */
const struct backend *backend_find(const char *name);
/* The traits in the table. An unknown backend is timed and not emulated. */
struct backend_traits backend_traits_of(const char *name);
/* The options that a backend with these traits does not use: those of the other kind. */
const char *const *backend_unused_options(const struct backend_traits *traits);
/* Returns PL_EUSAGE. The message lists the backends and suggests the one that was meant. */
int backend_unknown(const char *name, struct error *err);

/* ---- data_file.c ---- */

/*
 * The memory that perflab shares with its workers: one file without
 * a name, which disappears with the last process that has it open. Ranges are
 * never reused, because a worker that was killed may have read one half. The
 * memory of a dropped range is free at once.
 */

/* The descriptor that workers inherit. -1: the system has no such file, so nothing is shared. */
int data_file_fd(void);
/* Gives a process that was forked a file of its own: two that use one would write into each other's
 * ranges. */
void data_file_renew(void);
/* Sets *offset to the start of a new range, a multiple of the page size. false: the file cannot
 * grow. */
bool data_file_take(int64_t *offset, int64_t bytes);
/* The memory that a range of `bytes` bytes takes. */
int64_t data_file_range_bytes(int64_t bytes);
void data_file_drop(int64_t offset, int64_t bytes);
/* How many bytes a sweep may share: a quarter of the memory that is available, unless
 * PERFLAB_SHARED_MEMORY says otherwise. PL_EUSAGE: that is not a size. */
int data_file_limit(int64_t *out, struct error *err);

/* ---- worker_output.c ---- */

/*
 * What workers print on their standard output and error, which are one pipe each. A
 * worker is a foreign program as far as its words go: a kernel may print, and so may a driver. The
 * lines go to the observer of the sweep, up to a limit for all of its workers together.
 */

/* The most lines and bytes that all workers of a sweep may print together. */
#define WORKER_OUTPUT_LINES_MOST 1000
#define WORKER_OUTPUT_BYTES_MOST ((size_t)256 << 10)
/* The most bytes of one line; the rest of the line is left out. */
#define WORKER_OUTPUT_LINE_MOST 2048

/* Where the lines go. */
struct worker_output {
	/* `line` lives during the call; it may have any byte except NUL and newline. */
	void (*line)(void *context, const char *line);
	/* Called when a worker lets perflab wait, once for each step: what it waits for, and after
	 * how long the worker is ended. NULL: nobody wants to know. */
	void (*slow)(void *context, const char *what, int64_t limit_ns);
	void *context;
	size_t lines, bytes;                 /* passed on */
	size_t lines_dropped, bytes_dropped; /* beyond the limits */
};

/* The pipe of one worker. */
struct worker_pipe;
/* Makes the pipe; *child_end is for the worker. NULL: errno says why. */
struct worker_pipe *worker_pipe_new(struct worker_output *output, int *child_end);
/* Passes on what is there, and closes the pipe. NULL is fine. */
void worker_pipe_free(struct worker_pipe *pipe);
/* Calls slow() of the output, if there is one. */
void worker_pipe_tell_slow(const struct worker_pipe *pipe, const char *what, int64_t limit_ns);
/* Changes where lines go, which the pipe borrows. NULL: nowhere. */
void worker_pipe_set_output(struct worker_pipe *pipe, struct worker_output *output);
/* Reads what is there without waiting. */
void worker_pipe_serve(struct worker_pipe *pipe);
/* To serve while a channel waits, or in a poll(). */
struct channel_side *worker_pipe_side(struct worker_pipe *pipe);

/* "12 more lines (340 bytes) of the workers …". Adds nothing if all was passed on. */
void worker_output_describe_dropped(struct text *out, const struct worker_output *output);

/* ---- worker_process.c ---- */

/*
 * Perflab's side of one worker process. Starts the worker,
 * sends requests, takes the replies, and reports how the process ended.
 */

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
 * (data_file.c) and the environment.
 * What it prints goes to `output`, which is borrowed; NULL: nowhere.
 */
int worker_start(struct worker_process *out, const char *path, struct worker_output *output,
		 const volatile int *stop, int64_t timeout_ns, struct error *err);
/*
 * Start a worker in two steps. In between perflab may do other work, and send requests that follow
 * the hello. worker_begin() sends the hello; *hello must stay where it is. worker_begun() waits for
 * the answer, and ends the worker if there is none of use.
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
/* As worker_ask(), with a request that is one line of JSON; a newline is appended to it. */
enum exchange_end worker_ask_line(struct worker_process *worker, struct text *request,
				  struct exchange *exchange, struct error *err);

/* worker_ask_line() in two steps, so that one thread can serve several workers. Both return true
 * when the exchange is over; *end is set then. */
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

/* ---- backends.c, worker_queries.c ---- */

/*
 * Finds the program of a worker, and asks it questions that need no
 * open session. Each question starts a worker, sends one request and ends the
 * worker. Strings live until the callback returns. Errors: PL_EUNSUPPORTED
 * there is no such worker, or this machine cannot do what was asked;
 * PL_EWORKER the worker died; PL_EPROTOCOL it broke the protocol.
 */

/* Path of the worker of a backend: $PERFLAB_WORKER_<BACKEND>, else perflab-worker-<backend> beside
 * the running program, else in $PATH. PL_EUNSUPPORTED with the remedy if there is none; PL_EUSAGE
 * if perflab does not know such a backend, either. */
int worker_find(struct text *path, const char *backend, struct error *err);
/* PL_EUSAGE: perflab does not know the backend, and there is no worker for it. */
int backend_check_name(const char *backend, struct error *err);
/* As backend_check_name(), for verbs that ask one backend: "auto" is PL_EUSAGE, too. */
int backend_must_be_named(const char *backend, struct error *err);

int worker_doctor(const char *backend,
		  void (*visit)(void *context, const struct worker_check *check), void *context,
		  struct error *err);
int worker_devices(const char *backend,
		   void (*visit)(void *context, int ordinal, const struct device_info *device),
		   void *context, struct error *err);
/* chip NULL: the chip of this machine, or GH100. pattern NULL: all metrics. */
int worker_metrics(const char *backend, const char *chip, const char *pattern,
		   void (*visit)(void *context, const struct worker_metric *metric), void *context,
		   struct error *err);
/* Sets *passes to the number of passes that `wanted` (from metric_request()) needs on a chip. Adds
 * the metrics that the chip lacks to *missing, as "NAME: reason". */
int worker_pass_count(const char *backend, const char *chip, const struct string_list *wanted,
		      int64_t *passes, struct string_list *missing, struct error *err);

#endif
