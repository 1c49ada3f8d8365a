/* What the cache of images takes for the same compilation. Exits with 77 without the compilers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "compile_support.h"

/* The state of the cache must not decide which branch of #if __has_include is measured. */
static void header_that_is_tested_for(void **state)
{
	static const char *const texts[][2] = {
		{"#if __has_include(\"opt.h\")\n#include \"opt.h\"\n#else\n#define VALUE "
		 "1\n#endif\n"
		 "__global__ void k(int *x) { *x = VALUE; }\n",
		 ""},
		{"#include \"chosen.h\"\n__global__ void k(int *x) { *x = VALUE; }\n",
		 "#if __has_include(\"opt.h\")\n#include \"opt.h\"\n#else\n#define VALUE "
		 "1\n#endif\n"},
	};
	static const enum compile_tool tools[] = {COMPILE_NVRTC, COMPILE_NVCC};
	static const char *const names[] = {"nvrtc", "nvcc"};
	struct sandbox *box = *state;

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		for (size_t k = 0; k < ARRAY_SIZE(tools); k++) {
			char *opt;

			box->request.tool = tools[k];
			sandbox_source(box, "k.cu", texts[i][0]);
			free(sandbox_write(box, "chosen.h", texts[i][1]));
			sandbox_expect(box, names[k], false);
			opt = sandbox_write(box, "opt.h", "#define VALUE 2\n");
			sandbox_expect(box, names[k], false);
			unlink(opt);
			free(opt);
		}
	}
}

static void assert_depends_on(struct sandbox *box, const char *name, bool compiles)
{
	char *path = xasprintf("%s/%s", box->folder, name);
	struct string_list files = {0};
	struct compiled *compiled;

	assert_int_equal(compile_one(&compiled, NULL, &files, &box->request, NULL, NULL) == 0,
			 compiles);
	if (!string_list_has(&files, path))
		fail_msg("'%s' is not among the %zu files", path, files.count);
	compiled_free(compiled);
	string_list_release(&files);
	free(path);
}

/* What perflab watch waits for. */
static void files_are_reported(void **state)
{
	static const enum compile_tool tools[] = {COMPILE_NVRTC, COMPILE_NVCC};
	struct sandbox *box = *state;

	for (size_t i = 0; i < ARRAY_SIZE(tools); i++) {
		box->request.tool = tools[i];
		sandbox_source(box, "d.cu",
			       "#include \"value.h\"\n"
			       "__global__ void k(float *x) { *x = VALUE; }\n");
		free(sandbox_write(box, "value.h", "#define VALUE 1\n"));
		assert_depends_on(box, "value.h", true);
		assert_depends_on(box, "value.h", true); /* from the cache */
		assert_depends_on(box, "d.cu", true);
		free(sandbox_write(box, "value.h", "#define VALUE wrong\n"));
		assert_depends_on(box, "d.cu", false);
	}
	/* a header that is wrong or missing can be corrected, too */
	box->request.tool = COMPILE_NVRTC;
	assert_depends_on(box, "value.h", false);
	sandbox_source(box, "e.cu", "#include \"missing.h\"\n__global__ void k() {}\n");
	assert_depends_on(box, "missing.h", false);
}

static void headers_and_flags_count(void **state)
{
	static const enum compile_tool tools[] = {COMPILE_NVRTC, COMPILE_NVCC};
	static const char *const names[] = {"nvrtc", "nvcc"};
	struct sandbox *box = *state;
	char *first = xasprintf("%s/first", box->folder),
	     *second = xasprintf("%s/second", box->folder);

	mkdir(first, 0777);
	mkdir(second, 0777);
	sandbox_flag(box, "-Ifirst");
	sandbox_flag(box, "-I");
	sandbox_flag(box, second);
	for (size_t i = 0; i < ARRAY_SIZE(tools); i++) {
		char *hiding;

		box->request.tool = tools[i];
		sandbox_source(box, "h.cu",
			       "#include \"near.h\"\n"
			       "__global__ void k(float *x) { *x = FAR; }\n");
		free(sandbox_write(box, "near.h", "#include <far.h>\n"));
		free(sandbox_write(box, "second/far.h", "#define FAR 1\n"));
		sandbox_expect(box, names[i], false);
		sandbox_expect(box, names[i], true);
		/* a header of a header */
		free(sandbox_write(box, "second/far.h", "#define FAR 2\n"));
		sandbox_expect(box, names[i], false);
		sandbox_expect(box, names[i], true);
		/* both states are kept */
		free(sandbox_write(box, "second/far.h", "#define FAR 1\n"));
		sandbox_expect(box, names[i], true);
		/* a new header that hides the one that was read */
		hiding = sandbox_write(box, "first/far.h", "#define FAR 3\n");
		sandbox_expect(box, names[i], false);
		unlink(hiding);
		free(hiding);
		sandbox_expect(box, names[i], true);
		/* the source, a macro, another architecture, another standard */
		sandbox_source(box, "h.cu",
			       "#include \"near.h\"\n"
			       "__global__ void k(float *x) { *x = FAR + 1; }\n");
		sandbox_expect(box, names[i], false);
		string_list_add(&box->request.defines, i ? "B=2" : "A=2");
		sandbox_expect(box, names[i], false);
		sandbox_expect(box, names[i], true);
		box->request.arch = i ? "sm_80" : "sm_89";
		sandbox_expect(box, names[i], false);
		box->request.standard = i ? "c++20" : "c++14";
		sandbox_expect(box, names[i], false);
	}
	free(first);
	free(second);
}

