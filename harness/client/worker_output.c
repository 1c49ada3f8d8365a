#include "harness/client/client.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define READ_BYTES 16384
/* Read at once, so that a worker that prints without end does not keep perflab from its replies. */
#define READS_MOST 16

struct worker_pipe {
	struct channel_side side; /* first: see serve_side() */
	struct worker_output *output;
	struct text line; /* as far as it came */
	size_t cut;       /* bytes of it beyond the limit */
};

/* ---- lines ---- */

static void pass_line(struct worker_pipe *pipe)
{
	struct worker_output *output = pipe->output;
	const size_t bytes = pipe->line.length + 1;

	if (output && output->lines < WORKER_OUTPUT_LINES_MOST &&
	    output->bytes + bytes <= WORKER_OUTPUT_BYTES_MOST) {
		output->lines++;
		output->bytes += bytes;
		output->bytes_dropped += pipe->cut;
		output->line(output->context, pipe->line.data);
	} else if (output) {
		output->lines_dropped++;
		output->bytes_dropped += bytes + pipe->cut;
	}
	text_clear(&pipe->line);
	pipe->cut = 0;
}

static void take_bytes(struct worker_pipe *pipe, const char *bytes, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		if (bytes[i] == '\n')
			pass_line(pipe);
		else if (pipe->line.length < WORKER_OUTPUT_LINE_MOST)
			text_add_char(&pipe->line, bytes[i] ? bytes[i] : '?');
		else
			pipe->cut++;
	}
}

void worker_output_describe_dropped(struct text *out, const struct worker_output *output)
{
	if (output->bytes_dropped)
		text_addf(out,
			  "the workers printed %zu more lines (%zu bytes), which are left out: of "
			  "a sweep at most %d lines and %zu KiB are shown, and %d bytes of a line",
			  output->lines_dropped, output->bytes_dropped, WORKER_OUTPUT_LINES_MOST,
			  WORKER_OUTPUT_BYTES_MOST >> 10, WORKER_OUTPUT_LINE_MOST);
}

/* ---- the pipe ---- */

void worker_pipe_serve(struct worker_pipe *pipe)
{
	char bytes[READ_BYTES];

	for (int i = 0; i < READS_MOST && pipe->side.fd >= 0; i++) {
		ssize_t got = read(pipe->side.fd, bytes, sizeof(bytes));

		if (got > 0) {
			take_bytes(pipe, bytes, (size_t)got);
		} else if (got < 0 && errno == EINTR) {
			continue;
		} else if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
			break;
		} else {
			close(pipe->side.fd);
			pipe->side.fd = -1;
		}
	}
}

static void serve_side(struct channel_side *side)
{
	worker_pipe_serve((struct worker_pipe *)side);
}

struct worker_pipe *worker_pipe_new(struct worker_output *output, int *child_end)
{
	struct worker_pipe *pipe;
	int ends[2];

	if (pipe2(ends, O_CLOEXEC))
		return NULL;
	fcntl(ends[0], F_SETFL, O_NONBLOCK);
	*child_end = ends[1];
	pipe = xcalloc(1, sizeof(*pipe));
	pipe->side = (struct channel_side){.fd = ends[0], .serve = serve_side};
	pipe->line = (struct text)TEXT_INIT;
	pipe->output = output;
	return pipe;
}

void worker_pipe_free(struct worker_pipe *pipe)
{
	if (!pipe)
		return;
	worker_pipe_serve(pipe);
	if (pipe->line.length)
		pass_line(pipe);
	if (pipe->side.fd >= 0)
		close(pipe->side.fd);
	text_release(&pipe->line);
	free(pipe);
}

void worker_pipe_tell_slow(const struct worker_pipe *pipe, const char *what, int64_t limit_ns)
{
	if (pipe->output && pipe->output->slow)
		pipe->output->slow(pipe->output->context, what, limit_ns);
}

void worker_pipe_set_output(struct worker_pipe *pipe, struct worker_output *output)
{
	if (pipe)
		pipe->output = output;
}

struct channel_side *worker_pipe_side(struct worker_pipe *pipe)
{
	return &pipe->side;
}
