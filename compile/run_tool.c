/* Runs a compiler in a folder, with a limit of time, and takes what it writes. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "compile/compile_parts.h"

#define TOOL_LOOK_MS 50 /* how often *stop is read */

extern char **environ;

/* The environment with TMPDIR set to the folder. The caller frees the array and its first item. */
static char **tool_environment(const char *folder)
{
	size_t count = 0, used = 0;
	char **variables;

	while (environ && environ[count])
		count++;
	variables = xcalloc(count + 2, sizeof(*variables));
	variables[used++] = xasprintf("TMPDIR=%s", folder);
	for (size_t i = 0; i < count; i++) {
		if (strncmp(environ[i], "TMPDIR=", 7) != 0)
			variables[used++] = environ[i];
	}
	return variables;
}

static int tool_spawn(pid_t *pid, const struct string_list *argv, const char *folder, int out)
{
	char **words = xcalloc(argv->count + 1, sizeof(*words));
	char **variables = tool_environment(folder);
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t none, defaults;
	int rc;

	for (size_t i = 0; i < argv->count; i++)
		words[i] = argv->items[i];
	sigemptyset(&none);
	sigemptyset(&defaults);
	sigaddset(&defaults, SIGINT);
	sigaddset(&defaults, SIGTERM);
	sigaddset(&defaults, SIGPIPE);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK |
						      POSIX_SPAWN_SETSIGDEF);
	posix_spawnattr_setpgroup(&attributes, 0);
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setsigdefault(&attributes, &defaults);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addchdir_np(&actions, folder);
	posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
	posix_spawn_file_actions_adddup2(&actions, out, STDERR_FILENO);
	rc = posix_spawn(pid, words[0], &actions, &attributes, words, variables);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attributes);
	free(variables[0]);
	free(variables);
	free(words);
	return rc;
}

/* Reads until every process of the group closed its end, the limit passes or *stop is set. */
static enum tool_end tool_listen(struct text *said, int fd, int64_t limit_ns,
				 const volatile int *stop)
{
	int64_t end_ns = monotonic_ns() + limit_ns;

	for (;;) {
		struct pollfd ready = {.fd = fd, .events = POLLIN};
		char bytes[4096];
		ssize_t got;

		if (stop && *stop)
			return TOOL_STOPPED;
		if (monotonic_ns() >= end_ns)
			return TOOL_TOO_SLOW;
		if (poll(&ready, 1, TOOL_LOOK_MS) <= 0)
			continue;
		got = read(fd, bytes, sizeof(bytes));
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return TOOL_DONE;
		/* what is beyond the limit is read too: the tool would block on a full pipe */
		if (said->length < COMPILE_TEXT_LIMIT) {
			size_t room = COMPILE_TEXT_LIMIT - said->length;

			text_add_bytes(said, bytes, (size_t)got < room ? (size_t)got : room);
		}
	}
}

enum tool_end tool_run(struct text *said, const struct string_list *argv, const char *folder,
		       int64_t limit_ns, const volatile int *stop)
{
	enum tool_end end;
	int ends[2], status = 0, rc;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC))
		return TOOL_NOT_STARTED;
	rc = tool_spawn(&pid, argv, folder, ends[1]);
	close(ends[1]);
	if (rc) {
		close(ends[0]);
		text_addf(said, "%s: %s\n", argv->items[0], strerror(rc));
		return TOOL_NOT_STARTED;
	}
	end = tool_listen(said, ends[0], limit_ns, stop);
	close(ends[0]);
	if (end != TOOL_DONE)
		kill(-pid, SIGKILL);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	/* text of a compiler is text: a NUL byte would hide what follows */
	for (size_t i = 0; i < said->length; i++) {
		if (!said->data[i])
			said->data[i] = '?';
	}
	if (end == TOOL_DONE && (!WIFEXITED(status) || WEXITSTATUS(status) != 0))
		return TOOL_FAILED;
	return end;
}
