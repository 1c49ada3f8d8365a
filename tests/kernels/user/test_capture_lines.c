/* What a capture needs of annotations: addresses within buffers, memory of a capture as a fill, the
 * type of a comparison, and the carveout. */
#include "tests/kernels/user/folder.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define BEGINNING                              \
	"// perflab: axis n = 100\n"           \
	"// perflab: buffer x: f32[n] in\n"    \
	"// perflab: buffer y: u8[4096] out\n" \
	"// perflab: verify none\n"

/* The case of these lines; NULL: it is skipped for the reason in *skip. */
static struct launch_case *case_of(struct folder *folder, const char *lines, struct text *skip)
{
	const struct axis_value axes[] = {{"n", 100}};
	char *text = xasprintf(BEGINNING "%s", lines);
	struct launch_case *work = NULL;
	const struct kernel *kernel;
	struct error err = {0};

	folder_write(folder, "k.cu", text);
	free(text);
	kernel = folder_kernel(folder, FILES("k.cu"));
	if (kernel_resolve(&work, skip, kernel, &kernel->variants[0], axes, 1,
			   &device_limits_minimum, &err))
		fail_msg("%.300s: %s", lines, err.text);
	return work;
}

static struct launch_case *case_of_argument(struct folder *folder, const char *argument,
					    struct text *skip)
{
	char *lines = xasprintf("// perflab: launch k<<<1, 1>>>(%s)\n", argument);
	struct launch_case *work = case_of(folder, lines, skip);

	free(lines);
	return work;
}

/* As in C: numbers count elements. */
static void test_addresses(void **state)
{
	static const struct {
		const char *argument;
		const char *buffer;
		uint64_t addend;
	} rows[] = {
		{"x", "x", 0},
		{"x + 0", "x", 0},
		{"x+3", "x", 12},
		{"y + 3", "y", 3},
		{"x + n", "x", 400}, /* its end */
		{"x + n - 1", "x", 396},
		{"x + 2 * (n - 90)", "x", 80},
		{"(x + 2) + 3", "x", 20},
		{"( (y) + 2 - 1 ) + 3", "y", 4},
		{"x - (0 - 1)", "x", 4},
		{"x + (n == 100)", "x", 4},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct text skip = TEXT_INIT;
		struct launch_case *work = case_of_argument(*state, rows[i].argument, &skip);
		struct arg_address address;

		if (!work)
			fail_msg("%s: %s", rows[i].argument, skip.data);
		assert_int_equal(work->launches[0].args[0].kind, ARG_BUFFER);
		assert_int_equal(case_arg_address_count(&work->launches[0].args[0]), 1);
		address = case_arg_address(&work->launches[0].args[0], 0);
		assert_int_equal(address.offset, 0);
		assert_string_equal(work->buffers[address.buffer].name, rows[i].buffer);
		if (address.addend != rows[i].addend)
			fail_msg("%s: %" PRIu64, rows[i].argument, address.addend);
		launch_case_free(work);
		text_release(&skip);
	}
}

static void test_addresses_by_let(void **state)
{
	struct text skip = TEXT_INIT;
	struct launch_case *work = case_of(*state,
					   "// perflab: let third = x + 3\n"
					   "// perflab: let from(k) = y + 16 * k\n"
					   "// perflab: launch k<<<1, 1>>>(third, third + 1, "
					   "from(n), struct(u8(7), from(2)))\n",
					   &skip);
	const uint64_t wanted[] = {12, 16, 1600, 32};

	assert_non_null(work);
	for (size_t i = 0; i < ARRAY_SIZE(wanted); i++)
		assert_int_equal(case_arg_address(&work->launches[0].args[i], 0).addend, wanted[i]);
	assert_int_equal(case_arg_address(&work->launches[0].args[3], 0).offset, 8);
	assert_string_equal(work->launches[0].args[3].layout, "u8 at 0, y + 0 + 16 * 2 at 8");
	launch_case_free(work);
	text_release(&skip);
}

