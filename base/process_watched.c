/* Runs a program in the foreground and looks at its work meanwhile. */
#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#include "base/process.h"

#define LOOK_NS 100000000

/* How this process treats signals while the program runs, and what to restore. */
struct foreground {
	struct sigaction interrupt, quit;
	sigset_t before, awaited;
};

/* Blocked signals are taken by sigtimedwait(), so none is lost and no handler is needed. */
static void foreground_begin(struct foreground *foreground)
{
	struct sigaction ignore = {.sa_handler = SIG_IGN};

	sigaction(SIGINT, &ignore, &foreground->interrupt);
	sigaction(SIGQUIT, &ignore, &foreground->quit);
	sigemptyset(&foreground->awaited);
	sigaddset(&foreground->awaited, SIGCHLD);
	sigaddset(&foreground->awaited, SIGTERM);
	sigaddset(&foreground->awaited, SIGHUP);
	sigprocmask(SIG_BLOCK, &foreground->awaited, &foreground->before);
}

/* timeout(1) sends two signals; the second must not end this process when the program is gone. */
static void foreground_end(const struct foreground *foreground)
{
	const struct timespec now = {0};

	while (sigtimedwait(&foreground->awaited, NULL, &now) > 0)
		;
	sigprocmask(SIG_SETMASK, &foreground->before, NULL);
	sigaction(SIGINT, &foreground->interrupt, NULL);
	sigaction(SIGQUIT, &foreground->quit, NULL);
}

/* The program gets the signals as this process had them, except those that main() ignores. */
static int start_in_foreground(pid_t *pid, const struct watched_program *program,
			       const struct foreground *foreground)
{
	char **variables = environment_with(program->variables);
	posix_spawnattr_t attributes;
	sigset_t defaults;
	int rc;

	sigemptyset(&defaults);
	if (foreground->interrupt.sa_handler != SIG_IGN)
		sigaddset(&defaults, SIGINT);
	if (foreground->quit.sa_handler != SIG_IGN)
		sigaddset(&defaults, SIGQUIT);
	sigaddset(&defaults, SIGXFSZ);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
	posix_spawnattr_setsigdefault(&attributes, &defaults);
	posix_spawnattr_setsigmask(&attributes, &foreground->before);
	rc = posix_spawnp(pid, program->argv[0], NULL, &attributes, program->argv, variables);
	posix_spawnattr_destroy(&attributes);
	free(variables);
	return rc;
}

static int wait_and_look(pid_t pid, const struct watched_program *program,
			 const struct foreground *foreground)
{
	const struct timespec patience = {.tv_nsec = LOOK_NS};
	int status = 0;

	while (waitpid(pid, &status, WNOHANG) == 0) {
		const int number = sigtimedwait(&foreground->awaited, NULL, &patience);

		if (number == SIGTERM || number == SIGHUP)
			kill(pid, number);
		if (program->look)
			program->look(program->context);
	}
	if (program->look)
		program->look(program->context);
	return status;
}

static int cannot_start(struct watched_end *end, const char *program, int cause, struct error *err)
{
	end->exit_code = cause == ENOENT ? 127 : 126;
	if (cause == ENOENT && !strchr(program, '/'))
		return error_set(err, PL_ENOENT, "there is no program %s in $PATH", program);
	if (cause == ENOENT)
		return error_set(err, PL_ENOENT,
				 "there is no program %s, or none that its first line names",
				 program);
	return error_set(err, PL_EIO, "cannot start %s: %s", program, strerror(cause));
}

int process_watched(struct watched_end *end, const struct watched_program *program,
		    struct error *err)
{
	const int64_t began_ns = monotonic_ns();
	struct foreground foreground;
	int status, rc;
	pid_t pid;

	*end = (struct watched_end){0};
	foreground_begin(&foreground);
	rc = start_in_foreground(&pid, program, &foreground);
	if (rc) {
		foreground_end(&foreground);
		return cannot_start(end, program->argv[0], rc, err);
	}
	status = wait_and_look(pid, program, &foreground);
	end->wall_ns = monotonic_ns() - began_ns;
	foreground_end(&foreground);
	end->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
	end->exit_code = end->signal ? 128 + end->signal : WEXITSTATUS(status);
	return 0;
}
