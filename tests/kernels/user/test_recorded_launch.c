/* A capture as a file of a user: the case that it becomes, and the replacements of its kernel. */
#include "tests/kernels/user/recorded_demo.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void expect_pointer(const struct launch_case *work, const struct case_arg *arg, size_t index,
			   const char *buffer, uint64_t addend)
{
	const struct arg_address address = case_arg_address(arg, index);

	assert_string_equal(work->buffers[address.buffer].name, buffer);
	assert_int_equal(arg->kind == ARG_BUFFER ? arg->addend : address.addend, addend);
}

/* ---- the recorded launch ---- */

static void expect_recorded_arguments(const struct launch_case *work)
{
	static const unsigned char lists[20] = {0xff, 0xff, 0xff, 0xff, 7, 0, 0, 0, 0, 0,
						0,    0,    0,    0,    0, 0, 9, 0, 0, 0};
	const struct case_arg *args = work->launches[0].args;
	unsigned char bytes[20];

	assert_int_equal(work->launches[0].arg_count, 5);
	assert_int_equal(case_arg_bytes(&args[0]), 4);
	case_arg_write(bytes, &args[0]);
	assert_memory_equal(bytes, &(int32_t){1000}, 4);
	expect_pointer(work, &args[1], 0, "m1", 256);
	expect_pointer(work, &args[2], 0, "m0", 0);
	case_arg_write(bytes, &args[3]);
	assert_memory_equal(bytes, &(double){0.5}, 8);
	assert_int_equal(case_arg_bytes(&args[4]), 20);
	assert_int_equal(case_arg_address_count(&args[4]), 1);
	assert_int_equal(case_arg_address(&args[4], 0).offset, 8);
	expect_pointer(work, &args[4], 0, "m1", 16);
	case_arg_write(bytes, &args[4]);
	assert_memory_equal(bytes, lists, sizeof(lists));
}

static void test_launch(void **state)
{
	struct folder *folder = *state;
	const struct kernel *kernel;
	struct launch_case *work;

	write_plain(folder);
	kernel = folder_kernel(folder, FILES("demo.capture"));
	assert_string_equal(kernel->name, "demo");
	assert_int_equal(kernel->variant_count, 1);
	work = recorded_resolve(kernel, "recorded", NULL, 0);
	assert_string_equal(work->launches[0].entry, "_Z1kiPKfPfd5lists");
	assert_int_equal(work->launches[0].grid[0], 8);
	assert_int_equal(work->launches[0].grid[1], 2);
	assert_int_equal(work->launches[0].block[0], 128);
	assert_int_equal(work->launches[0].block[2], 2);
	assert_int_equal(work->launches[0].shared_bytes, 64);
	assert_false(work->launches[0].has_carveout);
	expect_recorded_arguments(work);
	launch_case_free(work);
}

static void test_memory(void **state)
{
	struct folder *folder = *state;
	const struct kernel *kernel;
	const struct case_buffer *variable;
	struct launch_case *work;

	write_plain(folder);
	kernel = folder_kernel(folder, FILES("demo.capture"));
	work = recorded_resolve(kernel, "recorded", NULL, 0);
	assert_int_equal(work->buffer_count, 3);
	assert_int_equal(recorded_buffer(work, "m0")->role, BUFFER_INOUT);
	assert_int_equal(recorded_buffer(work, "m0")->length, MEMORY_BYTES);
	assert_int_equal(recorded_buffer(work, "m1")->role, BUFFER_IN);
	assert_int_equal(recorded_buffer(work, "m1")->fill, FILL_CAPTURE);
	assert_int_equal(recorded_buffer(work, "m1")->fill_index, 1);
	variable = recorded_buffer(work, "m2");
	assert_string_equal(variable->symbol, "_ZL5table");
	assert_false(variable->optional);
	assert_int_equal(variable->fill_index, 2);
	assert_int_equal(work->check.kind, CHECK_FILE);
	assert_int_equal(work->check.item_count, 1);
	assert_string_equal(work->buffers[work->check.items[0].buffer].name, "m0");
	launch_case_free(work);
}

