/* The descriptor that annotations of one file become, field by field. */
#include "tests/kernels/user/folder.h"

#include <string.h>

#include <stdlib.h>

static const char example[] =
	"// perflab: operation my-saxpy\n"
	"// perflab: summary y = 2 x + y\n"
	"#include <cstdio>\n"
	"//perflab: axis n = 2^20, 2^24 \"elements\"   // perflab: axis block = 64..1024\n"
	"// perflab: define ITEMS = 1, 2, 4\n"
	"// perflab: buffer x: f32[n] in uniform(-2, 3)\n"
	"// perflab: buffer y: f32[n] inout normal(0.5, 2)\n"
	"// perflab: buffer z: f16[2 * n] out\n"
	"// perflab: buffer tmp: bytes[ceil_div(n, block)] scratch\n"
	"// perflab: symbol lab :: table: i16[256] permutation\n"
	"// perflab: symbol _ZN2cv4cuda6device13crot_matricesE: f32[4]\n"
	"// perflab: skip \"ITEMS must \\\"divide\\\" n\" unless n % ITEMS == 0\n"
	"// perflab: skip \"too large\" if n > l2_bytes\n"
	"// perflab: work flop = 2 * n, read = max(8 * n, 1), write = 4 * n, precision = bf16\n"
	"// perflab: tolerance abs = 1e-6\n"
	"// perflab: flags -Iinclude -DTEXT=\"a b\" --use_fast_math -I other -I/opt\n"
	"// perflab: standard c++20\n"
	"// perflab: compiler nvcc\n"
	"template <class T, int N> __global__ void k(T *x);\n"
	"// perflab: variant fast  \r\n"
	"// perflab: summary uses shared memory\n"
	"// perflab: needs sm_90\n"
	"// perflab: launch prepare<<<1, 32>>>(z)\n"
	"// perflab: launch my::k<float, 4><<<(ceil_div(n, block), 2), dim3(block, 1, 1), \\\n"
	"// perflab:   4 * block>>>(x, y, n, n + i, 2.0f, -1e-3, f64(.5), u8(7), bytes(00 Ff), \\\n"
	"// perflab:   nullptr) repeat ITEMS + 1 cluster(2, 1) cooperative\n"
	"// perflab: verify slow<<<n, 1>>>(x, y, z)\n"
	"// perflab: verify slow2<<<n, 1>>>(z) repeat 2\n"
	"int main() { printf(\"// perflab: nothing\"); }\n"
	"// // perflab: axis removed = 1\n";

static const struct kernel *read_example(struct folder *folder)
{
	folder_write(folder, "saxpy.cu", example);
	return folder_kernel(folder, FILES("saxpy.cu"));
}

static void test_operation_and_axes(void **state)
{
	const struct kernel *kernel = read_example(*state);

	assert_string_equal(kernel->name, "my-saxpy");
	assert_string_equal(kernel->summary, "y = 2 x + y");
	assert_false(kernel->on_request);
	assert_null(kernel->oracle);
	assert_int_equal(kernel->axis_count, 3);
	assert_string_equal(kernel->axes[0].name, "n");
	assert_string_equal(kernel->axes[0].values, "2^20, 2^24");
	assert_string_equal(kernel->axes[0].meaning, "elements");
	assert_false(kernel->axes[0].define);
	assert_string_equal(kernel->axes[1].name, "block");
	assert_string_equal(kernel->axes[1].values, "64..1024");
	assert_string_equal(kernel->axes[2].name, "ITEMS");
	assert_true(kernel->axes[2].define);
}

