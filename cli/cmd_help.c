/* perflab help: prints the overview, the help of one verb, or a manual page. */
#include "cli/command.h"

struct help_options {
	bool man;
};

static int run_help(struct invocation *call, struct error *err)
{
	const struct help_options *options = call->options;
	const struct command *command = NULL;

	if (call->operands.count > 0) {
		command = command_find(call->verbs, call->operands.items[0]);
		if (!command)
			return command_unknown(call->verbs, call->operands.items[0], err);
	}
	if (options->man)
		help_man(stdout, call->verbs, command);
	else if (command)
		help_command(stdout, command);
	else
		help_overview(stdout, call->verbs);
	return stdout_printed(err);
}

static const struct option_row rows[] = {
	{"man", 0, OPTION_FLAG, offsetof(struct help_options, man), NULL,
	 "print a manual page (troff) instead of text", NULL, 0},
};

static const struct example examples[] = {
	{"perflab help sweep", "describe one verb and its options"},
	{"perflab help --man sweep | man -l -", "read the manual page of a verb"},
};

const struct command command_help = {
	.name = "help",
	.summary = "list the verbs, or describe one",
	.operands = "[VERB]",
	.description =
		"Prints help to standard output: the list of verbs, exit codes and environment "
		"variables, or the description, options and examples of VERB.",
	.options = rows,
	.option_count = ARRAY_SIZE(rows),
	.options_size = sizeof(struct help_options),
	.examples = examples,
	.example_count = ARRAY_SIZE(examples),
	.operand_kind = OPERANDS_VERBS,
	.operands_most = 1,
	.run = run_help,
};
