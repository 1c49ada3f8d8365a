/* Which requests compile/ refuses, what it passes to compilers, and what its cache keeps. Needs no
 * compiler. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "compile/compile_parts.h"
#include "compile_support.h"

#define PTX_START ".version 9.0\n.target sm_90\n.address_size 64\n"

/* ---- flags ---- */

static void flags_refused(void **state)
{
	static const char *const bad[] = {"-o",
					  "-o/tmp/x",
					  "--output-file=x",
					  "-run",
					  "--run",
					  "-ccbin",
					  "-ccbin=/tmp/evil",
					  "--compiler-bindir=x",
					  "-dlink",
					  "-odir",
					  "-arch=sm_90",
					  "-gencode=x",
					  "-keep",
					  "-time=x",
					  "--options-file=x",
					  "-optf",
					  "@file",
					  "evil.cu",
					  "-Xptxas=-o,x",
					  "-Xptxas=-o=x",
					  "-Xcompiler=-fplugin=x.so",
					  "-Xcompiler=-wrapper",
					  "-Xlinker=x",
					  "-Xptxas=-O3 -o x",
					  "-ldir=x",
					  "-fdevice-time-trace=x",
					  "-maxrregcount=3;x",
					  "-std=c++17;x",
					  "-use_fast_math2",
					  "-D",
					  "-D=1",
					  "-D1=2",
					  "-DA=$(x)",
					  "-DA=`x`",
					  "-DA=\"x\"",
					  "-DA\n=1",
					  "-I/a,-o,b",
					  "-I/a$(x)",
					  "-I",
					  "",
					  "-diag-suppress=x"};
	static const char *const good[] = {"-Iinclude",
					   "-I=x",
					   "-DA",
					   "-DA=1",
					   "-UA",
					   "-O3",
					   "-use_fast_math",
					   "--ftz=true",
					   "-maxrregcount=64",
					   "-std=c++20",
					   "-Xptxas=-O3",
					   "-diag-suppress=20,177",
					   "--define-macro=A=1",
					   "--expt-relaxed-constexpr"};
	struct sandbox *box = *state;

	box->request.source = sandbox_write(box, "saxpy.cu", SAXPY_SOURCE);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		sandbox_flag(box, bad[i]);
		sandbox_refused(box, PL_EUSAGE, "", NULL);
		string_list_release(&box->request.flags);
	}
	for (size_t i = 0; i < ARRAY_SIZE(good); i++)
		assert_int_equal(compile_flag_check(good[i], NULL), 0);
	/* a value in the next item is judged too */
	sandbox_flag(box, "-Xptxas");
	sandbox_flag(box, "-o");
	sandbox_refused(box, PL_EUSAGE, "-Xptxas", NULL);
}

static void flags_as_compilers_take_them(void **state)
{
	struct compile_request request = {.source = "/a/b/c.cu", .standard = "c++17"};
	struct string_list argv = {0}, folders = {0};
	static const char *const words[] = {
		"-std=c++17",      "-DN=4", "-I/a/b/inc", "-I/x",
		"-isystem=/a/b/s", "-DM=1", "-O3",        "--expt-relaxed-constexpr"};
	struct error err = {0};

	(void)state;
	string_list_add(&request.defines, "N=4");
	string_list_split(&request.flags,
			  "-I inc -I/x -isystem s --define-macro M=1 -O3 --expt-relaxed-constexpr",
			  ' ');
	assert_int_equal(compile_flags_add(&argv, &folders, &request, COMPILE_NVCC, &err), 0);
	assert_int_equal(argv.count, ARRAY_SIZE(words));
	for (size_t i = 0; i < argv.count; i++)
		assert_string_equal(argv.items[i], words[i]);
	assert_int_equal(folders.count, 3);
	assert_string_equal(folders.items[0], "/a/b/inc");
	assert_int_equal(compile_flags_add(&argv, &folders, &request, COMPILE_NVRTC, &err),
			 PL_EUNSUPPORTED);
	assert_non_null(strstr(err.text, "nvcc"));
	string_list_release(&argv);
	string_list_release(&folders);
	string_list_release(&request.defines);
	string_list_release(&request.flags);
}

/* ptxas gets the flags that change what it allocates, and no other. */
static void flags_of_ptxas(void **state)
{
	struct compile_request request = {.source = "/a/c.cu"};
	struct string_list argv = {0};

	(void)state;
	string_list_split(&request.flags,
			  "-I inc -maxrregcount 32 -use_fast_math -Xptxas=-O1 -O3 --ptxas-options "
			  "-dlcm=cg -w -maxrregcount",
			  ' ');
	compile_ptxas_flags_add(&argv, &request);
	assert_int_equal(argv.count, 3);
	assert_string_equal(argv.items[0], "--maxrregcount=32");
	assert_string_equal(argv.items[1], "-O1");
	assert_string_equal(argv.items[2], "-dlcm=cg");
	string_list_release(&argv);
	string_list_release(&request.flags);
}

static void requests_refused(void **state)
{
	static const char *const arches[] = {"",       "90",         "sm_",     "sm_9",
					     "sm_90x", "compute_90", "sm_90;x", "sm_9000"};
	struct sandbox *box = *state;

	box->request.source = xstrdup("relative.cu");
	sandbox_refused(box, PL_EUSAGE, "absolute", NULL);
	sandbox_source(box, "a.cpp", "");
	sandbox_refused(box, PL_EUSAGE, "neither a .cu", NULL);
	sandbox_source(box, "a\".cu", "");
	sandbox_refused(box, PL_EUSAGE, "quote", NULL);
	sandbox_source(box, "a.cu", "");
	for (size_t i = 0; i < ARRAY_SIZE(arches); i++) {
		box->request.arch = arches[i];
		sandbox_refused(box, PL_EUSAGE, "sm_90a", NULL);
	}
}