static void test_buffers(void **state)
{
	const struct kernel *kernel = read_example(*state);
	static const struct kernel_buffer expected[] = {
		{"x", ELEMENT_F32, "n", BUFFER_IN, FILL_UNIFORM, -2, 3, .fill_bits = "24"},
		{"y", ELEMENT_F32, "n", BUFFER_INOUT, FILL_NORMAL, 0.5, .fill_high = 2},
		{"z", ELEMENT_F16, "2 * n", .role = BUFFER_OUT},
		{"tmp", ELEMENT_U8, "ceil_div(n, block)", .role = BUFFER_SCRATCH},
		{"table", ELEMENT_I16, "256", BUFFER_IN, FILL_PERMUTATION, .symbol = "lab::table"},
		{"crot_matrices", ELEMENT_F32, "4", BUFFER_IN, FILL_UNIFORM, -1, 1,
		 .fill_bits = "24", .symbol = "_ZN2cv4cuda6device13crot_matricesE"},
	};

	assert_int_equal(kernel->buffer_count, ARRAY_SIZE(expected));
	for (size_t i = 0; i < ARRAY_SIZE(expected); i++) {
		const struct kernel_buffer *got = &kernel->buffers[i], *want = &expected[i];

		assert_string_equal(got->name, want->name);
		assert_int_equal(got->type, want->type);
		assert_string_equal(got->length, want->length);
		assert_int_equal(got->role, want->role);
		assert_int_equal(got->fill, want->fill);
		assert_true(got->fill_low == want->fill_low && got->fill_high == want->fill_high);
		assert_null(got->fill_file);
		assert_true(!got->fill_bits == !want->fill_bits);
		assert_true(!got->symbol == !want->symbol);
		if (want->symbol)
			assert_string_equal(got->symbol, want->symbol);
	}
}

static void test_constraints_work_tolerance(void **state)
{
	const struct kernel *kernel = read_example(*state);
	const struct kernel_variant *variant = &kernel->variants[0];

	assert_int_equal(kernel->constraint_count, 2);
	assert_string_equal(kernel->constraints[0].reason, "ITEMS must \"divide\" n");
	assert_string_equal(kernel->constraints[0].holds, "n % ITEMS == 0");
	assert_string_equal(kernel->constraints[1].reason, "too large");
	assert_string_equal(kernel->constraints[1].holds, "!(n > l2_bytes)");
	assert_string_equal(kernel->work.flop, "2 * n");
	assert_string_equal(kernel->work.bytes_read, "max(8 * n, 1)");
	assert_string_equal(kernel->work.bytes_written, "4 * n");
	/* z is f16, so the relative tolerance that the file leaves out is that of f16 */
	assert_true(kernel->tolerance_abs == 1e-6 && kernel->tolerance_rel == 1e-2);
	assert_int_equal(variant->constraint_count, 1);
	assert_string_equal(variant->constraints[0].holds, "compute_capability >= 90");
	assert_null(variant->work);
	assert_null(variant->tolerance);
	assert_null(variant->buffers);
	assert_int_equal(variant->axis_count, 0);
}

static void test_launches(void **state)
{
	const struct kernel *kernel = read_example(*state);
	const struct kernel_variant *variant = &kernel->variants[0];
	const struct kernel_launch *launch;
	static const struct kernel_arg args[] = {
		{.kind = ARG_BUFFER, .value = "x"},   {.kind = ARG_BUFFER, .value = "y"},
		{.kind = ARG_INTEGER, .value = "n"},  {.kind = ARG_INTEGER, .value = "n + i"},
		{.kind = ARG_REAL, .value = "2.0"},   {.kind = ARG_REAL, .value = "-1e-3"},
		{.kind = ARG_F64, .value = "0.5"},    {.kind = ARG_U8, .value = "7"},
		{.kind = ARG_BYTES, .value = "00ff"}, {.kind = ARG_U64, .value = "0"},
	};

	assert_int_equal(kernel->variant_count, 1);
	assert_string_equal(variant->name, "fast");
	assert_string_equal(variant->lesson, "uses shared memory");
	assert_int_equal(variant->launch_count, 2);
	launch = &variant->launches[0];
	assert_string_equal(launch->entry, "prepare");
	assert_string_equal(launch->grid[0], "1");
	assert_null(launch->grid[1]);
	assert_string_equal(launch->block[0], "32");
	assert_null(launch->shared_bytes);
	assert_null(launch->repeat);
	assert_false(launch->cooperative);
	assert_int_equal(launch->arg_count, 1);
	launch = &variant->launches[1];
	assert_string_equal(launch->entry, "my::k<float, 4>");
	assert_null(launch->library);
	assert_string_equal(launch->grid[0], "ceil_div(n, block)");
	assert_string_equal(launch->grid[1], "2");
	assert_null(launch->grid[2]);
	assert_string_equal(launch->block[0], "block");
	assert_string_equal(launch->block[2], "1");
	assert_string_equal(launch->shared_bytes, "4 * block");
	assert_string_equal(launch->repeat, "ITEMS + 1");
	assert_string_equal(launch->cluster[0], "2");
	assert_string_equal(launch->cluster[1], "1");
	assert_null(launch->cluster[2]);
	assert_true(launch->cooperative);
	assert_int_equal(launch->arg_count, ARRAY_SIZE(args));
	for (size_t i = 0; i < ARRAY_SIZE(args); i++) {
		assert_int_equal(launch->args[i].kind, args[i].kind);
		assert_string_equal(launch->args[i].value, args[i].value);
	}
}

