/* Starts other programs, waits for them and takes what they print. */
#include "base/process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

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
	const struct limited_program program = {.argv = argv,
						.end_ns = monotonic_ns() + PROCESS_CAPTURE_LIMIT_NS,
						.output_limit = limit,
						.without_messages = true};
	int status;
	const enum program_end end = process_limited(out, &status, &program);

	if (end == PROGRAM_NOT_STARTED)
		return error_set(err, PL_EIO, "cannot start %s: %s", argv[0], strerror(status));
	/* the wait status of a program that exited with 0 is 0 */
	return end == PROGRAM_EXITED && !status ? 0 : error_set(err, PL_EIO, "%s failed", argv[0]);
}

/* Returns a descriptor of an unnamed file that holds `bytes`, positioned at its start, or -1. */
static int memory_file(const char *bytes, size_t length)
{
	int fd = memfd_create("perflab", MFD_CLOEXEC);

	while (fd >= 0 && length > 0) {
		ssize_t wrote = write(fd, bytes, length);

		if (wrote < 0 && errno == EINTR)
			continue;
		if (wrote <= 0) {
			close(fd);
			return -1;
		}
		bytes += wrote;
		length -= (size_t)wrote;
	}
	if (fd >= 0)
		lseek(fd, 0, SEEK_SET);
	return fd;
}

/* The first line that is not empty. */
static const char *first_line(struct text *messages)
{
	char *line = messages->data;

	line += strspn(line, " \t\r\n");
	line[strcspn(line, "\r\n")] = '\0';
	return *line ? line : "it printed no message";
}

/* Runs the filter from one file into another. */
static int filter_run(int in, int out, struct text *messages, char *const *argv, struct error *err)
{
	const struct limited_program program = {.argv = argv,
						.end_ns = monotonic_ns() + PROCESS_FILTER_LIMIT_NS,
						.output_limit = 2048,
						.input_fd = in,
						.output_fd = out};
	int status;
	const enum program_end end = process_limited(messages, &status, &program);

	if (end == PROGRAM_NOT_STARTED)
		return error_set(err, status == ENOENT ? PL_ENOENT : PL_EIO, "cannot start %s: %s",
				 argv[0], strerror(status));
	if (end != PROGRAM_EXITED)
		return error_set(err, PL_EIO, "%s was ended after %d s", argv[0],
				 (int)(PROCESS_FILTER_LIMIT_NS / 1000000000));
	return status ? error_set(err, PL_EIO, "%s failed: %s", argv[0], first_line(messages)) : 0;
}

int process_filter(char **out, size_t *length, size_t limit, const struct text *input,
		   char *const *argv, struct error *err)
{
	/* with files instead of pipes, neither side can block the other */
	const int in = memory_file(input->data, input->length), produced = memory_file("", 0);
	struct text messages = TEXT_INIT;
	char path[32];
	int rc;

	if (in < 0 || produced < 0)
		rc = error_set(err, PL_EIO, "cannot create temporary files for %s: %s", argv[0],
			       strerror(errno));
	else
		rc = filter_run(in, produced, &messages, argv, err);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", produced);
	if (!rc)
		rc = read_file(out, length, path, limit, err);
	if (!rc && *length == 0) {
		free(*out);
		*out = NULL;
		rc = error_set(err, PL_EIO, "%s printed nothing: %s", argv[0],
			       first_line(&messages));
	}
	text_release(&messages);
	if (in >= 0)
		close(in);
	if (produced >= 0)
		close(produced);
	return rc;
}

int process_run(int *exit_code, char *const *argv, struct error *err)
{
	struct sigaction ignore = {.sa_handler = SIG_IGN}, old_int, old_quit;
	posix_spawnattr_t attributes;
	sigset_t defaults;
	int status = 0, rc;
	pid_t pid;

	/* Ctrl-C goes to the tool, which then writes its results; this process lives on to clean up
	 */
	sigaction(SIGINT, &ignore, &old_int);
	sigaction(SIGQUIT, &ignore, &old_quit);
	sigemptyset(&defaults);
	sigaddset(&defaults, SIGINT);
	sigaddset(&defaults, SIGQUIT);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setsigdefault(&attributes, &defaults);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	rc = posix_spawnp(&pid, argv[0], NULL, &attributes, argv, environ);
	posix_spawnattr_destroy(&attributes);
	if (!rc && TEMP_FAILURE_RETRY(waitpid(pid, &status, 0)) < 0)
		rc = errno;
	process_children_end();
	prctl(PR_SET_CHILD_SUBREAPER, 0);
	sigaction(SIGINT, &old_int, NULL);
	sigaction(SIGQUIT, &old_quit, NULL);
	if (rc)
		return error_set(err, PL_EIO, "cannot run %s: %s", argv[0], strerror(rc));
	*exit_code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
	return 0;
}

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
