/* Finds the rows of options. */
#include <string.h>

#include "cli/command.h"

const struct option_row option_row_help = {
	"help", 'h', OPTION_FLAG, 0, NULL, "print this help and exit", NULL, 0};

const struct option_row *option_row_find_part(const struct command *command, const char *name,
					      size_t length)
{
	for (size_t i = 0; i < command->option_count; i++) {
		const struct option_row *row = &command->options[i];

		if (strlen(row->name) == length && strncmp(row->name, name, length) == 0)
			return row;
	}
	return NULL;
}

const struct option_row *option_row_find(const struct command *command, const char *name)
{
	return option_row_find_part(command, name, strlen(name));
}

bool option_given(const struct invocation *call, const char *name)
{
	for (size_t i = 0; i < call->command->option_count; i++) {
		if (strcmp(call->command->options[i].name, name) == 0)
			return call->given & UINT64_C(1) << i;
	}
	return false;
}
