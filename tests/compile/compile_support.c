#include "compile_support.h"
#include "compile/compile_parts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

bool sandbox_has_tools(void)
{
	struct compile_tools tools;
	bool there;

	compile_tools_find(&tools);
	there = tools.helper.length && tools.nvrtc.length && tools.nvcc.length &&
		tools.ptxas.length;
	compile_tools_release(&tools);
	if (!there)
		printf("skipped: nvcc, ptxas, libnvrtc.so or perflab-nvrtc was not found\n");
	return there;
}

int sandbox_make(void **state)
{
	struct sandbox *box = xcalloc(1, sizeof(*box));

	box->folder = xstrdup("/tmp/perflab-compile-XXXXXX");
	if (!mkdtemp(box->folder))
		return -1;
	box->cache = xasprintf("%s/cache", box->folder);
	box->request = (struct compile_request){.arch = "sm_90", .cache = box->cache};
	*state = box;
	return 0;
}

static int remove_one_file(const char *path, const struct stat *status, int type, struct FTW *place)
{
	(void)status;
	(void)type;
	(void)place;
	return remove(path);
}

void remove_folder(const char *path)
{
	nftw(path, remove_one_file, 16, FTW_DEPTH | FTW_PHYS);
}

int sandbox_remove(void **state)
{
	struct sandbox *box = *state;

	remove_folder(box->folder);
	string_list_release(&box->request.defines);
	string_list_release(&box->request.flags);
	string_list_release(&box->request.entries);
	free((char *)box->request.source);
	free(box->folder);
	free(box->cache);
	free(box);
	return 0;
}

char *sandbox_write(struct sandbox *box, const char *name, const char *text)
{
	/* a file that is younger than the compilation is never found in the cache */
	const struct timespec tick = {.tv_nsec = 20000000};
	char *path = xasprintf("%s/%s", box->folder, name);
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
	nanosleep(&tick, NULL);
	return path;
}

void sandbox_source(struct sandbox *box, const char *name, const char *text)
{
	free((char *)box->request.source);
	box->request.source = sandbox_write(box, name, text);
}

void sandbox_want(struct sandbox *box, const char *entry)
{
	string_list_add(&box->request.entries, entry);
}

void sandbox_flag(struct sandbox *box, const char *flag)
{
	string_list_add(&box->request.flags, flag);
}

struct compiled *sandbox_compile(struct sandbox *box)
{
	struct text messages = TEXT_INIT;
	struct compiled *compiled;
	struct error err = {0};

	if (compile_one(&compiled, &messages, NULL, &box->request, NULL, &err))
		fail_msg("%s\n%s", err.text, messages.data);
	assert_int_equal(err.code, 0);
	text_release(&messages);
	return compiled;
}

void sandbox_expect(struct sandbox *box, const char *tool, bool from_cache)
{
	struct compiled *compiled = sandbox_compile(box);

	assert_string_equal(compiled->tool, tool);
	assert_int_equal(compiled->from_cache, from_cache);
	compiled_free(compiled);
}

void sandbox_refused(struct sandbox *box, int code, const char *part, struct text *messages)
{
	struct compiled *compiled;
	struct error err = {0};
	int rc = compile_one(&compiled, messages, NULL, &box->request, NULL, &err);

	assert_null(compiled);
	if (rc != code || err.code != code || !strstr(err.text, part))
		fail_msg("%s where %s with '%s' is expected: %s", error_code_name(rc),
			 error_code_name(code), part, err.text);
}

char *file_text(const char *path, size_t *length)
{
	char *text;

	assert_int_equal(read_file(&text, length, path, (size_t)1 << 28, NULL), 0);
	return text;
}
