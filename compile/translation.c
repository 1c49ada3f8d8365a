/* Runs a compiler in a folder, with limits of time and memory: what it made and said, and the error
 * of one that did not end well. */
#include <errno.h>
#include <stdio.h>
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

/* The time that each compiler has. */
static int64_t compile_limit_ns(const struct compile_request *request)
{
	return request->limit_ns ? request->limit_ns : COMPILE_LIMIT_NS;
}

enum tool_end tool_run(struct text *said, const struct string_list *argv,
		       const struct translation *in)
{
	char **words = xcalloc(argv->count + 1, sizeof(*words));
	struct string_list variables = {0};
	const size_t begin = said->length;
	int64_t memory_bytes, peak_bytes = 0;
	struct limited_program program = {.argv = words,
					  .folder = in->work,
					  .variables = &variables,
					  .end_ns = monotonic_ns() + compile_limit_ns(in->request),
					  .stop = in->stop,
					  .output_limit = COMPILE_TEXT_LIMIT,
					  .peak_bytes = &peak_bytes};
	enum program_end end;
	int status;

	for (size_t i = 0; i < argv->count; i++)
		words[i] = argv->items[i];
	string_list_addf(&variables, "TMPDIR=%s", in->work);
	compile_memory_limit(&memory_bytes, NULL);
	if (COMPILE_TOOLS_LIMITED)
		program.memory_limit = memory_bytes;
	end = process_limited(said, &status, &program);
	if (end == PROGRAM_NOT_STARTED)
		text_addf(said, "%s: %s\n", argv->items[0], strerror(status));
	string_list_release(&variables);
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
	if (!status)
		return TOOL_DONE;
	if (WIFSIGNALED(status))
		text_addf(said, "%s was ended by signal %d (%s)\n", argv->items[0],
			  WTERMSIG(status), strsignal(WTERMSIG(status)));
	/* a table that doubles does not fit when it has half of the memory */
	return peak_bytes >= memory_bytes / 2 || says_no_memory(said->data + begin) ? TOOL_TOO_LARGE
										    : TOOL_FAILED;
}

void translation_release(struct translation *translation)
{
	string_list_release(&translation->read);
	string_list_release(&translation->absent);
	string_list_release(&translation->lowered);
	text_release(&translation->messages);
}

int work_file_write(struct translation *out, const char *name, const void *bytes, size_t length,
		    struct error *err)
{
	char *path = xasprintf("%s/%s", out->work, name);
	FILE *file = fopen(path, "wbe");
	size_t wrote = file ? fwrite(bytes, 1, length, file) : 0;
	int rc = 0;

	if (!file || fclose(file) || wrote != length)
		rc = error_set(err, PL_EIO, "cannot write '%s': %s", path, strerror(errno));
	free(path);
	return rc;
}

int compile_arch_number(const char *arch)
{
	return atoi(arch + strlen("sm_"));
}

void messages_replace(struct text *text, size_t begin, const char *from, const char *to)
{
	struct text out = TEXT_INIT;
	const char *c = text->data + begin, *found;

	text_add_bytes(&out, text->data, begin);
	for (; (found = strstr(c, from)) != NULL; c = found + strlen(from)) {
		text_add_bytes(&out, c, (size_t)(found - c));
		text_add(&out, to);
	}
	text_add(&out, c);
	text_release(text);
	*text = out;
}

/* The first line that says what is wrong; a compiler may write warnings before it. */
static const char *first_complaint(const struct text *messages, size_t *length)
{
	/* a path or a warning may contain the bare words */
	static const char *const marks[] = {
		": error", "error:", "error :", "error  ", "fatal error",
		"fatal  ", "error",  "fatal",   ""};
	const char *line = messages->data;

	for (size_t i = 0; i < ARRAY_SIZE(marks); i++) {
		const char *found = strstr(messages->data, marks[i]);

		if (!found)
			continue;
		for (line = found; line > messages->data && line[-1] != '\n'; line--)
			;
		break;
	}
	line += strspn(line, " \t\r\n");
	*length = strcspn(line, "\n");
	if (!*length) {
		/* ncu follows what a program starts, and a compiler then ends without a word */
		line = getenv("NV_NSIGHT_INJECTION_TRANSPORT_TYPE")
			       ? "under ncu it ends at once; make a cubin first (nvcc -cubin "
				 "-lineinfo), and give that to perflab with its annotations"
			       : "it gives no reason";
		*length = strlen(line);
	}
	return line;
}

static int refuse_slow(const struct compile_request *request, const char *program,
		       struct error *err)
{
	char limit[32];

	format_duration(limit, (double)compile_limit_ns(request));
	return error_set(err, PL_EIO,
			 "%s was ended after %s: it did not compile '%s' in that time. %s", program,
			 limit, request->source,
			 request->limit_ns ? "Allow more with --timeout, or make the file smaller"
					   : "Make the file smaller");
}

static int refuse_large(const struct compile_request *request, const char *program,
			const char *line, size_t length, struct error *err)
{
	char memory[32];
	int64_t bytes;

	compile_memory_limit(&bytes, NULL);
	format_bytes(memory, (double)bytes);
	return error_set(
		err, PL_ENOMEM,
		"%s needs more than %s to compile '%s', the limit of "
		"$PERFLAB_COMPILE_MEMORY; make the file smaller, or the limit larger: %.*s",
		program, memory, request->source, (int)length, line);
}

int translation_end(struct translation *out, enum tool_end end, const char *program,
		    struct error *err)
{
	const struct compile_request *request = out->request;
	const char *line;
	size_t length;

	if (end == TOOL_DONE)
		return 0;
	line = first_complaint(&out->messages, &length);
	switch (end) {
	case TOOL_STOPPED:
		return error_set(err, PL_EINTERRUPTED, "interrupted");
	case TOOL_TOO_SLOW:
		return refuse_slow(request, program, err);
	case TOOL_TOO_LARGE:
		return refuse_large(request, program, line, length, err);
	case TOOL_NOT_STARTED:
		return error_set(err, PL_EUNSUPPORTED, "%s cannot be started: %.*s", program,
				 (int)length, line);
	default:
		return error_set(err, PL_EPARSE, "'%s' does not compile with %s: %.*s",
				 request->source, program, (int)length, line);
	}
}
