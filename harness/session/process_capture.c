/* Runs a program and takes what it prints. */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/session/host.h"

extern char **environ;

int process_capture(struct text *out, size_t limit, char *const *argv, struct error *err)
{
	posix_spawn_file_actions_t actions;
	int ends[2], status = 0, rc;
	char bytes[512];
	ssize_t got;
	pid_t pid, waited;

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
	/* read to the end, even beyond the limit: the program would block on a full pipe */
	while ((got = read(ends[0], bytes, sizeof(bytes))) > 0 || (got < 0 && errno == EINTR)) {
		if (got > 0 && out->length + (size_t)got <= limit)
			text_add_bytes(out, bytes, (size_t)got);
	}
	close(ends[0]);
	while ((waited = waitpid(pid, &status, 0)) < 0 && errno == EINTR)
		;
	if (waited < 0 || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
		return error_set(err, PL_EIO, "%s failed", argv[0]);
	return 0;
}
