/* Other programs: git for a revision, ncu and nsys for a profile. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/shared.h"

extern char **environ;

static int wait_for(pid_t pid, int *status)
{
	while (waitpid(pid, status, 0) < 0) {
		if (errno != EINTR)
			return -errno;
	}
	return 0;
}

void shell_word(struct text *out, const char *word)
{
	size_t plain = strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789-_=./,:+%@^");

	if (*word && !word[plain]) {
		text_add(out, word);
		return;
	}
	text_add_char(out, '\'');
	for (; *word; word++) {
		if (*word == '\'')
			text_add(out, "'\\''");
		else
			text_add_char(out, *word);
	}
	text_add_char(out, '\'');
}

int process_capture(struct text *out, size_t limit, char *const *argv, struct error *err)
{
	posix_spawn_file_actions_t actions;
	int ends[2], status = 0, rc;
	char bytes[512];
	ssize_t got;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC))
		return error_set(err, PL_EIO, "cannot make a pipe: %s", strerror(errno));
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
	posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	rc = posix_spawnp(&pid, argv[0], &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	close(ends[1]);
	if (rc) {
		close(ends[0]);
		return error_set(err, PL_EIO, "cannot start %s: %s", argv[0], strerror(rc));
	}
	/* read to the end even beyond the limit, or the program would wait for ever */
	while ((got = read(ends[0], bytes, sizeof(bytes))) > 0 || (got < 0 && errno == EINTR)) {
		if (got > 0 && out->length + (size_t)got <= limit)
			text_add_bytes(out, bytes, (size_t)got);
	}
	close(ends[0]);
	if (wait_for(pid, &status) || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
		return error_set(err, PL_EIO, "%s failed", argv[0]);
	return 0;
}

int process_run(int *exit_code, char *const *argv, struct error *err)
{
	struct sigaction ignore = {.sa_handler = SIG_IGN}, old_int, old_quit;
	posix_spawnattr_t attributes;
	sigset_t defaults;
	int status = 0, rc;
	pid_t pid;

	/* Ctrl-C is for the tool, which then writes what it has; this process stays to clean up */
	sigaction(SIGINT, &ignore, &old_int);
	sigaction(SIGQUIT, &ignore, &old_quit);
	sigemptyset(&defaults);
	sigaddset(&defaults, SIGINT);
	sigaddset(&defaults, SIGQUIT);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setsigdefault(&attributes, &defaults);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
	rc = posix_spawnp(&pid, argv[0], NULL, &attributes, argv, environ);
	posix_spawnattr_destroy(&attributes);
	if (!rc)
		rc = -wait_for(pid, &status);
	sigaction(SIGINT, &old_int, NULL);
	sigaction(SIGQUIT, &old_quit, NULL);
	if (rc)
		return error_set(err, PL_EIO, "cannot run %s: %s", argv[0], strerror(rc));
	*exit_code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
	return 0;
}
