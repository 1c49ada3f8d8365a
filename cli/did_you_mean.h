/*
 * did_you_mean: what a wrong word of a command line was probably meant to be. The words are those
 * of other programs, and typing errors. A function gets an empty text, and leaves it so if it has
 * no good guess.
 */
#ifndef CLI_DID_YOU_MEAN_H
#define CLI_DID_YOU_MEAN_H

#include "cli/command.h"

/* "sweep", or "regress, or report --compare RUN". */
void did_you_mean_verb(struct text *out, const struct command_table *verbs, const char *word);
/* Options of the verb, with their dashes: "--dry-run". `word` is a long name without dashes. */
void did_you_mean_option(struct text *out, const struct command *command, const char *word);
/* Values of an option: `choices` ends with NULL, "" is a gap. */
void did_you_mean_choice(struct text *out, const char *const *choices, const char *word);

#endif
