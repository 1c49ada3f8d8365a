/* Starts a pager and waits for it; see the header. */
#include "cli/pager.h"

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

#define DEFAULT_PAGER "less"

/* Signal handlers have no context argument, so these are static. */
static volatile pid_t running; /* 0: no pager runs */
static int reading_end;        /* of the pipe to the pager */
static int null_device;        /* /dev/null */
static int own_messages = -1;  /* stderr before the pager; -1: it does not go there */

/* A pager that still reads would fight with the shell for the terminal. */
static void await_pager(int signal_number)
{
	pid_t pager = running;

	running = 0;
	close(STDOUT_FILENO);
	close(STDERR_FILENO);
	while (pager > 0 && waitpid(pager, NULL, 0) < 0 && errno == EINTR)
		;
	signal(signal_number, SIG_DFL);
	raise(signal_number);
}

/*
 * The user has left the pager, perhaps before it has read everything. perflab then goes on without
 * a reader, so that it ends with the exit code of its result. While it holds the reading end, no
 * write fails: one that waits is restarted by SA_RESTART, and then writes to /dev/null. A program
 * that the pager left behind may still read.
 */
static void leave_pager(int signal_number)
{
	const int error = errno;
	struct pollfd writing = {.fd = STDOUT_FILENO};
	pid_t pager = running;

	(void)signal_number;
	if (pager > 0 && waitpid(pager, NULL, WNOHANG) == pager) {
		running = 0;
		close(reading_end);
		if (poll(&writing, 1, 0) > 0 && (writing.revents & POLLERR)) {
			dup2(null_device, STDOUT_FILENO);
			if (own_messages >= 0)
				dup2(own_messages, STDERR_FILENO);
		}
	}
	errno = error;
}

static bool is_executable_in(const char *folder, size_t length, const char *program)
{
	char *path = xasprintf("%.*s%s%s", (int)length, folder, length ? "/" : "", program);
	bool found = access(path, X_OK) == 0;

	free(path);
	return found;
}

/* Whether the first word of a command of the shell is a program. What is no plain word is left to
 * the shell. */
static bool pager_exists(const char *command)
{
	size_t length = strcspn(command, " \t");
	char *program = xstrndup(command, length);
	const char *path = getenv("PATH");
	bool found = strpbrk(program, "\"'$`\\=(){};&|<>*?~") || strchr(program, '/');

	while (!found && path && *path) {
		size_t folder = strcspn(path, ":");

		found = is_executable_in(path, folder, program);
		path += folder + (path[folder] == ':');
	}
	free(program);
	return found;
}

/* NULL: there is none. */
static const char *pager_command(void)
{
	const char *command = getenv("PERFLAB_PAGER");
	const char *kind = getenv("TERM");

	if (!command)
		command = getenv("PAGER");
	if (!command)
		command = DEFAULT_PAGER;
	/* a terminal that cannot move its cursor has no use for one */
	if (!*command || strcmp(command, "cat") == 0 || !kind || strcmp(kind, "dumb") == 0)
		return NULL;
	return pager_exists(command) ? command : NULL;
}

/* Options for less and lv, unless the user has set them: quit if all fits on one screen, show
 * colours, leave the text on the screen. */
static void add_pager_options(struct string_list *variables)
{
	if (!getenv("LESS"))
		string_list_add(variables, "LESS=FRX");
	if (!getenv("LV"))
		string_list_add(variables, "LV=-c");
}

/* Returns false if the pager cannot be started. */
static bool spawn_pager(const char *command, int input)
{
	char *const argv[] = {"sh", "-c", (char *)command, NULL};
	struct string_list variables = {0};
	char **environment;
	posix_spawn_file_actions_t actions;
	pid_t pid;
	int failed;

	add_pager_options(&variables);
	environment = environment_with(&variables);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
	failed = posix_spawn(&pid, "/bin/sh", &actions, NULL, argv, environment);
	posix_spawn_file_actions_destroy(&actions);
	free(environment);
	string_list_release(&variables);
	if (!failed)
		running = pid;
	return !failed;
}

static bool wants_pager(const struct invocation *call)
{
	bool offers = false;

	for (size_t i = 0; i < call->command->option_count; i++)
		offers |= strcmp(call->command->options[i].name, "no-pager") == 0;
	return offers && call->terminal.out_width > 0 && !option_given(call, "no-pager") &&
	       !option_given(call, "output");
}

/* From here on, output goes to the pager, until it or perflab ends. */
static void write_to_pager(const struct invocation *call, int writing_end)
{
	static const int signals[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGPIPE};

	fflush(stdout);
	if (call->terminal.err_width > 0)
		own_messages = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	dup2(writing_end, STDOUT_FILENO);
	if (own_messages >= 0)
		dup2(writing_end, STDERR_FILENO);
	for (size_t i = 0; i < ARRAY_SIZE(signals); i++)
		signal(signals[i], await_pager);
	sigaction(SIGCHLD, &(struct sigaction){.sa_handler = leave_pager, .sa_flags = SA_RESTART},
		  NULL);
	raise(SIGCHLD); /* it may have ended already */
}

void pager_start(const struct invocation *call)
{
	const char *command = wants_pager(call) ? pager_command() : NULL;
	int ends[2];

	if (!command || pipe2(ends, O_CLOEXEC) != 0)
		return;
	null_device = open("/dev/null", O_WRONLY | O_CLOEXEC);
	if (null_device >= 0 && spawn_pager(command, ends[0])) {
		reading_end = ends[0];
		write_to_pager(call, ends[1]);
	} else {
		close(ends[0]);
	}
	close(ends[1]);
}

void pager_finish(void)
{
	pid_t pager;

	signal(SIGCHLD, SIG_DFL);
	pager = running;
	if (pager <= 0)
		return;
	/* Ctrl-C belongs to the pager now */
	signal(SIGINT, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	running = 0;
	/* the pager ends when no copy of its pipe is open; closing the stream stdout may leave one
	 */
	close(STDOUT_FILENO);
	close(STDERR_FILENO);
	while (waitpid(pager, NULL, 0) < 0 && errno == EINTR)
		;
}
