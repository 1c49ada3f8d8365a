/* Compiles files with the compilers of this machine. Exits with 77 if they are not there. */
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

#include "compile/compile_parts.h"
#include "compile_support.h"

#define TEMPLATE_SOURCE                                                                         \
	"namespace ns {\n"                                                                      \
	"template <typename T, int N> __global__ void scale(T *x, T *y) { x[N] = y[0] * N; }\n" \
	"}\n"                                                                                   \
	"template __global__ void ns::scale<double, 2>(double *, double *);\n"                  \
	"template __global__ void ns::scale<float, 2>(float *, float *);\n"

static void assert_tool(const struct compiled *compiled, const char *tool, bool from_cache)
{
	assert_string_equal(compiled->tool, tool);
	assert_int_equal(compiled->from_cache, from_cache);
}

/* ---- results ---- */

static void assert_saxpy(const struct compiled *compiled)
{
	const struct compiled_parameter *parameters = compiled->entries[0].parameters;

	assert_int_equal(compiled->entry_count, 1);
	assert_string_equal(compiled->entries[0].name, "saxpy");
	assert_int_equal(compiled->entries[0].parameter_count, 4);
	assert_int_equal(parameters[0].class, PARAMETER_INTEGER);
	assert_int_equal(parameters[0].bytes, 4);
	assert_int_equal(parameters[1].class, PARAMETER_REAL);
	assert_int_equal(parameters[3].bytes, 8);
}

static void by_each_tool(void **state)
{
	static const enum compile_tool tools[] = {COMPILE_AUTO, COMPILE_NVRTC, COMPILE_NVCC};
	struct sandbox *box = *state;

	sandbox_source(box, "saxpy.cu", SAXPY_SOURCE);
	for (size_t i = 0; i < ARRAY_SIZE(tools); i++) {
		/* instances() has no cubin of the named tools */
		for (int cubin = i > 0; cubin < 2; cubin++) {
			struct compiled *compiled;
			struct entry_list entries;
			char *text;
			size_t length;

			box->request.tool = tools[i];
			box->request.cubin = cubin;
			compiled = sandbox_compile(box);
			assert_tool(compiled, tools[i] == COMPILE_NVCC ? "nvcc" : "nvrtc", false);
			assert_saxpy(compiled);
			text = file_text(compiled->ptx, &length);
			/* line information names the user's file, not a copy */
			assert_non_null(strstr(text, box->request.source));
			assert_non_null(strstr(text, ".loc"));
			free(text);
			assert_int_equal(compiled->cubin != NULL, cubin);
			if (cubin) {
				text = file_text(compiled->cubin, &length);
				assert_int_equal(cubin_entries_read(&entries, text, length, NULL),
						 0);
				assert_int_equal(entries.count, 1);
				assert_string_equal(entries.items[0].name, "saxpy");
				assert_int_equal(entries.items[0].parameter_count, 4);
				assert_int_equal(entries.items[0].parameters[0].bytes, 4);
				assert_int_equal(entries.items[0].parameters[2].bytes, 8);
				entry_list_release(&entries);
				free(text);
			}
			compiled_free(compiled);
		}
	}
}

/* The variables of a cubin are those of its PTX, and both are found by their names in the source.
 */
static void variables_of_images(void **state)
{
	static const char *const wanted[] = {"plain", "cv::crots", "hidden", "table"};
	struct sandbox *box = *state;
	struct compiled *compiled;

	sandbox_source(
		box, "k.cu",
		"__constant__ float plain[4];\n"
		"namespace cv { __constant__ float crots[4]; static __device__ float hidden[4];\n"
		"template <typename T> __device__ T table[4]; }\n"
		"__global__ void k(float *y) { int i = threadIdx.x;\n"
		"y[i] = plain[i] + cv::crots[i] + cv::hidden[i]++ + cv::table<float>[i]++; }\n");
	box->request.cubin = true;
	compiled = sandbox_compile(box);
	for (int cubin = 0; cubin < 2; cubin++) {
		struct compiled image = {.ptx = cubin ? NULL : compiled->ptx,
					 .cubin = compiled->cubin};
		struct error err = {0};

		if (compiled_variables_read(&image, &err))
			fail_msg("%s", err.text);
		for (size_t i = 0; i < ARRAY_SIZE(wanted); i++) {
			const char *name = NULL;

			if (compiled_variable_find(&name, &image, wanted[i], &err))
				fail_msg("%s: %s", cubin ? "cubin" : "PTX", err.text);
			assert_non_null(
				strstr(name, strstr(wanted[i], "::") ? "crots" : wanted[i]));
		}
		assert_int_equal(image.variables.count, ARRAY_SIZE(wanted));
		string_list_release(&image.variables);
	}
	compiled_free(compiled);
}