static void test_addresses_outside_skip_the_case(void **state)
{
	static const struct {
		const char *argument, *why;
	} rows[] = {
		{"x + n + 1",
		 "the argument x + 0 + n + 1 is element 101 of a buffer of 100 elements"},
		{"struct(u8(1), y + 5 * n * n)", "is element 50000 of a buffer of 4096 elements"},
		{"x - n", "is element -100 of a buffer of 100"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct text skip = TEXT_INIT;

		assert_null(case_of_argument(*state, rows[i].argument, &skip));
		if (!strstr(skip.data, rows[i].why))
			fail_msg("%s: %s", rows[i].argument, skip.data);
		text_release(&skip);
	}
}

/* Parameters of the largest size, with many pointers among other bytes, as captures have them. */
static void test_a_large_struct(void **state)
{
	enum { POINTERS = 200, GAP = 152, BYTES = POINTERS * (GAP + 8) + 764 };
	struct text argument = TEXT_INIT, skip = TEXT_INIT;
	struct launch_case *work;
	const struct case_arg *arg;

	text_add(&argument, "struct(");
	for (int p = 0; p < POINTERS; p++) {
		text_add(&argument, "bytes(");
		for (int i = 0; i < GAP; i++)
			text_addf(&argument, "%02x", (p + i) & 0xff);
		text_addf(&argument, "), y + %d, ", 16 * p);
	}
	text_add(&argument, "bytes(");
	for (int i = 0; i < 764 - 4; i++)
		text_add(&argument, "5a");
	text_add(&argument, "))");
	work = case_of_argument(*state, argument.data, &skip);
	assert_non_null(work);
	arg = &work->launches[0].args[0];
	assert_int_equal(case_arg_bytes(arg), BYTES - 4);
	assert_int_equal(case_arg_address_count(arg), POINTERS);
	for (size_t p = 0; p < POINTERS; p++) {
		assert_int_equal(case_arg_address(arg, p).offset, GAP + p * (GAP + 8));
		assert_int_equal(case_arg_address(arg, p).addend, 16 * p);
		assert_int_equal(arg->bytes[p * (GAP + 8) + 151], (p + 151) & 0xff);
	}
	assert_int_equal(arg->bytes[BYTES - 5], 0x5a);
	launch_case_free(work);
	text_release(&argument);
	text_release(&skip);
}

static void test_capture_as_fill(void **state)
{
	static const size_t numbers[] = {0, 7, 8};
	struct folder *folder = *state;
	char *path = xasprintf("%s/a.capture", folder->path);
	struct text skip = TEXT_INIT;
	struct launch_case *work;

	folder_write(folder, "a.capture", "");
	work = case_of(folder,
		       "// perflab: buffer m0: u8[16] in capture \"a.capture\" 0\n"
		       "// perflab: buffer m7: u8[3] inout capture \"a.capture\" 7\n"
		       "// perflab: symbol table: u8[8] inout capture \"a.capture\" 8\n"
		       "// perflab: launch k<<<1, 1>>>(x, y)\n",
		       &skip);
	/* The kernel may find the memory of a capture without an argument. */
	assert_non_null(work);
	assert_int_equal(work->buffer_count, 5);
	for (size_t b = 2; b < 5; b++) {
		assert_int_equal(work->buffers[b].fill, FILL_CAPTURE);
		assert_int_equal(work->buffers[b].fill_index, numbers[b - 2]);
		assert_string_equal(work->buffers[b].fill_file, path);
		assert_int_equal(work->buffers[b].role, b == 2 ? BUFFER_IN : BUFFER_INOUT);
	}
	launch_case_free(work);
	text_release(&skip);
	free(path);
}

static void test_a_result_that_only_memory_points_to(void **state)
{
	struct folder *folder = *state;

	folder_write(folder, "a.capture", "");
	folder_write(folder, "k.cu",
		     "// perflab: buffer m0: u8[16] in capture \"a.capture\" 0\n"
		     "// perflab: buffer m1: u8[16] inout capture \"a.capture\" 1\n"
		     "// perflab: launch k<<<1, 1>>>(m0)\n"
		     "// perflab: verify m1 from \"a.capture\"\n");
	folder_kernel(folder, FILES("k.cu"));
}

static const struct kernel_buffer *buffer_of(const struct kernel *kernel, size_t variant,
					     const char *name)
{
	const struct kernel_variant *of = &kernel->variants[variant];
	const struct kernel_buffer *buffers = of->buffers ? of->buffers : kernel->buffers;
	size_t count = of->buffers ? of->buffer_count : kernel->buffer_count;

	for (size_t b = 0; b < count; b++)
		if (!strcmp(buffers[b].name, name))
			return &buffers[b];
	fail_msg("no buffer %s", name);
	return NULL;
}

/* The line of the variant counts, then that of the file. The tolerance follows the type. */
static void test_comparisons(void **state)
{
	struct folder *folder = *state;
	static const char *const given[] = {"compare z as bf16"};
	const struct kernel_file_options options = {.lines = given, .line_count = 1};
	const struct kernel *kernel;

	folder_write(folder, "k.cu",
		     BEGINNING "// perflab: buffer z: u8[64] out\n"
			       "// perflab: compare y as f32\n"
			       "// perflab: compare z as f64\n"
			       "// perflab: variant a\n"
			       "// perflab: launch k<<<1, 1>>>(x, y, z)\n"
			       "// perflab: variant b\n"
			       "// perflab: compare y as i64\n"
			       "// perflab: launch k<<<1, 2>>>(x, y, z)\n");
	kernel = folder_kernel(folder, FILES("k.cu"));
	assert_false(buffer_of(kernel, 0, "x")->has_compared);
	assert_true(buffer_of(kernel, 0, "y")->has_compared);
	assert_int_equal(buffer_of(kernel, 0, "y")->compared, ELEMENT_F32);
	assert_int_equal(buffer_of(kernel, 1, "y")->compared, ELEMENT_I64);
	assert_int_equal(buffer_of(kernel, 1, "z")->compared, ELEMENT_F64);
	assert_true(kernel->tolerance_rel == 1e-5);
	if (folder_read(folder, &options, FILES("k.cu")))
		fail_msg("%s", folder->err.text);
	kernel = kernel_file_kernel(folder->file);
	assert_int_equal(buffer_of(kernel, 1, "z")->compared, ELEMENT_BF16);
	assert_int_equal(buffer_of(kernel, 0, "y")->compared, ELEMENT_F32);
	assert_true(kernel->tolerance_rel == 1e-2);
}

/* A length that depends on an axis shows only in the case. */
static void test_a_length_that_does_not_divide(void **state)
{
	struct text skip = TEXT_INIT;

	assert_null(case_of(*state,
			    "// perflab: buffer z: u8[n + 2] out\n"
			    "// perflab: compare z as f32\n"
			    "// perflab: launch k<<<1, 1>>>(z)\n",
			    &skip));
	assert_string_equal(skip.data, "the 102 bytes of \"z\" are no multiple of the 4 of an "
				       "element of type f32, as which they are compared");
	text_release(&skip);
}

static void test_carveout(void **state)
{
	struct text skip = TEXT_INIT;
	struct launch_case *work = case_of(*state,
					   "// perflab: variant two\n"
					   "// perflab: launch k<<<8, 1>>>(x) repeat 2 carveout(n "
					   "/ 2) cluster(2) cooperative\n"
					   "// perflab: launch k<<<8, 1>>>(y)\n",
					   &skip);

	assert_non_null(work);
	assert_int_equal(work->launch_count, 3);
	assert_true(work->launches[1].has_carveout);
	assert_int_equal(work->launches[1].carveout, 50);
	assert_int_equal(work->launches[1].cluster[0], 2);
	assert_true(work->launches[1].cooperative);
	assert_false(work->launches[2].has_carveout);
	launch_case_free(work);
	text_release(&skip);
}

static void test_refused(void **state)
{
	struct folder *folder = *state;
	static const struct {
		const char *line, *why;
	} rows[] = {
		{"launch k<<<1, 1>>>(x * 2)", "\"x\" is a buffer"},
		{"launch k<<<1, 1>>>((x + 1) * 2)", "\"x\" is a buffer"},
		{"launch k<<<1, 1>>>(x + 1 == 2)", "\"x\" is a buffer"},
		{"launch k<<<1, 1>>>((x + 1) + 1 < 2)", "\"x\" is a buffer"},
		{"launch k<<<1, 1>>>(4 + x)", "\"x\" is a buffer"},
		{"launch k<<<1, 1>>>(x + y)", "\"y\" is a buffer"},
		{"launch k<<<1, 1>>>(x + m)", "no axis or device limit is named \"m\""},
		{"launch k<<<1, 1>>>(x - 1)", "argument 1 is -1; it must be at least 0"},
		{"launch k<<<1, 1>>>(x + )", "argument 1: expression \"0 +\""},
		{"launch k<<<1, 1>>>(u64(x + 1))", "\"x\" is a buffer"},
		{"launch k<<<1, 1>>>(x) carveout", "carveout(PERCENT) expected"},
		{"launch k<<<1, 1>>>(x) carveout()", "carveout() has no number"},
		{"launch k<<<1, 1>>>(x) carveout(101)",
		 "the carveout is 101; it must be at most 100"},
		{"launch k<<<1, 1>>>(x) carveout(m)", "the carveout: no axis or device limit"},
		{"launch k<<<1, 1>>>(x) carveout(1) carveout(2)",
		 "should end before \"carveout(2)\""},
		{"buffer z: u8[4] in capture", "the path of the capture expected in double quotes"},
		{"buffer z: u8[4] in capture \"no.capture\" 1", "does not exist"},
		{"buffer z: u8[4] in capture \"a.capture\"",
		 "the number of a memory in the capture"},
		{"buffer z: u8[4] in capture \"a.capture\" -1", "found \"-1\""},
		{"buffer z: u8[4] in capture \"a.capture\" 4294967296", "the number of a memory"},
		{"buffer z: u8[4] in capture \"a.capture\" 1.5", "should end before \".5\""},
		{"buffer z: u8[4] in capture \"a.capture\" 0 bits(3)", "is not random"},
		{"buffer z: u8[4] in captrue \"a.capture\" 0", "did you mean capture?"},
		{"compare", "the name of the result expected"},
		{"compare y", "write: compare y as f32"},
		{"compare y as", "an element type expected"},
		{"compare y as float", "unknown type \"float\""},
		{"compare y as f32 f64", "should end before \"f64\""},
		{"compare x as f32", "\"x\" has the role in, and only results"},
		{"compare q as f32", "no buffer is named \"q\""},
		{"compare odd as f16",
		 "the 7 bytes of \"odd\" are no multiple of the 2 of an element"},
	};

	folder_write(folder, "a.capture", "");
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char *text =
			xasprintf("// perflab: %s\n" BEGINNING "// perflab: buffer odd: u8[7] out\n"
				  "// perflab: launch k<<<1, 1>>>(x, y, odd)\n",
				  rows[i].line);

		folder_write(folder, "k.cu", text);
		folder_refused(folder, FILES("k.cu"), PL_EPARSE, "k.cu:1: ", rows[i].why);
		free(text);
	}
	folder_write(folder, "k.cu",
		     BEGINNING "// perflab: compare y as f32\n"
			       "// perflab: compare y as f64\n");
	folder_refused(folder, FILES("k.cu"), PL_EPARSE,
		       "k.cu:6: ", "the comparison of \"y\" is declared twice, first at k.cu:5");
}

#define WITH_FOLDER(test) cmocka_unit_test_setup_teardown(test, folder_setup, folder_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_FOLDER(test_addresses),
		WITH_FOLDER(test_addresses_by_let),
		WITH_FOLDER(test_addresses_outside_skip_the_case),
		WITH_FOLDER(test_a_large_struct),
		WITH_FOLDER(test_capture_as_fill),
		WITH_FOLDER(test_a_result_that_only_memory_points_to),
		WITH_FOLDER(test_comparisons),
		WITH_FOLDER(test_a_length_that_does_not_divide),
		WITH_FOLDER(test_carveout),
		WITH_FOLDER(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
