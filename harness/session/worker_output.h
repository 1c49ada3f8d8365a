/*
 * worker_output: what workers print on their standard output and error, which are one pipe each. A
 * worker is a foreign program as far as its words go: a kernel may print, and so may a driver. The
 * lines go to the observer of the sweep, up to a limit for all of its workers together.
 * Internal to harness/session.
 */
#ifndef HARNESS_SESSION_WORKER_OUTPUT_H
#define HARNESS_SESSION_WORKER_OUTPUT_H

#include "harness/protocol/channel.h"

/* Of all workers of a sweep. */
#define WORKER_OUTPUT_LINES_MOST 1000
#define WORKER_OUTPUT_BYTES_MOST ((size_t)256 << 10)
/* Of one line; the rest of it is left out. */
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

#endif
