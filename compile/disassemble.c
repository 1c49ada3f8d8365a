#include "compile/disassemble.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/process.h"
#include "compile/compile_parts.h"

#define PRINTED_MOST ((size_t)256 << 20)
/* Before the name of the section of a function. */
#define SECTION ".section\t.text."

struct sass_line {
	const char *function; /* in the printed text, like the text */
	uint64_t pc;
	const char *text;
};

struct disassembly {
	struct text printed;
	struct sass_line *lines; /* ascending within a function */
	size_t count, capacity;
};

/* ---- the program ---- */

/* It lies beside nvcc; without nvcc it may be in PATH. */
static void find_nvdisasm(struct text *out)
{
	struct compile_tools tools = {0};
	const char *slash;

	compile_tools_find(&tools);
	slash = tools.nvcc.length ? strrchr(tools.nvcc.data, '/') : NULL;
	if (slash) {
		text_add_bytes(out, tools.nvcc.data, (size_t)(slash - tools.nvcc.data));
		text_add(out, "/nvdisasm");
		if (access(out->data, X_OK))
			text_clear(out);
	}
	compile_tools_release(&tools);
	if (!out->length)
		text_add(out, "nvdisasm");
}

static int write_cubin(char *path, const void *bytes, size_t length, struct error *err)
{
	const int fd = mkstemp(path);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "wb");
	bool written = file && fwrite(bytes, 1, length, file) == length;

	if (file)
		written = fclose(file) == 0 && written;
	else if (fd >= 0)
		close(fd);
	if (written)
		return 0;
	error_set(err, PL_EIO,
		  "Instructions have no text, because %s cannot be written: %s; set TMPDIR to "
		  "another folder.",
		  path, strerror(errno));
	if (fd >= 0)
		unlink(path);
	return PL_EIO;
}

/* ---- what it prints ---- */

/* The offset stands in a comment before the text of an instruction, which ends at a semicolon and
 * is cut there. Returns false for another line. */
static bool parse_instruction(char *line, uint64_t *pc, const char **text)
{
	char *at = line + strspn(line, " \t"), *end;

	if (strncmp(at, "/*", 2) != 0)
		return false;
	*pc = strtoull(at + 2, &end, 16);
	if (end == at + 2 || strncmp(end, "*/", 2) != 0)
		return false;
	at = end + 2 + strspn(end + 2, " \t");
	end = strchr(at, ';');
	if (!end)
		return false;
	while (end > at && (end[-1] == ' ' || end[-1] == '\t'))
		end--;
	*end = '\0';
	*text = at;
	return true;
}

/* The name after SECTION, cut before the comma. NULL: the line begins no function. */
static const char *parse_section(char *line)
{
	char *at = line + strspn(line, " \t");

	if (strncmp(at, SECTION, strlen(SECTION)) != 0)
		return NULL;
	at += strlen(SECTION);
	at[strcspn(at, ",")] = '\0';
	return at;
}

static void parse_printed(struct disassembly *text)
{
	const char *function = NULL;
	char *line = text->printed.data, *next;

	for (; line && *line; line = next) {
		struct sass_line found = {0};
		const char *section;

		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		section = parse_section(line);
		if (section) {
			function = section;
		} else if (function && parse_instruction(line, &found.pc, &found.text)) {
			found.function = function;
			text->lines = xgrow(text->lines, &text->capacity, text->count + 1,
					    sizeof(*text->lines));
			text->lines[text->count++] = found;
		}
	}
}

int disassemble(struct disassembly **out, const void *bytes, size_t length, struct error *err)
{
	struct disassembly *text = xcalloc(1, sizeof(*text));
	const char *folder = getenv("TMPDIR");
	char *path = xasprintf("%s/perflab-code-XXXXXX", folder && *folder ? folder : "/tmp");
	struct text program = TEXT_INIT;
	int rc;

	text->printed = (struct text)TEXT_INIT;
	*out = NULL;
	find_nvdisasm(&program);
	rc = write_cubin(path, bytes, length, err);
	if (!rc) {
		char *argv[] = {program.data, (char *)"-c", path, NULL};

		rc = process_capture(&text->printed, PRINTED_MOST, argv, err);
		if (rc)
			error_set(err, rc,
				  "Instructions have no text, because nvdisasm of the CUDA Toolkit "
				  "is not there or fails: install it, or set CUDA_HOME.");
		unlink(path);
	}
	if (!rc)
		parse_printed(text);
	if (!rc && !text->count)
		rc = error_set(err, PL_EPARSE, "%s printed no instructions", program.data);
	free(path);
	text_release(&program);
	if (rc)
		disassembly_free(text);
	else
		*out = text;
	return rc;
}

const char *disassembly_at(const struct disassembly *text, const char *function, uint64_t pc)
{
	for (size_t i = 0; i < text->count; i++)
		if (text->lines[i].pc == pc && strcmp(text->lines[i].function, function) == 0)
			return text->lines[i].text;
	return NULL;
}

void disassembly_free(struct disassembly *text)
{
	if (!text)
		return;
	text_release(&text->printed);
	free(text->lines);
	free(text);
}