static void test_source_and_check(void **state)
{
	struct folder *folder = *state;
	const struct kernel_variant *variant = &read_example(folder)->variants[0];
	const struct kernel_source *source = variant->source;
	char *include = xasprintf("-I%s/include", folder->path);
	char *other = xasprintf("%s/other", folder->path);
	char *path = xasprintf("%s/saxpy.cu", folder->path);
	const char *const flags[] = {include, "-DTEXT=a b", "--use_fast_math",
				     "-I",    other,        "-I/opt"};

	assert_string_equal(source->path, path);
	assert_string_equal(source->standard, "c++20");
	assert_string_equal(source->compiler, "nvcc");
	assert_int_equal(source->flag_count, ARRAY_SIZE(flags));
	for (size_t i = 0; i < ARRAY_SIZE(flags); i++)
		assert_string_equal(source->flags[i], flags[i]);
	assert_int_equal(variant->check->kind, CHECK_LAUNCHES);
	assert_null(variant->check->source);
	assert_int_equal(variant->check->launch_count, 2);
	assert_string_equal(variant->check->launches[0].entry, "slow");
	assert_int_equal(variant->check->launches[0].args[2].kind, ARG_BUFFER);
	assert_string_equal(variant->check->launches[1].entry, "slow2");
	assert_string_equal(variant->check->launches[1].repeat, "2");
	free(include);
	free(other);
	free(path);
}

/* Without a fill, inputs get full entropy. */
static void test_default_fills(void **state)
{
	struct folder *folder = *state;
	static const struct {
		const char *type;
		double low, high;
		const char *bits;
	} cases[] = {
		{"f32", -1, 1, "24"},           {"f64", -1, 1, "53"},
		{"bf16", -1, 1, "8"},           {"i8", -128, 128, NULL},
		{"u8", 0, 256, NULL},           {"bytes", 0, 256, NULL},
		{"i32", -0x1p31, 0x1p31, NULL}, {"u32", 0, 0x1p32, NULL},
		{"i64", -0x1p63, 0x1p63, NULL}, {"u64", 0, 0x1p64, NULL},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char *text =
			xasprintf("// perflab: buffer x: %s[1] in\n"
				  "// perflab: launch k<<<1, 1>>>(x)\n// perflab: verify none\n",
				  cases[i].type);
		const struct kernel_buffer *buffer;

		folder_write(folder, "k.cu", text);
		free(text);
		buffer = &folder_kernel(folder, FILES("k.cu"))->buffers[0];
		assert_int_equal(buffer->fill, FILL_UNIFORM);
		assert_true(buffer->fill_low == cases[i].low);
		assert_true(buffer->fill_high == cases[i].high);
		assert_true(!buffer->fill_bits == !cases[i].bits);
		if (cases[i].bits)
			assert_string_equal(buffer->fill_bits, cases[i].bits);
	}
}

