/* What a compiler made and said, and the error of one that did not end well. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compile/compile_parts.h"

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
	static const char *const marks[] = {"error", "fatal", ""};
	const char *line = messages->data;

	for (size_t i = 0; i < ARRAY_SIZE(marks); i++) {
		const char *found = strstr(messages->data, marks[i]);

		if (!found)
			continue;
		for (line = found; line > messages->data && line[-1] != '\n'; line--)
			;
		break;
	}
	*length = strcspn(line, "\n");
	return line;
}

int translation_end(struct translation *out, enum tool_end end,
		    const struct compile_request *request, const char *program, struct error *err)
{
	int64_t limit_ns = request->limit_ns ? request->limit_ns : COMPILE_LIMIT_NS;
	char limit[32];
	const char *line;
	size_t length;

	if (end == TOOL_DONE)
		return 0;
	line = first_complaint(&out->messages, &length);
	switch (end) {
	case TOOL_STOPPED:
		return error_set(err, PL_EINTERRUPTED, "interrupted");
	case TOOL_TOO_SLOW:
		format_duration(limit, (double)limit_ns);
		return error_set(
			err, PL_EUNSUPPORTED,
			"%s was ended after %s: it did not compile '%s' in that time. Allow "
			"more time, or make the file smaller",
			program, limit, request->source);
	case TOOL_NOT_STARTED:
		return error_set(err, PL_EUNSUPPORTED, "%s cannot be started: %.*s", program,
				 (int)length, line);
	default:
		return error_set(err, PL_EPARSE, "'%s' does not compile with %s: %.*s",
				 request->source, program, (int)length,
				 length ? line : "it gives no reason");
	}
}
