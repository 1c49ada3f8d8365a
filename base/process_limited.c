/* Runs a program with a time limit and takes what it prints. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/process_guard.h"

/* How often the end of the program and *stop are looked for. */
#define LOOK_MS 5
/* A full pipe is 16 reads. What the program started may go on printing, and must not be read for
 * ever. */
#define READS_AFTER_END 32

/* ---- listening ---- */

/* Forgets the oldest output. Twice the limit is kept until then, so that few bytes are moved. */
static void forget_oldest(struct text *said, size_t limit)
{
	struct text last = TEXT_INIT;

	text_add_bytes(&last, said->data + said->length - limit, limit);
	text_release(said);
	*said = last;
}

/* Reads once, also what is not kept: the program would block on a full pipe. Returns false at the
 * end of the output. */
static bool keep_output(struct text *said, int fd, const struct limited_program *program)
{
	char bytes[4096];
	ssize_t got = read(fd, bytes, sizeof(bytes));
	const size_t limit = program->output_limit;
	const size_t room = said->length < limit ? limit - said->length : 0;

	if (got <= 0)
		return got < 0 && (errno == EINTR || errno == EAGAIN);
	for (ssize_t i = 0; i < got; i++) /* output is text: NUL would hide what follows */
		if (!bytes[i])
			bytes[i] = '?';
	text_add_bytes(said, bytes, program->keep_last || (size_t)got < room ? (size_t)got : room);
	if (program->keep_last && said->length > 2 * limit)
		forget_oldest(said, limit);
	return true;
}

/* The program stays a zombie, so that its number is not given to another. */
static bool has_exited(pid_t pid)
{
	siginfo_t info = {0};

	return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
	       info.si_pid == pid;
}

/* The program may close its output before it exits, and what it started may hold the output open
 * after. */
static enum program_end listen_to(struct text *said, int fd, pid_t pid,
				  const struct limited_program *program)
{
	struct pollfd output = {.fd = fd, .events = POLLIN};
	int rest = READS_AFTER_END;

	for (;;) {
		bool exited;
		int ready;

		if (program->stop && *program->stop)
			return PROGRAM_STOPPED;
		if (monotonic_ns() >= program->end_ns)
			return PROGRAM_LATE;
		exited = has_exited(pid);
		ready = poll(&output, 1, exited ? 0 : LOOK_MS);
		if (ready > 0 && !keep_output(said, fd, program))
			output.fd = -1; /* poll() only waits from now on */
		if (exited && (ready <= 0 || !rest--))
			return PROGRAM_EXITED;
	}
}

/* Returns 0 or an error number. */
static int start(struct guard *guard, const struct limited_program *program, int output)
{
	const int empty = open("/dev/null", O_RDWR | O_CLOEXEC);
	const int streams[3] = {program->input_fd ? program->input_fd : empty,
				program->output_fd ? program->output_fd : output,
				program->without_messages ? empty : output};
	const int error = empty < 0 ? errno : guard_start(guard, program, streams);

	if (empty >= 0)
		close(empty);
	return error;
}

enum program_end process_limited(struct text *said, int *status,
				 const struct limited_program *program)
{
	struct guard guard;
	enum program_end end;
	int64_t peak_bytes;
	int ends[2], error;

	if (pipe2(ends, O_CLOEXEC)) {
		*status = errno;
		return PROGRAM_NOT_STARTED;
	}
	*status = start(&guard, program, ends[1]);
	close(ends[1]);
	if (*status) {
		close(ends[0]);
		return PROGRAM_NOT_STARTED;
	}
	end = listen_to(said, ends[0], guard.pid, program);
	close(ends[0]);
	if (end != PROGRAM_EXITED)
		guard_ask(&guard);
	error = guard_end(&guard, status, &peak_bytes);
	if (program->peak_bytes)
		*program->peak_bytes = peak_bytes;
	if (error)
		*status = error;
	return error ? PROGRAM_NOT_STARTED : end;
}