/* Which bits of random values are random; it follows a fill or stands alone. */
static void test_fill_bits(void **state)
{
	static const struct {
		const char *fill, *bits;
	} rows[] = {
		{"bits(8)", "8"},
		{"uniform(0, 2) bits(24 - m)", "24 - m"},
		{"normal(0, 1) bits(min(m, 24))", "min(m, 24)"},
		{"normal(0, 1)", NULL},
		{"uniform(0, 2)", "24"},
		{"constant(2)", NULL},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char *text = xasprintf("// perflab: axis m = 0, 8\n"
				       "// perflab: buffer x: f32[1] in %s\n"
				       "// perflab: launch k<<<1, 1>>>(x)\n"
				       "// perflab: verify none\n",
				       rows[i].fill);
		const char *bits;

		folder_write(*state, "k.cu", text);
		free(text);
		bits = folder_kernel(*state, FILES("k.cu"))->buffers[0].fill_bits;
		assert_true(!bits == !rows[i].bits);
		if (bits)
			assert_string_equal(bits, rows[i].bits);
	}
}

static void test_written_fills(void **state)
{
	struct folder *folder = *state;
	const struct kernel_buffer *b;
	char *path = xasprintf("%s/x.npy", folder->path);

	folder_write(folder, "x.npy", "");
	folder_write(folder, "k.cu",
		     "// perflab: buffer a: u8[1] in integers(0, 255)\n"
		     "// perflab: buffer b: f32[1] in constant(-1.5)\n"
		     "// perflab: buffer c: i32[1] in index\n"
		     "// perflab: buffer d: f32[1] inout file \"x.npy\"\n"
		     "// perflab: axis n = 0, 8\n"
		     "// perflab: buffer e: f16[1] in integers(-1, min(n, 4) - 1) bits(3)\n"
		     "// perflab: buffer f: i64[n + 1] in = i < n ? 8 * i : random(0, n)\n"
		     "// perflab: symbol g: f32[4]=1.0 / (i + sm_count)\n"
		     "// perflab: launch k<<<1, 1>>>(a, b, c, d)\n// perflab: verify none\n");
	b = folder_kernel(folder, FILES("k.cu"))->buffers;
	assert_int_equal(b[0].fill, FILL_INTEGERS);
	assert_true(b[0].fill_low == 0 && b[0].fill_high == 255);
	assert_null(b[0].fill_numbers[0]);
	assert_int_equal(b[1].fill, FILL_CONSTANT);
	assert_true(b[1].fill_low == -1.5);
	assert_int_equal(b[2].fill, FILL_INDEX);
	assert_int_equal(b[3].fill, FILL_FILE);
	assert_string_equal(b[3].fill_file, path);
	assert_int_equal(b[4].fill, FILL_INTEGERS);
	assert_true(b[4].fill_low == -1);
	assert_null(b[4].fill_numbers[0]);
	assert_string_equal(b[4].fill_numbers[1], "min(n, 4) - 1");
	assert_string_equal(b[4].fill_bits, "3");
	assert_int_equal(b[5].fill, FILL_EXPRESSION);
	assert_string_equal(b[5].fill_expression, "i < n ? 8 * i : random(0, n)");
	assert_string_equal(b[6].symbol, "g");
	assert_string_equal(b[6].fill_expression, "1.0 / (i + sm_count)");
	free(path);
}

static const struct kernel_check *read_check(struct folder *folder, const char *lines)
{
	char *text = xasprintf("// perflab: buffer x: f32[4] in\n// perflab: buffer y: f32[4] out\n"
			       "// perflab: launch k<<<1, 1>>>(x, y)\n%s",
			       lines);

	folder_write(folder, "k.cu", text);
	free(text);
	return folder_kernel(folder, FILES("k.cu"))->variants[0].check;
}