/* ---- ptxas ---- */

static size_t open_files(void)
{
	size_t count = 0;

	for (int fd = 0; fd < 256; fd++)
		count += fcntl(fd, F_GETFD) >= 0;
	return count;
}

/* The program stands for ptxas, and fills the disk. */
static void resources_without_room(void **state)
{
	struct sandbox *box = *state;
	struct compile_tools tools = {.ptxas = TEXT_INIT};
	const struct translation translation = {
		.request = &box->request, .tools = &tools, .work = box->folder};
	struct error err = {0};
	size_t before;
	char *path;

	path = sandbox_write(
		box, "ptxas",
		"#!/bin/sh\nrm image.ptx && ln -s /dev/full image.ptx\n"
		"yes \"Compiling entry function 'kernel': 8 registers\" | head -n 600\n");
	assert_int_equal(chmod(path, 0700), 0);
	text_add(&tools.ptxas, path);
	free(path);
	free(sandbox_write(box, "image.ptx", PTX_START));
	before = open_files();
	assert_int_equal(entry_resources_append(&translation, &err), PL_EIO);
	assert_int_equal(open_files(), before);
	text_release(&tools.ptxas);
}

/* ---- the cache ---- */

#define IMAGES_FOLDER "compiled/aa/00112233445566778899aabbccddeeff00112233445566778899aabbccddee"

/* Writes an image and its record, last used `used_s` seconds after 1970. */
static void keep_image(const struct sandbox *box, const char *stem, time_t used_s)
{
	static const char *const endings[] = {".ptx", ".record"};
	const struct timespec times[2] = {{.tv_sec = used_s}, {.tv_sec = used_s}};

	for (size_t i = 0; i < ARRAY_SIZE(endings); i++) {
		char *path = xasprintf("%s/" IMAGES_FOLDER "/%s%s", box->cache, stem, endings[i]);
		FILE *file = fopen(path, "w");

		assert_non_null(file);
		fprintf(file, "%500d", 1);
		fclose(file);
		assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
		free(path);
	}
}

static bool is_kept(const struct sandbox *box, const char *name)
{
	char *path = xasprintf("%s/" IMAGES_FOLDER "/%s", box->cache, name);
	bool kept = !access(path, F_OK);

	free(path);
	return kept;
}

static void cache_keeps_what_was_used_last(void **state)
{
	struct sandbox *box = *state;
	struct compile_cache_use *first, *second;
	char *folder = xasprintf("%s/" IMAGES_FOLDER, box->cache);
	struct error err = {0};

	assert_int_equal(cache_open(box->cache, &err), 0);
	assert_int_equal(cache_folder_make(folder, NULL), 0);
	keep_image(box, "Older1", 300);
	keep_image(box, "Oldest", 100);
	keep_image(box, "Newest", 900);
	setenv("PERFLAB_CACHE_LIMIT", "2000", 1);
	assert_int_equal(compile_cache_enter(&first, box->cache, NULL, &err), 0);
	assert_non_null(first);
	assert_false(is_kept(box, "Oldest.ptx"));
	assert_false(is_kept(box, "Oldest.record"));
	assert_true(is_kept(box, "Older1.ptx"));
	assert_true(is_kept(box, "Newest.record"));

	/* nothing is removed while somebody uses the cache */
	setenv("PERFLAB_CACHE_LIMIT", "1", 1);
	assert_int_equal(compile_cache_enter(&second, box->cache, NULL, &err), 0);
	assert_true(is_kept(box, "Older1.ptx"));
	compile_cache_leave(first);
	compile_cache_leave(second);
	assert_int_equal(compile_cache_enter(&first, box->cache, NULL, &err), 0);
	assert_false(is_kept(box, "Newest.ptx"));
	compile_cache_leave(first);

	setenv("PERFLAB_CACHE_LIMIT", "much", 1);
	assert_int_equal(compile_cache_enter(&first, box->cache, NULL, &err), PL_EUSAGE);
	assert_non_null(strstr(err.text, "$PERFLAB_CACHE_LIMIT"));
	unsetenv("PERFLAB_CACHE_LIMIT");
	free(folder);
}

static void given_ptx(void **state)
{
	struct sandbox *box = *state;
	struct compiled *compiled;

	/* a .ptx needs no compiler, and is found in the cache like everything else */
	sandbox_source(box, "given.ptx", PTX_START ".entry k(.param .u32 n) { ret; }\n");
	for (int again = 0; again < 2; again++) {
		compiled = sandbox_compile(box);
		assert_string_equal(compiled->tool, "none");
		assert_int_equal(compiled->from_cache, again);
		assert_string_equal(compiled->entries[0].wanted, "k");
		assert_int_equal(compiled->entries[0].parameter_count, 1);
		assert_null(compiled->cubin);
		compiled_free(compiled);
	}
	sandbox_source(box, "given.ptx", PTX_START ".entry k(.param .u64 n) { ret; }\n");
	compiled = sandbox_compile(box);
	assert_int_equal(compiled->from_cache, false);
	assert_int_equal(compiled->entries[0].parameters[0].bytes, 8);
	compiled_free(compiled);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_SANDBOX(flags_refused),
		cmocka_unit_test(flags_as_compilers_take_them),
		IN_SANDBOX(cache_keeps_what_was_used_last),
		IN_SANDBOX(resources_without_room),
		cmocka_unit_test(flags_of_ptxas),
		IN_SANDBOX(requests_refused),
		IN_SANDBOX(given_ptx),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
