/* Starts a pager and waits for it; see the header. */
#include "cli/pager.h"

#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/process.h"

#define DEFAULT_PAGER "less"

/* A signal handler has no context argument, so this is static. 0: no pager runs. */
static volatile pid_t running;

/* A pager that still reads would fight with the shell for the terminal. */
static void await_pager(int signal_number)
{
	pid_t pager = running;

	running = 0;
	close(STDOUT_FILENO);
	close(STDERR_FILENO);
	while (pager > 0 && waitpid(pager, NULL, 0) < 0)
		;
	signal(signal_number, SIG_DFL);
	raise(signal_number);
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
static bool spawn_pager(const char *command, const int ends[2])
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
	posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO);
	posix_spawn_file_actions_addclose(&actions, ends[0]);
	posix_spawn_file_actions_addclose(&actions, ends[1]);
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

void pager_start(const struct invocation *call)
{
	static const int signals[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGPIPE};
	const char *command = wants_pager(call) ? pager_command() : NULL;
	int ends[2];

	if (!command || pipe(ends) != 0)
		return;
	if (spawn_pager(command, ends)) {
		fflush(stdout);
		dup2(ends[1], STDOUT_FILENO);
		if (call->terminal.err_width > 0)
			dup2(ends[1], STDERR_FILENO);
		for (size_t i = 0; i < ARRAY_SIZE(signals); i++)
			signal(signals[i], await_pager);
	}
	close(ends[0]);
	close(ends[1]);
}

void pager_finish(void)
{
	pid_t pager = running;

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
	while (waitpid(pager, NULL, 0) < 0)
		;
}