static void test_checks(void **state)
{
	struct folder *folder = *state;
	const struct kernel_check *check;
	char *npy = xasprintf("%s/y.npy", folder->path);
	char *other = xasprintf("%s/other.cu", folder->path);

	folder_write(folder, "y.npy", "");
	folder_write(folder, "other.cu", "");
	check = read_check(folder, "// perflab: verify y = 2*x[i] == 3\n");
	assert_int_equal(check->kind, CHECK_EXPRESSION);
	assert_int_equal(check->item_count, 1);
	assert_string_equal(check->items[0].buffer, "y");
	assert_string_equal(check->items[0].text, "2*x[i] == 3");
	check = read_check(folder, "// perflab: verify y from \"y.npy\"\n");
	assert_int_equal(check->kind, CHECK_FILE);
	assert_string_equal(check->items[0].text, npy);
	check = read_check(folder, "// perflab: verify by ./check.py --url http://x  \n");
	assert_int_equal(check->kind, CHECK_COMMAND);
	assert_string_equal(check->command, "./check.py --url http://x");
	check = read_check(folder, "// perflab: verify none\n");
	assert_int_equal(check->kind, CHECK_NONE);
	check = read_check(folder, "// perflab: flags -O1\n"
				   "// perflab: verify r<<<1, 1>>>(x, y) from \"other.cu\"\n");
	assert_int_equal(check->kind, CHECK_LAUNCHES);
	assert_string_equal(check->source->path, other);
	assert_string_equal(check->source->flags[0], "-O1");
	/* single results besides those that a reference decides */
	folder_write(folder, "k.cu",
		     "// perflab: buffer y: f32[1] out\n// perflab: buffer z: f32[1] out\n"
		     "// perflab: launch k<<<1, 1>>>(y, z)\n"
		     "// perflab: verify z from \"y.npy\"\n// perflab: verify y = 1\n");
	check = folder_kernel(folder, FILES("k.cu"))->variants[0].check;
	assert_int_equal(check->kind, CHECK_EXPRESSION);
	assert_true(check->items[0].is_file && !check->items[1].is_file);
	check = read_check(folder, "// perflab: verify y = 1\n"
				   "// perflab: verify r<<<1, 1>>>(x, y) from \"other.cu\"\n");
	assert_int_equal(check->kind, CHECK_LAUNCHES);
	assert_int_equal(check->item_count, 1);
	assert_int_equal(check->launch_count, 1);
	assert_string_equal(check->source->path, other);
	check = read_check(folder, "// perflab: verify y from \"y.npy\"\n"
				   "// perflab: verify by ./check.py\n");
	assert_int_equal(check->kind, CHECK_COMMAND);
	assert_true(check->items[0].is_file);
	free(npy);
	free(other);
}

/* Blanks around the backslashes and lines with nothing else are one blank. */
static void test_continued_expression(void **state)
{
	struct folder *folder = *state;

	folder_write(folder, "k.cu",
		     "// perflab: buffer y: f32[4] out\n"
		     "// perflab: launch k<<<1, 1>>>(y)\n"
		     "// perflab: verify y = 1 + \t\\\n"
		     "// perflab: \\\n"
		     "// perflab:\t  2\\\n"
		     "// perflab: * i\n");
	assert_string_equal(folder_kernel(folder, FILES("k.cu"))->variants[0].check->items[0].text,
			    "1 + 2 * i");
}

static void test_default_tolerance(void **state)
{
	struct folder *folder = *state;
	static const struct {
		const char *types[2];
		double rel;
	} cases[] = {
		{{"f32", "i32"}, 1e-5}, {{"f64", "f64"}, 1e-5}, {{"f32", "bf16"}, 1e-2},
		{{"f16", "u8"}, 1e-2},  {{"tf32", "u8"}, 1e-2}, {{"i32", "u64"}, 0},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char *text = xasprintf("// perflab: buffer a: f16[1] in\n"
				       "// perflab: buffer y: %s[1] out\n"
				       "// perflab: buffer z: %s[1] inout\n"
				       "// perflab: launch k<<<1, 1>>>(a, y, z)\n"
				       "// perflab: verify none\n",
				       cases[i].types[0], cases[i].types[1]);
		const struct kernel *kernel;

		folder_write(folder, "k.cu", text);
		free(text);
		kernel = folder_kernel(folder, FILES("k.cu"));
		assert_true(kernel->tolerance_abs == 0);
		assert_true(kernel->tolerance_rel == cases[i].rel);
	}
}