/* Left alone, the compilers make names in unnamed namespaces of paths and of process numbers. */
static void same_code_again(void **state)
{
	struct sandbox *box = *state;
	char *images = xasprintf("%s/compiled", box->cache);

	sandbox_source(box, "same.cu",
		       "namespace { __device__ int hidden = 3;\n"
		       "__global__ void inner(int *x) { *x = hidden++; } }\n"
		       "__global__ void k(int *x) { *x = hidden++; }\n");
	box->request.cubin = true;
	for (int tool = COMPILE_NVRTC; tool <= COMPILE_NVCC; tool++) {
		size_t length[2];
		char *bytes[2];

		box->request.tool = (enum compile_tool)tool;
		for (int again = 0; again < 2; again++) {
			struct compiled *compiled = sandbox_compile(box);

			assert_int_equal(compiled->from_cache, false);
			bytes[again] = file_text(compiled->cubin, &length[again]);
			compiled_free(compiled);
			remove_folder(images);
		}
		assert_int_equal(length[0], length[1]);
		assert_memory_equal(bytes[0], bytes[1], length[0]);
		free(bytes[0]);
		free(bytes[1]);
	}
	free(images);
}

static void instances(void **state)
{
	static const enum compile_tool tools[] = {COMPILE_NVRTC, COMPILE_NVCC};
	static const char *const names[] = {"_ZN2ns5scaleIfLi4EEEvPT_S2_",
					    "_ZN2ns5scaleIdLi2EEEvPT_S2_",
					    "_ZN2ns5scaleIfLi5EEEvPT_S2_"};
	struct sandbox *box = *state;

	sandbox_source(box, "scale.cu", TEMPLATE_SOURCE);
	sandbox_want(box, "ns::scale<float, 4>");
	sandbox_want(box, "ns::scale<double,2>");
	sandbox_want(box, "::ns::scale<float, (2 > 1) ? 5 : 6>");
	for (size_t i = 0; i < ARRAY_SIZE(tools); i++) {
		for (int again = 0; again < 2; again++) {
			struct compiled *compiled;

			box->request.tool = tools[i];
			compiled = sandbox_compile(box);
			assert_int_equal(compiled->from_cache, again);
			assert_null(compiled->cubin);
			assert_int_equal(compiled->entry_count, 3);
			for (size_t k = 0; k < 3; k++) {
				assert_string_equal(compiled->entries[k].name, names[k]);
				assert_string_equal(compiled->entries[k].wanted,
						    box->request.entries.items[k]);
				assert_int_equal(compiled->entries[k].parameter_count, 2);
			}
			compiled_free(compiled);
		}
	}
}

static void one_instance_with_host_code(void **state)
{
	struct sandbox *box = *state;
	struct compiled *compiled;

	sandbox_source(box, "one.cu",
		       "#include <vector>\n#include <cstdio>\n"
		       "#define auto __auto_type\n" /* as headers for C do */
		       "template <typename T> __global__ void k(T *x) { *x = 1; }\n"
		       "int main() { std::vector<float> v(3); printf(\"%zu\", v.size()); }\n");
	sandbox_want(box, "k<float>");
	compiled = sandbox_compile(box);
	assert_tool(compiled, "nvcc", false);
	assert_string_equal(compiled->entries[0].name, "_Z1kIfEvPT_");
	compiled_free(compiled);
	sandbox_expect(box, "nvcc", true);
}