/* Smaller blocks are more blocks, and one that does not divide the threads gets a part of one. */
static void test_other_blocks(void **state)
{
	static const struct {
		int64_t block, grid, blocks;
	} rows[] = {{64, 8, 16}, {256, 8, 4}, {384, 8, 3}, {128, 20, 20}};
	struct folder *folder = *state;
	const struct kernel *kernel;

	write_plain(folder);
	kernel = folder_kernel(folder, FILES("demo.capture"));
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct axis_value axes[] = {
			{"block", rows[i].block}, {"grid", rows[i].grid}, {"shared", 128}};
		struct launch_case *work =
			recorded_resolve(kernel, "recorded", axes, ARRAY_SIZE(axes));

		assert_int_equal(work->launches[0].grid[0], rows[i].blocks);
		assert_int_equal(work->launches[0].grid[1], 2);
		assert_int_equal(work->launches[0].block[0], rows[i].block);
		assert_int_equal(work->launches[0].shared_bytes, 128);
		launch_case_free(work);
	}
}

static void test_launch_attributes(void **state)
{
	struct folder *folder = *state;
	struct demo *demo = xcalloc(1, sizeof(*demo));
	const struct kernel *kernel;
	struct launch_case *work;

	demo_fill(demo);
	demo->what.info.launch.cluster[0] = 4;
	demo->what.info.launch.cooperative = true;
	demo->what.info.launch.carveout = 50;
	write_demo(folder, demo, "demo.capture");
	kernel = folder_kernel(folder, FILES("demo.capture"));
	work = recorded_resolve(kernel, "recorded", &(struct axis_value){"carveout", 75}, 1);
	assert_int_equal(work->launches[0].cluster[0], 4);
	assert_true(work->launches[0].cooperative);
	assert_true(work->launches[0].has_carveout);
	assert_int_equal(work->launches[0].carveout, 75);
	launch_case_free(work);
	free(demo);
}

/* A launch that changes nothing cannot be told from one that does nothing. */
static void test_nothing_changed(void **state)
{
	struct folder *folder = *state;
	struct demo *demo = xcalloc(1, sizeof(*demo));
	const struct kernel *kernel;

	demo_fill(demo);
	demo->content[0].after = NULL;
	write_demo(folder, demo, "demo.capture");
	kernel = folder_kernel(folder, FILES("demo.capture"));
	assert_int_equal(kernel->variants[0].check->kind, CHECK_NONE);
	free(demo);
}

/* ---- replacements ---- */

/* Every way to pass the recorded parameters. */
static void test_parameters_by_name(void **state)
{
	struct folder *folder = *state;
	const struct kernel *kernel;
	struct launch_case *work;
	const struct case_arg *args;

	write_plain(folder);
	folder_write(folder, "my.cu",
		     "// perflab: launch mine<<<ceil_div(p0, 256), 256>>>(p0, p1 + 4, p2, p3, "
		     "p4_8, 2 * p0)\n");
	kernel = folder_kernel(folder, FILES("demo.capture", "my.cu"));
	work = recorded_resolve(kernel, "my", NULL, 0);
	args = work->launches[0].args;
	assert_int_equal(work->axis_count, 0);
	assert_int_equal(work->launches[0].grid[0], 4);
	assert_int_equal(args[0].kind, ARG_INTEGER);
	assert_int_equal(args[0].integer, 1000);
	expect_pointer(work, &args[1], 0, "m1", 260);
	expect_pointer(work, &args[2], 0, "m0", 0);
	assert_int_equal(args[3].kind, ARG_REAL);
	assert_true(args[3].real == 0.5);
	expect_pointer(work, &args[4], 0, "m1", 16);
	assert_int_equal(args[5].integer, 2000);
	/* It shares the memory and the check. The variable of the other image is memory here. */
	assert_int_equal(work->buffer_count, 3);
	assert_null(recorded_buffer(work, "m2")->symbol);
	assert_int_equal(work->check.kind, CHECK_FILE);
	launch_case_free(work);
}

