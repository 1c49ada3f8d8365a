/*
 * Writes into a PTX file what ptxas allocates for each entry, as the PTX files of perflab's tree
 * have it: "// perflab: entry NAME sm_90 registers 16 shared 128 local 0". The emulator reads these
 * lines. ptxas judges; what it refuses has no lines.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compile/compile_parts.h"

/* Returns the number before `words` in a line, or 0. */
static unsigned long number_before(const char *line, const char *words)
{
	const char *found = strstr(line, words), *digits = found;

	while (digits && digits > line && digits[-1] >= '0' && digits[-1] <= '9')
		digits--;
	return found && digits < found ? strtoul(digits, NULL, 10) : 0;
}

void entry_resources_read(struct text *out, const char *said, const char *arch)
{
	static const char mark[] = "Compiling entry function '";
	struct string_list lines = {0};
	unsigned long stack = 0;
	char *name = NULL;

	string_list_split(&lines, said, '\n');
	for (size_t i = 0; i < lines.count; i++) {
		const char *line = lines.items[i], *quoted = strstr(line, mark);

		if (quoted) {
			quoted += strlen(mark);
			free(name);
			name = xstrndup(quoted, strcspn(quoted, "'"));
			stack = 0;
		}
		if (strstr(line, " bytes stack frame"))
			stack = number_before(line, " bytes stack frame");
		if (!name || !strstr(line, " registers"))
			continue;
		if (strstr(line, " bytes cumulative stack size"))
			stack = number_before(line, " bytes cumulative stack size");
		text_addf(out, "// perflab: entry %s %.*s registers %lu shared %lu local %lu\n",
			  name, (int)strcspn(arch, "af"), arch, number_before(line, " registers"),
			  number_before(line, " bytes smem"), stack);
		free(name);
		name = NULL;
	}
	free(name);
	string_list_release(&lines);
}

/* PTX for sm_90a is compiled for sm_90a, not for sm_90. */
static char *arch_of_ptx(const char *ptx, const char *arch)
{
	const char *target = strstr(ptx, "\n.target ");
	size_t length = strlen(arch);

	target = target ? target + strlen("\n.target ") : "";
	if (!strncmp(target, arch, length) && (target[length] == 'a' || target[length] == 'f'))
		return xstrndup(target, length + 1);
	return xstrdup(arch);
}

static enum tool_end ptxas_ask(struct text *said, const struct translation *translation,
			       const struct compile_request *request,
			       const struct compile_tools *tools, const char *arch,
			       const volatile int *stop)
{
	struct string_list argv = {0};
	char *flag = xasprintf("-arch=%s", arch);
	enum tool_end end;

	string_list_add(&argv, tools->ptxas.data);
	string_list_add(&argv, "-v");
	string_list_add(&argv, flag);
	compile_ptxas_flags_add(&argv, request);
	string_list_add(&argv, "-o");
	string_list_add(&argv, "resources.cubin");
	string_list_add(&argv, "image.ptx");
	end = tool_run(said, &argv, translation->work, compile_limit_ns(request), stop);
	string_list_release(&argv);
	free(flag);
	return end;
}

static int append_lines(const char *path, const char *lines, struct error *err)
{
	FILE *file = fopen(path, "abe");
	const bool printed = file && fprintf(file, "\n%s", lines) >= 0;
	const bool closed = file && fclose(file) == 0;

	return printed && closed ? 0 : cache_write_error(path, err);
}

int entry_resources_append(const struct translation *translation,
			   const struct compile_request *request, const struct compile_tools *tools,
			   const volatile int *stop, struct error *err)
{
	char *path = xasprintf("%s/image.ptx", translation->work), *ptx = NULL, *arch = NULL;
	struct text said = TEXT_INIT, lines = TEXT_INIT;
	enum tool_end end = TOOL_FAILED;
	size_t length;
	int rc = 0;

	if (tools->ptxas.length && !read_file(&ptx, &length, path, COMPILE_IMAGE_LIMIT, NULL)) {
		arch = arch_of_ptx(ptx, request->arch);
		end = ptxas_ask(&said, translation, request, tools, arch, stop);
	}
	if (end == TOOL_STOPPED)
		rc = error_set(err, PL_EINTERRUPTED, "interrupted");
	if (end == TOOL_DONE)
		entry_resources_read(&lines, said.data, request->arch);
	if (lines.length)
		rc = append_lines(path, lines.data, err);
	text_release(&said);
	text_release(&lines);
	free(ptx);
	free(arch);
	free(path);
	return rc;
}
