/*
 * The only main(): finds the verb, parses its options, runs it, and turns an
 * error into one line and an exit code.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "cli/shared.h"

const struct command *const command_all[] = {
	&command_sweep,      &command_report,  &command_regress, &command_ceilings, &command_study,
	&command_list,       &command_query,   &command_history, &command_mark,     &command_merge,
	&command_import,     &command_nsight,  &command_check,   &command_doctor,   &command_help,
	&command_completion, &command_version,
};
const size_t command_count = ARRAY_SIZE(command_all);

const struct command *command_find(const char *name)
{
	for (size_t i = 0; i < command_count; i++) {
		if (strcmp(command_all[i]->name, name) == 0)
			return command_all[i];
	}
	return NULL;
}

int command_unknown(const char *name, struct error *err)
{
	const char *names[ARRAY_SIZE(command_all)];
	struct text near = TEXT_INIT;
	int rc;

	for (size_t i = 0; i < command_count; i++)
		names[i] = command_all[i]->name;
	if (nearest_names(&near, name, names, command_count))
		rc = error_set(err, PL_EUSAGE, "unknown verb \"%s\"; did you mean %s?", name,
			       near.data);
	else
		rc = error_set(err, PL_EUSAGE,
			       "unknown verb \"%s\"; \"perflab help\" lists the verbs", name);
	text_release(&near);
	return rc;
}

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
	return call->command->run(call, err);
}

/* "perflab --help" and the like stand for verbs. */
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
	struct invocation call = {0};
	struct error err = {0}, write_err = {0};
	int rc;

	/* a file-size limit is an error to report, as a full disk is */
	signal(SIGXFSZ, SIG_IGN);
	terminal_look(&call.terminal);
	if (argc < 2) {
		help_overview(stderr);
		return EXIT_USAGE;
	}
	call.command = command_find(verb_of(argv[1]));
	if (call.command) {
		call.command_line = command_line_text(argc, argv);
		rc = run_command(&call, argc - 2, argv + 2, &err);
		invocation_release(&call);
	} else {
		rc = command_unknown(argv[1], &err);
	}
	if (rc) {
		say("%s", err.text);
		call.exit_code = error_exit_code(rc);
	}
	/* a report that is cut short must not pass for a whole one */
	if (stdout_check(&write_err) && rc == 0) {
		say("%s", write_err.text);
		call.exit_code = EXIT_FAILED;
	}
	return call.exit_code;
}
