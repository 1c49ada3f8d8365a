/* Runs a compiler in a folder, with limits of time and memory, and takes what it writes. */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/process.h"
#include "compile/compile_parts.h"

/* Without $PERFLAB_COMPILE_MEMORY: half of the memory, within these bounds. */
#define DEFAULT_MOST (INT64_C(8) << 30)
#define DEFAULT_LEAST (INT64_C(2) << 30)

int compile_memory_limit(int64_t *bytes, struct error *err)
{
	const char *asked = getenv("PERFLAB_COMPILE_MEMORY");
	const int64_t half = machine_memory_bytes() / 2;
	int rc = 0;

	*bytes = half > DEFAULT_MOST ? DEFAULT_MOST : half > DEFAULT_LEAST ? half : DEFAULT_LEAST;
	if (asked && *asked)
		rc = parse_size(bytes, asked, err);
	if (!rc && *bytes < 1)
		rc = error_set(err, PL_EUSAGE, "%s is no memory to compile in", asked);
	return error_context(err, rc ? PL_EUSAGE : 0, "$PERFLAB_COMPILE_MEMORY");
}

/* One large piece of memory may be refused when little is used. */
static bool says_no_memory(const char *said)
{
	static const char *const words[] = {"out of memory", "memory allocation fail",
					    "cannot allocate memory", "memory exhausted",
					    "std::bad_alloc"};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (strcasestr(said, words[i]))
			return true;
	return false;
}

/* Why it failed. `said` is what it wrote. */
static enum tool_end tool_failure(struct text *said, size_t begin, const char *name, int status,
				  bool used_half)
{
	if (WIFSIGNALED(status))
		text_addf(said, "%s was ended by signal %d (%s)\n", name, WTERMSIG(status),
			  strsignal(WTERMSIG(status)));
	/* a table that doubles does not fit when it has half of the memory */
	return used_half || says_no_memory(said->data + begin) ? TOOL_TOO_LARGE : TOOL_FAILED;
}

enum tool_end tool_run(struct text *said, const struct string_list *argv, const char *folder,
		       int64_t limit_ns, const volatile int *stop)
{
	char **words = xcalloc(argv->count + 1, sizeof(*words));
	struct string_list variables = {0};
	const size_t begin = said->length;
	int64_t memory_bytes, peak_bytes = 0;
	struct limited_program program = {.argv = words,
					  .folder = folder,
					  .variables = &variables,
					  .end_ns = monotonic_ns() + limit_ns,
					  .stop = stop,
					  .output_limit = COMPILE_TEXT_LIMIT,
					  .peak_bytes = &peak_bytes};
	char *temporary = xasprintf("TMPDIR=%s", folder);
	enum program_end end;
	int status;

	for (size_t i = 0; i < argv->count; i++)
		words[i] = argv->items[i];
	string_list_add(&variables, temporary);
	compile_memory_limit(&memory_bytes, NULL);
	if (COMPILE_TOOLS_LIMITED)
		program.memory_limit = memory_bytes;
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
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return TOOL_DONE;
	return tool_failure(said, begin, argv->items[0], status, peak_bytes >= memory_bytes / 2);
}