static void test_parameters_by_position(void **state)
{
	struct folder *folder = *state;
	const struct kernel *kernel;
	struct launch_case *work;

	write_plain(folder);
	folder_write(folder, "my.cu",
		     "// perflab: axis block = 64..256\n"
		     "// perflab: launch mine<<<ceil_div(p0, block), block>>> cooperative\n");
	kernel = folder_kernel(folder, FILES("demo.capture", "my.cu"));
	work = recorded_resolve(kernel, "my", NULL, 0);
	assert_true(work->launches[0].cooperative);
	expect_recorded_arguments(work);
	launch_case_free(work);
	folder_write(folder, "alone.cu",
		     "// perflab: launch mine<<<1, 1>>>\n// perflab: verify none\n");
	folder_refused(folder, FILES("alone.cu"), PL_EPARSE,
		       "alone.cu:1: ", "the arguments of \"mine\" in ( ) expected");
}

static void test_drop_in(void **state)
{
	struct folder *folder = *state;
	const struct kernel *kernel;
	struct launch_case *work;

	write_plain(folder);
	folder_write(folder, "drop.cu",
		     "// perflab: tolerance rel = 1e-3\n"
		     "// perflab: compare m0 as f32\n");
	kernel = folder_kernel(folder, FILES("demo.capture", "drop.cu"));
	work = recorded_resolve(kernel, "drop", &(struct axis_value){"block", 64}, 1);
	assert_string_equal(work->launches[0].entry, "_Z1kiPKfPfd5lists");
	assert_int_equal(work->launches[0].grid[0], 16);
	expect_recorded_arguments(work);
	assert_string_equal(recorded_buffer(work, "m2")->symbol, "_ZL5table");
	assert_true(recorded_buffer(work, "m2")->optional);
	assert_true(work->tolerance_rel == 1e-3);
	assert_int_equal(case_buffer_compared(recorded_buffer(work, "m0")), ELEMENT_F32);
	launch_case_free(work);
	work = recorded_resolve(kernel, "recorded", NULL, 0);
	assert_true(work->tolerance_rel == 0);
	assert_int_equal(case_buffer_compared(recorded_buffer(work, "m0")), ELEMENT_U8);
	launch_case_free(work);
}

/* Its image cannot have the kernel that replaces its own. */
static void test_launch_of_the_command_line(void **state)
{
	static const char *const lines[] = {"launch mine<<<1, block>>>(p0, p2)"};
	static const char *const names[] = {"block"}, *const values[] = {"64,128"};
	const struct kernel_file_options options = {lines, 1, .axis_names = names,
						    .axis_values = values, .axis_count = 1};
	struct folder *folder = *state;
	const struct kernel *kernel;

	write_plain(folder);
	folder_write(folder, "my.cu", "");
	if (folder_read(folder, &options, FILES("demo.capture", "my.cu")))
		fail_msg("%s", folder->err.text);
	kernel = kernel_file_kernel(folder->file);
	assert_int_equal(kernel->variant_count, 2);
	assert_string_equal(kernel->variants[0].name, "recorded");
	assert_string_equal(kernel->variants[1].name, "my");
	assert_string_equal(kernel->variants[1].launches[0].entry, "mine");
	/* Without a replacement it is another kernel of the recorded image. */
	if (folder_read(folder, &options, FILES("demo.capture")))
		fail_msg("%s", folder->err.text);
	kernel = kernel_file_kernel(folder->file);
	assert_int_equal(kernel->variant_count, 2);
	assert_string_equal(kernel->variants[1].name, "mine");
}

static void test_sidecar(void **state)
{
	struct folder *folder = *state;
	const struct kernel *kernel;

	write_plain(folder);
	folder_write(folder, "demo.capture.perflab",
		     "compare m0 as f32\ntolerance rel = 1e-5\nwork write = 4 * p0\n");
	kernel = folder_kernel(folder, FILES("demo.capture"));
	assert_true(kernel->tolerance_rel == 1e-5);
	assert_string_equal(kernel->work.bytes_written, "4 * 1000");
	folder_write(folder, "demo.capture.perflab", "\ncompare m7 as f32\n");
	folder_refused(folder, FILES("demo.capture"), PL_EPARSE, "demo.capture.perflab:2: ", "m7");
}

/* ---- what the name of the kernel does not tell ---- */