/* A launch of an instance can have a longer name than a variant. */
static void test_long_entries(void **state)
{
	static const char entry[] =
		"a23456789012345678901234567890123456789012345678901234567890123<float, %d>";
	char *one = xasprintf(entry, 1), *two = xasprintf(entry, 2);
	char *text = xasprintf("// perflab: buffer y: f32[1] out\n"
			       "// perflab: launch %s<<<1, 1>>>(y)\n"
			       "// perflab: launch %s<<<1, 1>>>(y)\n"
			       "// perflab: verify none\n",
			       one, two);
	const struct kernel *kernel;

	folder_write(*state, "k.cu", text);
	kernel = folder_kernel(*state, FILES("k.cu"));
	assert_int_equal(kernel->variant_count, 2);
	assert_string_equal(kernel->variants[1].launches[0].entry, two);
	for (size_t v = 0; v < 2; v++) {
		assert_int_equal(strlen(kernel->variants[v].name), 63);
		assert_memory_equal(kernel->variants[v].name, entry, 54);
	}
	assert_string_not_equal(kernel->variants[0].name, kernel->variants[1].name);
	free(text);
	free(one);
	free(two);
}

/* The rest of perflab takes the descriptor as that of a built-in kernel. */
static void test_resolves(void **state)
{
	const struct kernel *kernel = read_example(*state);
	static const struct axis_value axes[] = {{"n", 4096}, {"block", 64}, {"ITEMS", 2}};
	struct device_limits limits = device_limits_minimum;
	struct launch_case *work = NULL;
	struct text skip = TEXT_INIT;
	struct error err = {0};

	limits.compute_capability = 90;
	if (kernel_resolve(&work, &skip, kernel, &kernel->variants[0], axes, ARRAY_SIZE(axes),
			   &limits, &err) ||
	    !work)
		fail_msg("%s%s", err.text, skip.data);
	assert_int_equal(work->launch_count, 4); /* prepare, and ITEMS + 1 repeats */
	assert_int_equal(work->launches[1].grid[0], 64);
	assert_int_equal(work->launches[3].args[3].integer, 4096 + 2);
	assert_int_equal(work->check.kind, CHECK_LAUNCHES);
	assert_string_equal(work->precision, "bf16");
	launch_case_free(work);
	text_release(&skip);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_operation_and_axes, folder_setup,
						folder_teardown),
		cmocka_unit_test_setup_teardown(test_buffers, folder_setup, folder_teardown),
		cmocka_unit_test_setup_teardown(test_constraints_work_tolerance, folder_setup,
						folder_teardown),
		cmocka_unit_test_setup_teardown(test_launches, folder_setup, folder_teardown),
		cmocka_unit_test_setup_teardown(test_source_and_check, folder_setup,
						folder_teardown),
		cmocka_unit_test_setup_teardown(test_default_fills, folder_setup, folder_teardown),
		cmocka_unit_test_setup_teardown(test_fill_bits, folder_setup, folder_teardown),
		cmocka_unit_test_setup_teardown(test_written_fills, folder_setup, folder_teardown),
		cmocka_unit_test_setup_teardown(test_resolves, folder_setup, folder_teardown),
		cmocka_unit_test_setup_teardown(test_long_entries, folder_setup, folder_teardown),
		cmocka_unit_test_setup_teardown(test_checks, folder_setup, folder_teardown),
		cmocka_unit_test_setup_teardown(test_continued_expression, folder_setup,
						folder_teardown),
		cmocka_unit_test_setup_teardown(test_default_tolerance, folder_setup,
						folder_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
