/* completion_words: the words that a shell completes. */
#ifndef CLI_COMPLETION_WORDS_H
#define CLI_COMPLETION_WORDS_H

#include "cli/command.h"

/* Adds the operands that a verb accepts, separated by blanks; not the names of runs. */
void operand_words(struct text *out, const struct command_table *verbs,
		   const struct command *command);
bool operands_are_runs(const struct command *command);
bool operands_are_files(const struct command *command);

/* Adds the values of an option, separated by blanks. *list: a value is a list of them, separated by
 * commas. */
void option_words(struct text *out, bool *list, const struct option_row *row);
bool option_is_run(const struct option_row *row);
bool option_is_path(const struct option_row *row);

/* Prints the names of runs of a database, one a line: last, last-good and labels. Leaves out labels
 * with characters that a shell interprets. Without a database, prints nothing. */
void print_run_words(FILE *out, const char *db_path);

#endif
