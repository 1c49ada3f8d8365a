/* perflab help: the overview, one verb, or a manual page. */
#include "cli/command.h"

struct help_options {
	bool man;
};

static int run_help(struct invocation *call, struct error *err)
{
	const struct help_options *options = call->options;
	const struct command *command = NULL;

	if (call->operands.count > 0) {
		command = command_find(call->operands.items[0]);
		if (!command)
			return command_unknown(call->operands.items[0], err);
	}
	if (options->man)
		help_man(stdout, command);
	else if (command)
		help_command(stdout, command);
	else
		help_overview(stdout);
	return stdout_printed(err);
}

static const struct option_row rows[] = {
	{"man", 0, OPTION_FLAG, offsetof(struct help_options, man), NULL,
	 "write a manual page (troff) instead", NULL, 0},
};

static const struct example examples[] = {
	{"perflab help sweep", "options and examples of one verb"},
	{"perflab help --man sweep | man -l -", "the same as a manual page"},
};

const struct command command_help = {
	.name = "help",
	.summary = "print what the verbs are, or all about one",
	.operands = "[VERB]",
	.description =
		"Prints help to standard output. Help, manual pages and shell completion are "
		"made from the same tables as the parser.",
	.options = rows,
	.option_count = ARRAY_SIZE(rows),
	.options_size = sizeof(struct help_options),
	.examples = examples,
	.example_count = ARRAY_SIZE(examples),
	.operand_kind = OPERANDS_VERBS,
	.operands_most = 1,
	.run = run_help,
};