/* Wants these kernels only; NULL: the first is the last. */
static void want_only(struct sandbox *box, const char *first, const char *second)
{
	string_list_release(&box->request.entries);
	sandbox_want(box, first);
	if (second)
		sandbox_want(box, second);
}

static void expect_entry(struct sandbox *box, size_t index, const char *name)
{
	struct compiled *compiled = sandbox_compile(box);

	assert_string_equal(compiled->entries[index].name, name);
	compiled_free(compiled);
}

/* Another selection of kernels needs another image only if it has other instances of templates. */
static void kernels_of_a_file_share_its_image(void **state)
{
	static const enum compile_tool tools[] = {COMPILE_NVRTC, COMPILE_NVCC};
	static const char *const names[] = {"nvrtc", "nvcc"};
	struct sandbox *box = *state;

	sandbox_source(box, "several.cu",
		       "__global__ void a(float *x) { *x = 1; }\n"
		       "__global__ void b(float *x) { *x = 2; }\n"
		       "template <class T> __global__ void t(T *x) { *x = 3; }\n");
	for (size_t i = 0; i < ARRAY_SIZE(tools); i++) {
		box->request.tool = tools[i];
		want_only(box, "a", NULL);
		sandbox_expect(box, names[i], false);
		want_only(box, "b", "a");
		sandbox_expect(box, names[i], true);
		expect_entry(box, 0, "_Z1bPf");
		expect_entry(box, 1, "_Z1aPf");
		want_only(box, "a", "t<float>");
		sandbox_expect(box, names[i], false);
		want_only(box, "t<float>", "b");
		sandbox_expect(box, names[i], true);
		expect_entry(box, 0, "_Z1tIfEvPT_");
		expect_entry(box, 1, "_Z1bPf");
		want_only(box, "missing", "a");
		sandbox_refused(box, PL_EUSAGE, "there is no kernel 'missing'", NULL);
	}
}

/* nvcc has a kernel that NVRTC lacks. Who wants the others gets the image of NVRTC all the same,
 * whatever was wanted before. */
static void a_kernel_that_nvrtc_lacks_leaves_the_others(void **state)
{
	struct sandbox *box = *state;

	sandbox_source(box, "lacks.cu",
		       "#ifndef __CUDACC_RTC__\n"
		       "__global__ void hidden(float *x) { *x = 1; }\n"
		       "#endif\n"
		       "__global__ void seen(float *x) { *x = 2; }\n");
	want_only(box, "hidden", NULL);
	sandbox_expect(box, "nvcc", false);
	sandbox_expect(box, "nvcc", true);
	want_only(box, "seen", NULL);
	sandbox_expect(box, "nvrtc", true);
	want_only(box, "seen", "hidden");
	sandbox_expect(box, "nvcc", true);
}

static void damaged_image_is_made_again(void **state)
{
	struct sandbox *box = *state;
	struct compiled *compiled;
	FILE *file;

	sandbox_source(box, "saxpy.cu", SAXPY_SOURCE);
	compiled = sandbox_compile(box);
	file = fopen(compiled->ptx, "a");
	fputs("// more\n", file);
	fclose(file);
	sandbox_expect(box, "nvrtc", false);
	compiled_free(compiled);
}

static void cache_that_cannot_be_written(void **state)
{
	struct sandbox *box = *state;

	sandbox_source(box, "saxpy.cu", SAXPY_SOURCE);
	free(sandbox_write(box, "cache", "a file where a folder should be"));
	sandbox_refused(box, PL_EIO, "$PERFLAB_CACHE", NULL);
	box->request.cache = "relative";
	sandbox_refused(box, PL_EUSAGE, "absolute", NULL);
	unlink(box->cache);
}

static void nothing_is_left(void **state)
{
	struct sandbox *box = *state;
	char *work = xasprintf("%s/work", box->cache);

	sandbox_source(box, "saxpy.cu", SAXPY_SOURCE);
	sandbox_expect(box, "nvrtc", false);
	sandbox_source(box, "saxpy.cu", "broken");
	sandbox_refused(box, PL_EPARSE, "saxpy.cu", NULL);
	assert_int_equal(rmdir(work), 0);
	free(work);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_SANDBOX(header_that_is_tested_for),
		IN_SANDBOX(files_are_reported),
		IN_SANDBOX(headers_and_flags_count),
		IN_SANDBOX(damaged_image_is_made_again),
		IN_SANDBOX(cache_that_cannot_be_written),
		IN_SANDBOX(nothing_is_left),
		IN_SANDBOX(kernels_of_a_file_share_its_image),
		IN_SANDBOX(a_kernel_that_nvrtc_lacks_leaves_the_others),
	};

	if (!sandbox_has_tools())
		return 77;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
