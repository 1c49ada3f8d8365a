/* Captures with untrusted names, and those that cannot become a case. */
#include "tests/kernels/user/recorded_demo.h"

#include <stdlib.h>
#include <string.h>

/* ---- untrusted and impossible ---- */

/* Nothing in a name ends its quotes, begins a comment or becomes another line. */
static void test_hostile_names(void **state)
{
	static const char hostile[] = "k\"<<<1, 1>>>(m0) // # \\\" launch x<<<9, 9>>>()";
	struct folder *folder = *state;
	struct demo *demo = xcalloc(1, sizeof(*demo));
	const struct kernel *kernel;
	struct launch_case *work;

	demo_fill(demo);
	demo->what.info.kernel = (char *)(uintptr_t)hostile;
	demo->what.info.program = "\" variant x \\";
	demo->memory[2].variable = (char *)(uintptr_t)hostile;
	write_demo(folder, demo, "a \"b\" #c.capture");
	kernel = folder_kernel(folder, FILES("a \"b\" #c.capture"));
	assert_int_equal(kernel->variant_count, 1);
	work = recorded_resolve(kernel, "recorded", NULL, 0);
	assert_string_equal(work->launches[0].entry, hostile);
	assert_int_equal(work->launches[0].grid[0], 8);
	assert_string_equal(recorded_buffer(work, "m2")->symbol, hostile);
	assert_non_null(strstr(recorded_buffer(work, "m0")->fill_file, "/a \"b\" #c.capture"));
	launch_case_free(work);
	free(demo);
}

/* The digits of a parameter may look like the name of a let. */
static void test_digits_are_no_names(void **state)
{
	struct folder *folder = *state;
	struct demo *demo = xcalloc(1, sizeof(*demo));
	struct launch_case *work;
	int32_t value = 0;

	demo_fill(demo);
	demo->what.info.kernel = "k";
	memcpy(&demo->data.n, "\xab\xab\xab\xab", 4);
	write_demo(folder, demo, "demo.capture");
	folder_write(folder, "my.cu",
		     "// perflab: let abababab = 5\n// perflab: launch mine<<<1, 1>>>(p0)\n");
	work = recorded_resolve(folder_kernel(folder, FILES("demo.capture", "my.cu")), "my", NULL,
				0);
	case_arg_write(&value, &work->launches[0].args[0]);
	assert_int_equal((uint32_t)value, 0xabababab);
	launch_case_free(work);
	free(demo);
}

static void test_too_much_memory(void **state)
{
	enum { COUNT = KERNEL_MAX_BUFFERS + 1 };
	struct folder *folder = *state;
	struct capture_memory *memory = xcalloc(COUNT, sizeof(*memory));
	struct made_content *content = xcalloc(COUNT, sizeof(*content));
	struct demo demo = {
		.what = {.info = {.memory = memory, .memory_count = COUNT}, .content = content}};

	for (size_t i = 0; i < COUNT; i++) {
		memory[i] = (struct capture_memory){.address = 4096 * (i + 1), .bytes = 4};
		content[i].before = "abc";
	}
	write_demo(folder, &demo, "many.capture");
	folder_refused(folder, FILES("many.capture"), PL_EUNSUPPORTED,
		       "many.capture: ", "257 memories, and a case has at most 256");
	demo.what.info.memory_count--;
	write_demo(folder, &demo, "many.capture");
	folder_kernel(folder, FILES("many.capture"));
	free(memory);
	free(content);
}

/* More than the lets that a file may have. All are passed by position. */
static void test_many_parameters(void **state)
{
	enum { COUNT = 4000 };
	struct folder *folder = *state;
	struct capture_parameter *parameters = xcalloc(COUNT, sizeof(*parameters));
	struct capture_memory memory = {.address = 4096, .bytes = 4};
	const struct made_content content = {"abc", NULL};
	struct demo demo = {.what = {.info = {.parameters = parameters,
					      .parameter_count = COUNT,
					      .parameter_data = xcalloc(COUNT, 8),
					      .parameter_bytes = (size_t)8 * COUNT,
					      .memory = &memory,
					      .memory_count = 1},
				     .content = &content}};
	const struct kernel *kernel;

	for (size_t i = 0; i < COUNT; i++)
		parameters[i] = (struct capture_parameter){8 * i, 8};
	write_demo(folder, &demo, "many.capture");
	folder_write(folder, "my.cu", "// perflab: launch mine<<<1, 1>>>\n");
	kernel = folder_kernel(folder, FILES("many.capture", "my.cu"));
	assert_int_equal(kernel->variants[1].launches[0].arg_count, COUNT);
	free(demo.what.info.parameter_data);
	free(parameters);
}

static void test_which_files(void **state)
{
	struct folder *folder = *state;

	write_plain(folder);
	folder_write(folder, "my.cu", "");
	folder_write(folder, "cut.capture", "this is no capture");
	folder_refused(folder, FILES("demo.capture", "demo.capture"), PL_EUSAGE, "given twice",
		       NULL);
	folder_refused(folder, FILES("my.cu", "demo.capture"), PL_EUSAGE,
		       "demo.capture: ", "give it first");
	folder_refused(folder, FILES("cut.capture"), PL_EPARSE, "cut.capture", NULL);
	folder_refused(folder, FILES("missing.capture"), PL_ENOENT, "missing.capture", NULL);
	folder_refused(folder, FILES("demo.capture", "cut.capture"), PL_EUSAGE,
		       "cut.capture: demo.capture is a capture, too", "one at a time");
}

/* A define is an axis of compilation, and the recorded image is compiled. */
static void test_define(void **state)
{
	struct folder *folder = *state;

	write_plain(folder);
	folder_write(folder, "demo.capture.perflab", "define ITEMS = 1, 2\n");
	folder_refused(folder, FILES("demo.capture"), PL_EPARSE,
		       "demo.capture.perflab:1: ", "compiled already");
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, folder_setup, folder_teardown)
int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_FOLDER(test_hostile_names),   IN_FOLDER(test_digits_are_no_names),
		IN_FOLDER(test_too_much_memory), IN_FOLDER(test_many_parameters),
		IN_FOLDER(test_which_files),     IN_FOLDER(test_define),
	};

	return cmocka_run_group_tests_name("kernels_user_recorded_refused", tests, NULL, NULL);
}
