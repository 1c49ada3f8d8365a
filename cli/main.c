/*
 * The only main(): finds the verb, parses its options and runs it. Prints an
 * error as one line and returns its exit code.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/process.h"
#include "cli/output.h"
#include "cli/pager.h"

static const struct command *const commands[] = {
#define X(name) &command_##name,
	COMMAND_LIST(X)
#undef X
};
static const struct command_table all_verbs = {commands, ARRAY_SIZE(commands)};

static char *command_line_text(int argc, char *const *argv)
{
	struct text line = TEXT_INIT;

	text_add(&line, "perflab");
	for (int i = 1; i < argc; i++) {
		text_add_char(&line, ' ');
		shell_word(&line, argv[i]);
	}
	return text_detach(&line);
}

static int run_command(struct invocation *call, int argc, char *const *argv, struct error *err)
{
	bool help = false;
	int rc = options_parse(call, argc, argv, &help, err);

	if (rc)
		return rc;
	if (help) {
		help_command(stdout, call->command);
		return stdout_printed(err);
	}
	rc = output_settle(call, err);
	if (!rc) {
		pager_start(call);
		rc = call->command->run(call, err);
	}
	if (!rc && call->note)
		say("%s", call->note);
	return rc;
}

/* Maps "perflab --help" and "perflab --version" to their verbs. */
static const char *verb_of(const char *word)
{
	if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)
		return "help";
	if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0)
		return "version";
	return word;
}

int main(int argc, char **argv)
{
	struct invocation call = {.verbs = &all_verbs};
	struct error err = {0}, write_err = {0};
	int rc;

	if (!standard_streams_open())
		return EXIT_FAILED;
	/* a write beyond the file-size limit then fails with an error, like a write to a full disk
	 */
	signal(SIGXFSZ, SIG_IGN);
	/* a parent that ignores it would hide how workers and compilers end */
	signal(SIGCHLD, SIG_DFL);
	terminal_look(&call.terminal);
	terminal_filter_begin(&call.terminal);
	if (argc < 2) {
		help_overview(stderr, &all_verbs);
		return EXIT_USAGE;
	}
	call.command = command_find(&all_verbs, verb_of(argv[1]));
	if (call.command) {
		call.command_line = command_line_text(argc, argv);
		rc = run_command(&call, argc - 2, argv + 2, &err);
		invocation_release(&call);
	} else {
		rc = command_unknown(&all_verbs, argv[1], &err);
	}
	if (rc) {
		say("%s", err.text);
		call.exit_code = error_exit_code(rc);
	}
	/* a truncated report must not look like a complete one */
	if (stdout_check(&write_err) && rc == 0) {
		say("%s", write_err.text);
		call.exit_code = EXIT_FAILED;
	}
	pager_finish();
	return call.exit_code;
}