static void test_parameters_of_unknown_type(void **state)
{
	struct folder *folder = *state;
	struct demo *demo = xcalloc(1, sizeof(*demo));
	const struct kernel *kernel;
	struct launch_case *work;
	unsigned char bytes[4];

	demo_fill(demo);
	demo->what.info.kernel = "triton_kernel";
	demo->data.n = -3;
	write_demo(folder, demo, "demo.capture");
	folder_write(folder, "my.cu", "// perflab: launch mine<<<p0_int + 4, 256>>>(p0, p2)\n");
	kernel = folder_kernel(folder, FILES("demo.capture", "my.cu"));
	work = recorded_resolve(kernel, "my", NULL, 0);
	assert_int_equal(work->launches[0].grid[0], 1);
	assert_int_equal(work->launches[0].args[0].kind, ARG_BYTES);
	case_arg_write(bytes, &work->launches[0].args[0]);
	assert_memory_equal(bytes, &(int32_t){-3}, 4);
	launch_case_free(work);
	free(demo);
}

/* Numbers that an expression cannot have are passed as they are. */
static void test_numbers_without_a_text(void **state)
{
	struct folder *folder = *state;
	const struct {
		const char *kernel;
		unsigned char bits[8];
		enum arg_kind kind;
	} rows[] = {
		{"_Z1kd", {0, 0, 0, 0, 0, 0, 0xf8, 0x7f}, ARG_BYTES},              /* NaN */
		{"_Z1kd", {0, 0, 0, 0, 0, 0, 0xf0, 0xff}, ARG_BYTES},              /* -infinity */
		{"_Z1kd", {0, 0, 0, 0, 0, 0, 0, 0x80}, ARG_REAL},                  /* -0 */
		{"_Z1km", {0, 0, 0, 0, 0, 0, 0, 0x80}, ARG_BYTES},                 /* 2^63 */
		{"_Z1kl", {0, 0, 0, 0, 0, 0, 0, 0x80}, ARG_BYTES},                 /* -2^63 */
		{"_Z1kl", {0xff, 255, 255, 255, 255, 255, 255, 255}, ARG_INTEGER}, /* -1 */
		{"_Z1kPf", {0}, ARG_U64},                                          /* nullptr */
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct capture_parameter parameter = {0, 8};
		struct capture_memory memory = {.address = 4096, .bytes = 4};
		const struct made_content content = {"abc", NULL};
		struct demo demo = {
			.what = {.info = {.kernel = (char *)(uintptr_t)rows[i].kernel,
					  .parameter_data = (unsigned char *)rows[i].bits,
					  .parameter_bytes = 8,
					  .parameters = &parameter,
					  .parameter_count = 1,
					  .memory = &memory,
					  .memory_count = 1},
				 .content = &content}};
		struct launch_case *work;
		unsigned char bits[8];

		write_demo(folder, &demo, "one.capture");
		folder_write(folder, "my.cu", "// perflab: launch mine<<<1, 1>>>(p0)\n");
		work = recorded_resolve(folder_kernel(folder, FILES("one.capture", "my.cu")), "my",
					NULL, 0);
		if (work->launches[0].args[0].kind != rows[i].kind)
			fail_msg("row %zu: kind %d", i, work->launches[0].args[0].kind);
		launch_case_free(work);
		work = recorded_resolve(kernel_file_kernel(folder->file), "recorded", NULL, 0);
		case_arg_write(bits, &work->launches[0].args[0]);
		assert_memory_equal(bits, rows[i].bits, 8);
		launch_case_free(work);
	}
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, folder_setup, folder_teardown)
int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_FOLDER(test_launch),
		IN_FOLDER(test_memory),
		IN_FOLDER(test_other_blocks),
		IN_FOLDER(test_launch_attributes),
		IN_FOLDER(test_nothing_changed),
		IN_FOLDER(test_parameters_by_name),
		IN_FOLDER(test_parameters_by_position),
		IN_FOLDER(test_drop_in),
		IN_FOLDER(test_launch_of_the_command_line),
		IN_FOLDER(test_sidecar),
		IN_FOLDER(test_parameters_of_unknown_type),
		IN_FOLDER(test_numbers_without_a_text),
	};

	return cmocka_run_group_tests_name("kernels_user_recorded_launch", tests, NULL, NULL);
}