static void given_images(void **state)
{
	struct sandbox *box = *state;
	struct compiled *compiled;
	char *cubin;

	sandbox_source(box, "saxpy.cu", SAXPY_SOURCE);
	box->request.cubin = true;
	compiled = sandbox_compile(box);
	cubin = xstrdup(compiled->cubin);
	free((char *)box->request.source);
	box->request.source = xstrdup(compiled->ptx);
	compiled_free(compiled);

	sandbox_want(box, "saxpy");
	compiled = sandbox_compile(box);
	assert_tool(compiled, "ptxas", false);
	assert_saxpy(compiled);
	assert_non_null(compiled->cubin);
	compiled_free(compiled);

	free((char *)box->request.source);
	box->request.source = cubin;
	compiled = sandbox_compile(box);
	assert_tool(compiled, "none", false);
	assert_null(compiled->ptx);
	assert_int_equal(compiled->entries[0].parameter_count, 4);
	compiled_free(compiled);
}

/* A .cubin of another architecture is refused before a driver sees it. */
static void cubin_of_another_architecture(void **state)
{
	static const struct {
		const char *made_for, *device;
		bool runs;
	} rows[] = {{"sm_80", "sm_90a", false}, {"sm_90", "sm_80", false},
		    {"sm_89", "sm_86", false},  {"sm_86", "sm_89", true},
		    {"sm_90", "sm_90a", true},  {"sm_90a", "sm_90a", true},
		    {"sm_100", "sm_90a", false}};
	struct sandbox *box = *state;

	box->request.cubin = true;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct compiled *compiled;

		sandbox_source(box, "saxpy.cu", SAXPY_SOURCE);
		box->request.arch = rows[i].made_for;
		compiled = sandbox_compile(box);
		free((char *)box->request.source);
		box->request.source = xstrdup(compiled->cubin);
		compiled_free(compiled);
		box->request.arch = rows[i].device;
		if (rows[i].runs)
			compiled_free(sandbox_compile(box));
		else
			sandbox_refused(box, PL_EUNSUPPORTED, "or give the .ptx", NULL);
	}
}

/* Without ptxas the driver compiles the PTX; with it, the same request gives a cubin. */
static void ptx_without_ptxas(void **state)
{
	struct sandbox *box = *state;
	struct compiled *compiled;
	size_t length;
	char *ptx;

	sandbox_source(box, "saxpy.cuh", SAXPY_SOURCE);
	compiled = sandbox_compile(box);
	assert_tool(compiled, "nvrtc", false);
	ptx = file_text(compiled->ptx, &length);
	sandbox_source(box, "saxpy.ptx", ptx);
	free(ptx);
	box->request.cubin = true;
	compiled_free(compiled);
	setenv("PERFLAB_NVCC", "/nonexistent/nvcc", 1);
	for (int again = 0; again < 2; again++) {
		compiled = sandbox_compile(box);
		assert_tool(compiled, "none", again);
		assert_null(compiled->cubin);
		assert_saxpy(compiled);
		compiled_free(compiled);
	}
	unsetenv("PERFLAB_NVCC");
	compiled = sandbox_compile(box);
	assert_tool(compiled, "ptxas", false);
	assert_non_null(compiled->cubin);
	compiled_free(compiled);
}

/* ---- refusals ---- */

static void error_with_line(void **state)
{
	static const enum compile_tool tools[] = {COMPILE_AUTO, COMPILE_NVRTC, COMPILE_NVCC};
	struct sandbox *box = *state;
	char *place;

	sandbox_source(box, "wrong.cu", "// a line\n__global__ void k(int *x) { *x = nothing; }\n");
	place = xasprintf("%s(2): error: identifier \"nothing\" is undefined", box->request.source);
	for (size_t i = 0; i < ARRAY_SIZE(tools); i++) {
		struct text messages = TEXT_INIT;

		box->request.tool = tools[i];
		sandbox_refused(box, PL_EPARSE, place, &messages);
		assert_non_null(strstr(messages.data, place));
		assert_non_null(strchr(messages.data, '^'));
		text_release(&messages);
	}
	free(place);
}

static void entries_that_are_not_there(void **state)
{
	struct sandbox *box = *state;

	sandbox_source(box, "two.cu",
		       "__global__ void k(int *x) { *x = 1; }\n"
		       "namespace ns { __global__ void scale(int *x) { *x = 1; }\n"
		       "__global__ void scale(float *x) { *x = 1; } }\n");
	sandbox_want(box, "saxpy");
	sandbox_refused(box, PL_EUSAGE, "ns::scale (_ZN2ns5scaleEPi)", NULL);
	free(box->request.entries.items[0]);
	box->request.entries.items[0] = xstrdup("scale");
	sandbox_refused(box, PL_EUSAGE, "_ZN2ns5scaleEPf", NULL);
	free(box->request.entries.items[0]);
	box->request.entries.items[0] = xstrdup("_ZN2ns5scaleEPf");
	sandbox_expect(box, "nvrtc", true); /* the file was compiled for the names before */
	free(box->request.entries.items[0]);
	box->request.entries.items[0] = xstrdup("k<float>");
	sandbox_refused(box, PL_EPARSE, "does not compile with nvcc", NULL);
}

