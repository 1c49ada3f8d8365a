/* Runs a program with a time limit and takes what it prints. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/process.h"

/* How often the end of the program and *stop are looked for. */
#define LOOK_MS 5
/* A full pipe is 16 reads. What the program started may go on printing, and must not be read for
 * ever. */
#define READS_AFTER_END 32

extern char **environ;

/* ---- starting ---- */

static bool names_same(const char *one, const char *other)
{
	size_t length = strcspn(one, "=");

	return !strncmp(one, other, length) && other[length] == '=';
}

static bool is_replaced(const char *variable, const struct string_list *by)
{
	for (size_t i = 0; by && i < by->count; i++) {
		if (names_same(by->items[i], variable))
			return true;
	}
	return false;
}

char **environment_with(const struct string_list *variables)
{
	size_t count = 0, used = 0, more = variables ? variables->count : 0;
	char **all;

	while (environ && environ[count])
		count++;
	all = xcalloc(count + more + 1, sizeof(*all));
	for (size_t i = 0; i < more; i++)
		all[used++] = variables->items[i];
	for (size_t i = 0; i < count; i++) {
		if (!is_replaced(environ[i], variables))
			all[used++] = environ[i];
	}
	return all;
}

/* The program gets a group, and none of the signals that perflab and its workers ignore or catch.
 */
static void attributes_make(posix_spawnattr_t *attributes)
{
	sigset_t none, defaults;

	sigemptyset(&none);
	sigemptyset(&defaults);
	sigaddset(&defaults, SIGINT);
	sigaddset(&defaults, SIGTERM);
	sigaddset(&defaults, SIGPIPE);
	sigaddset(&defaults, SIGXFSZ);
	sigaddset(&defaults, SIGTTOU);
	posix_spawnattr_init(attributes);
	posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK |
						     POSIX_SPAWN_SETSIGDEF);
	posix_spawnattr_setpgroup(attributes, 0);
	posix_spawnattr_setsigmask(attributes, &none);
	posix_spawnattr_setsigdefault(attributes, &defaults);
}

static int start(pid_t *pid, const struct limited_program *program, int output)
{
	char **variables = environment_with(program->variables);
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	int rc;

	attributes_make(&attributes);
	posix_spawn_file_actions_init(&actions);
	if (program->folder)
		posix_spawn_file_actions_addchdir_np(&actions, program->folder);
	posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
	if (program->without_messages)
		posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	else
		posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO);
	posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
	rc = posix_spawnp(pid, program->argv[0], &actions, &attributes, program->argv, variables);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attributes);
	free(variables);
	return rc;
}

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

enum program_end process_limited(struct text *said, int *status,
				 const struct limited_program *program)
{
	enum program_end end;
	int ends[2];
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC)) {
		*status = errno;
		return PROGRAM_NOT_STARTED;
	}
	*status = start(&pid, program, ends[1]);
	close(ends[1]);
	if (*status) {
		close(ends[0]);
		return PROGRAM_NOT_STARTED;
	}
	end = listen_to(said, ends[0], pid, program);
	close(ends[0]);
	kill(-pid, SIGKILL);
	while (waitpid(pid, status, 0) < 0 && errno == EINTR)
		;
	return end;
}
