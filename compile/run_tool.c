/* Runs a compiler in a folder, with a limit of time, and takes what it writes. */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/process.h"
#include "compile/compile_parts.h"

enum tool_end tool_run(struct text *said, const struct string_list *argv, const char *folder,
		       int64_t limit_ns, const volatile int *stop)
{
	char **words = xcalloc(argv->count + 1, sizeof(*words));
	struct string_list variables = {0};
	const struct limited_program program = {.argv = words,
						.folder = folder,
						.variables = &variables,
						.end_ns = monotonic_ns() + limit_ns,
						.stop = stop,
						.output_limit = COMPILE_TEXT_LIMIT};
	char *temporary = xasprintf("TMPDIR=%s", folder);
	enum program_end end;
	int status;

	for (size_t i = 0; i < argv->count; i++)
		words[i] = argv->items[i];
	string_list_add(&variables, temporary);
	end = process_limited(said, &status, &program);
	if (end == PROGRAM_NOT_STARTED)
		text_addf(said, "%s: %s\n", argv->items[0], strerror(status));
	string_list_release(&variables);
	free(temporary);
	free(words);
	switch (end) {
	case PROGRAM_NOT_STARTED:
		return TOOL_NOT_STARTED;
	case PROGRAM_LATE:
		return TOOL_TOO_SLOW;
	case PROGRAM_STOPPED:
		return TOOL_STOPPED;
	case PROGRAM_EXITED:
		break;
	}
	return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? TOOL_DONE : TOOL_FAILED;
}