static void sources_that_cannot_be_read(void **state)
{
	struct sandbox *box = *state;
	char *folder = xasprintf("%s/folder.cu", box->folder);

	box->request.source = xstrdup("/nonexistent/a.cu");
	sandbox_refused(box, PL_ENOENT, "/nonexistent/a.cu", NULL);
	free((char *)box->request.source);
	box->request.source = folder;
	mkdir(folder, 0777);
	sandbox_refused(box, PL_EPARSE, "folder.cu", NULL);
	sandbox_source(box, "rubbish.ptx", "\x01\x02 this is no PTX");
	sandbox_refused(box, PL_EPARSE, "no PTX", NULL);
	sandbox_source(box, "rubbish.cubin", "this is no cubin");
	sandbox_refused(box, PL_EPARSE, "no cubin", NULL);
	sandbox_source(box, "missing.cu", "#include \"not_there.h\"\n");
	sandbox_refused(box, PL_EPARSE, "not_there.h", NULL);
}

static void hostile_text_runs_nothing(void **state)
{
	struct sandbox *box = *state;
	char *mark = xasprintf("%s/mark", box->folder);
	/* each is refused */
	static const char *const refused[] = {"A=$(touch %s)", "A=`touch %s`",
					      "A=\\\";touch %s;\\\""};
	/* together in one compilation */
	static const char *const harmless[] = {"A=x;touch %s", "B=x' ;touch %s '", "C=x & touch %s",
					       "D=x|touch %s", "E=x> %s"};

	sandbox_source(box, "a b;touch mark;$(touch mark)'.cu", SAXPY_SOURCE);
	for (size_t i = 0; i <= ARRAY_SIZE(refused); i++) {
		bool is_refused = i < ARRAY_SIZE(refused);
		const char *const *defines = is_refused ? &refused[i] : harmless;
		size_t count = is_refused ? 1 : ARRAY_SIZE(harmless);

		string_list_release(&box->request.defines);
		for (size_t k = 0; k < count; k++) {
			char *define = xasprintf(defines[k], mark);

			string_list_add(&box->request.defines, define);
			free(define);
		}
		for (int tool = COMPILE_NVRTC; tool <= COMPILE_NVCC; tool++) {
			struct compiled *compiled;
			struct error err = {0};

			box->request.tool = (enum compile_tool)tool;
			assert_int_equal(
				compile_one(&compiled, NULL, NULL, &box->request, NULL, &err),
				is_refused ? PL_EUSAGE : 0);
			compiled_free(compiled);
			assert_int_not_equal(access(mark, F_OK), 0);
			assert_int_not_equal(access("mark", F_OK), 0);
		}
	}
	sandbox_flag(box, "-Iinclude;touch mark");
	box->request.tool = COMPILE_NVCC;
	/* the folder is relative, and the folder of the source is harmless */
	sandbox_expect(box, "nvcc", false);
	assert_int_not_equal(access("mark", F_OK), 0);
	free(mark);
}

/* ---- time ---- */

static void endless_compilation_ends(void **state)
{
	struct sandbox *box = *state;
	volatile int stop = 1;
	struct compiled *compiled;
	struct error err = {0};
	int64_t began_ns;

	sandbox_source(
		box, "slow.cu",
		"template <int N> struct F { static constexpr long v = F<N - 1>::v + "
		"F<N - 2>::v; };\n"
		"constexpr long f(long n) { return n < 2 ? n : f(n - 1) + f(n - 2); }\n"
		"__global__ void k(long *x) {\n#pragma unroll\nfor (int i = 0; i < 60000; i++) "
		"x[i * i] += x[i] * i; }\n");
	box->request.tool = COMPILE_NVCC;
	box->request.limit_ns = 1000000; /* nvcc takes hundreds of milliseconds for any file */
	began_ns = monotonic_ns();
	sandbox_refused(box, PL_EIO, "Allow more with --timeout", NULL);
	/* without the limit of the request it would be 300 s */
	assert_true(monotonic_ns() - began_ns < INT64_C(60000000000));
	assert_int_equal(compile_one(&compiled, NULL, NULL, &box->request, &stop, &err),
			 PL_EINTERRUPTED);
}

