/* What help.c and manual.c share: the texts that both make from the rows. */
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include "cli/command.h"

/* A word and its meaning: an exit code, an environment variable. */
struct help_item {
	const char *name, *meaning;
};
extern const struct help_item help_exit_codes[];
extern const size_t help_exit_code_count;
extern const struct help_item help_variables[];
extern const size_t help_variable_count;
#define HELP_SUMMARY "a performance lab for CUDA kernels"

/* Adds "--name VALUE" or "-n, --name VALUE". */
void option_spelling(struct text *out, const struct option_row *row);
/* Adds the help of an option, its choices, and the default that the verb sets. */
void option_meaning(struct text *out, const struct command *command, const struct option_row *row);

/* Whether an option of the verb takes the formats of a run or of an export. */
bool help_has_formats(const struct command *command);
/* Calls print_item() for each format that the verb takes. */
void help_formats(FILE *out, const struct command *command,
		  void (*print_item)(FILE *out, const char *name, const char *meaning));

#endif