/* ---- memory ---- */

#define PTX_LARGE                                                                             \
	".version 8.6\n.target sm_90\n.address_size 64\n.global .b8 large[60000000] = {1};\n" \
	".visible .entry k(.param .u64 x) { ret; }\n"

static void greedy_compilation_ends(void **state)
{
	struct sandbox *box = *state;

	if (!COMPILE_TOOLS_LIMITED)
		skip();
	sandbox_source(box, "large.ptx", PTX_LARGE);
	box->request.cubin = true;
	setenv("PERFLAB_COMPILE_MEMORY", "128Mi", 1);
	sandbox_refused(box, PL_ENOMEM, "$PERFLAB_COMPILE_MEMORY", NULL);
	sandbox_refused(box, PL_ENOMEM, "128.0 MiB", NULL);
	setenv("PERFLAB_COMPILE_MEMORY", "much", 1);
	sandbox_refused(box, PL_EUSAGE, "$PERFLAB_COMPILE_MEMORY", NULL);
	unsetenv("PERFLAB_COMPILE_MEMORY");
	sandbox_expect(box, "ptxas", false);
}

/* ptxas would take more memory than the machine has. */
static void bomb_reaches_no_compiler(void **state)
{
	struct sandbox *box = *state;

	sandbox_source(box, "bomb.ptx",
		       ".version 8.6\n.target sm_90\n.address_size 64\n"
		       ".visible .entry k() { .reg .b32 %r<2000000000>; ret; }\n");
	sandbox_refused(box, PL_EPARSE, "line 4: 2000000000 names", NULL);
	box->request.cubin = true;
	sandbox_refused(box, PL_EPARSE, "line 4: 2000000000 names", NULL);
}

struct seen {
	size_t calls, done;
};

static void see_progress(void *context, const struct compile_job *job, size_t done, size_t count)
{
	struct seen *seen = context;

	seen->calls++;
	assert_int_equal(done, seen->done + 1);
	assert_int_equal(count, 4);
	assert_true(job->compiled || job->error.code);
	seen->done = done;
}

static void several_at_a_time(void **state)
{
	struct sandbox *box = *state;
	struct compile_job jobs[4] = {0};
	struct seen seen = {0};
	struct error err = {0};
	char *broken = sandbox_write(box, "broken.cu", "broken\n");

	sandbox_source(box, "saxpy.cu", SAXPY_SOURCE);
	for (size_t i = 0; i < 4; i++)
		jobs[i].request = box->request;
	jobs[1].request.source = broken;
	assert_int_equal(compile_many(jobs, 4, 3, NULL, see_progress, &seen, &err), PL_EPARSE);
	assert_int_equal(seen.calls, 4);
	assert_non_null(strstr(jobs[1].messages.data, "broken.cu(1): error"));
	assert_null(jobs[1].compiled);
	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(jobs[i].error.code, i == 1 ? PL_EPARSE : 0);
		if (i != 1)
			assert_saxpy(jobs[i].compiled);
		compile_job_release(&jobs[i]);
	}
	free(broken);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_SANDBOX(by_each_tool),
		IN_SANDBOX(variables_of_images),
		IN_SANDBOX(same_code_again),
		IN_SANDBOX(instances),
		IN_SANDBOX(one_instance_with_host_code),
		IN_SANDBOX(given_images),
		IN_SANDBOX(cubin_of_another_architecture),
		IN_SANDBOX(ptx_without_ptxas),
		IN_SANDBOX(error_with_line),
		IN_SANDBOX(entries_that_are_not_there),
		IN_SANDBOX(sources_that_cannot_be_read),
		IN_SANDBOX(hostile_text_runs_nothing),
		IN_SANDBOX(endless_compilation_ends),
		IN_SANDBOX(greedy_compilation_ends),
		IN_SANDBOX(bomb_reaches_no_compiler),
		IN_SANDBOX(several_at_a_time),
	};

	if (!sandbox_has_tools())
		return 77;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
