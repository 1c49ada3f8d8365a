/* What only kernels of users have: every kind of argument, clusters, symbols and files. */
#include "tests/kernels/resolve_support.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* The case of one launch with one argument; NULL: refused, and *err says why. */
static struct launch_case *resolve_arg_of(enum arg_kind kind, const char *value, struct error *err)
{
	const struct kernel_arg arg = {.kind = kind, .value = value};
	const struct kernel_launch launch = {.entry = "k", .args = &arg, .arg_count = 1};
	const struct kernel_variant variant = {
		.name = "own", .launches = &launch, .launch_count = 1};
	struct launch_case *work = NULL;
	struct text skip = TEXT_INIT;
	int rc = resolve_own(&work, &skip, &variant, err);

	assert_int_equal(skip.length, 0);
	assert_int_equal(rc, work ? 0 : PL_EUSAGE);
	return work;
}

static void refuses_arg(enum arg_kind kind, const char *value, const char *says)
{
	struct error err = {0};

	if (resolve_arg_of(kind, value, &err))
		fail_msg("%s %s was accepted", arg_kind_name(kind), value);
	if (!strstr(err.text, says))
		fail_msg("%s %s: %s", arg_kind_name(kind), value, err.text);
}

static void test_integers_fit_their_type(void **state)
{
	static const struct {
		enum arg_kind kind;
		const char *low, *high, *below, *above; /* NULL: an expression has no such value */
		int64_t least, most;
	} rows[] = {
		{ARG_I8, "-128", "127", "-129", "128", INT8_MIN, INT8_MAX},
		{ARG_U8, "0", "255", "-1", "256", 0, UINT8_MAX},
		{ARG_I16, "-32768", "32767", "-32769", "32768", INT16_MIN, INT16_MAX},
		{ARG_U16, "0", "65535", "-1", "65536", 0, UINT16_MAX},
		{ARG_I32, "-pow2(31)", "pow2(31) - 1", "-pow2(31) - 1", "pow2(31)", INT32_MIN,
		 INT32_MAX},
		{ARG_U32, "0", "pow2(32) - 1", "-1", "pow2(32)", 0, UINT32_MAX},
		{ARG_I64, "-9223372036854775807 - 1", "9223372036854775807", NULL, NULL, INT64_MIN,
		 INT64_MAX},
		{ARG_U64, "0", "9223372036854775807", "-1", NULL, 0, INT64_MAX},
		{ARG_INTEGER, "-9223372036854775807 - 1", "9223372036854775807", NULL, NULL,
		 INT64_MIN, INT64_MAX},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const char *const values[] = {rows[i].low, rows[i].high};
		const char *const refused[] = {rows[i].below, rows[i].above};
		const int64_t numbers[] = {rows[i].least, rows[i].most};

		for (size_t v = 0; v < 2; v++) {
			struct error err = {0};
			struct launch_case *work = resolve_arg_of(rows[i].kind, values[v], &err);

			if (!work)
				fail_msg("%s", err.text);
			assert_int_equal(work->launches[0].args[0].kind, rows[i].kind);
			assert_true(work->launches[0].args[0].integer == numbers[v]);
			launch_case_free(work);
			if (refused[v])
				refuses_arg(rows[i].kind, refused[v], "does not fit");
		}
	}
	refuses_arg(ARG_INTEGER, "1.5", "1.5");
	refuses_arg(ARG_U8, "colour", "colour");
}

/* A decimal literal, or an expression over the axes: n is 1000. */
static void test_reals_fit_their_type(void **state)
{
	static const struct {
		enum arg_kind kind;
		const char *fits, *refused;
		double value;
	} rows[] = {
		{ARG_F16, "65504", "65505", 65504}, {ARG_F16, "-65504", "-1e5", -65504},
		{ARG_BF16, "1e38", "1e39", 1e38},   {ARG_F32, "3.4e38", "3.5e38", 3.4e38},
		{ARG_F64, "-1e300", "pi", -1e300},  {ARG_F64, "0.1", "nan", 0.1},
		{ARG_REAL, "1e300", "inf", 1e300},  {ARG_F32, "n / 3", "n +", 333},
		{ARG_REAL, "2 * n", "m", 2000},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct error err = {0};
		struct launch_case *work = resolve_arg_of(rows[i].kind, rows[i].fits, &err);

		if (!work)
			fail_msg("%s", err.text);
		assert_int_equal(work->launches[0].args[0].kind, rows[i].kind);
		assert_true(work->launches[0].args[0].real == rows[i].value);
		launch_case_free(work);
		refuses_arg(rows[i].kind, rows[i].refused, rows[i].refused);
	}
}

static void test_structs_by_value(void **state)
{
	static const unsigned char bytes[] = {0x00, 0x9f, 0xAB, 0xcd, 0xff};
	struct error err = {0};
	struct launch_case *work = resolve_arg_of(ARG_BYTES, "009fABcdff", &err);

	(void)state;
	if (!work)
		fail_msg("%s", err.text);
	assert_int_equal(work->launches[0].args[0].integer, sizeof(bytes));
	assert_memory_equal(work->launches[0].args[0].bytes, bytes, sizeof(bytes));
	assert_int_equal(case_arg_bytes(&work->launches[0].args[0]), sizeof(bytes));
	launch_case_free(work);
	refuses_arg(ARG_BYTES, "", "two hex digits per byte");
	refuses_arg(ARG_BYTES, "abc", "two hex digits per byte");
	refuses_arg(ARG_BYTES, "0g", "two hex digits per byte");
	refuses_arg(ARG_BYTES, "0\x11", "two hex digits per byte");
	refuses_arg(ARG_BYTES, "@0", "two hex digits per byte");
	refuses_arg(ARG_BYTES, "0x10", "two hex digits per byte");
	refuses_arg(ARG_BYTES, "1 ", "two hex digits per byte");
}

/* The bytes that a kernel gets for each kind. */
static void test_sizes_of_arguments(void **state)
{
	static const size_t bytes[] = {
		[ARG_BUFFER] = 8, [ARG_I32] = 4,  [ARG_U32] = 4, [ARG_I64] = 8, [ARG_F32] = 4,
		[ARG_I8] = 1,     [ARG_U8] = 1,   [ARG_I16] = 2, [ARG_U16] = 2, [ARG_U64] = 8,
		[ARG_F16] = 2,    [ARG_BF16] = 2, [ARG_F64] = 8,
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bytes); i++)
		assert_int_equal(case_arg_bytes(&(struct case_arg){.kind = (enum arg_kind)i}),
				 bytes[i]);
}

static void test_many_arguments(void **state)
{
	char values[300][16];
	struct kernel_arg args[ARRAY_SIZE(values)];
	const struct kernel_launch launch = {
		.entry = "k", .args = args, .arg_count = ARRAY_SIZE(args)};
	const struct kernel_variant variant = {
		.name = "own", .launches = &launch, .launch_count = 1};
	struct launch_case *work;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(args); i++) {
		snprintf(values[i], sizeof(values[i]), "n + %zu", i);
		args[i] = (struct kernel_arg){.kind = ARG_I32, .value = values[i]};
	}
	args[299] = (struct kernel_arg){.kind = ARG_BUFFER, .value = "c"};
	work = must_resolve_own(&variant);
	assert_int_equal(work->launches[0].arg_count, 300);
	for (size_t i = 0; i < 299; i++)
		assert_int_equal(work->launches[0].args[i].integer, 1000 + i);
	assert_string_equal(work->buffers[work->launches[0].args[299].integer].name, "c");
	launch_case_free(work);
}

/* Template instances have names of any length. */
static void test_long_entry(void **state)
{
	char entry[3000];
	const struct kernel_launch launch = {.entry = entry};
	const struct kernel_variant variant = {
		.name = "own", .launches = &launch, .launch_count = 1};
	struct launch_case *work;

	(void)state;
	memset(entry, 'k', sizeof(entry) - 1);
	entry[sizeof(entry) - 1] = '\0';
	work = must_resolve_own(&variant);
	assert_string_equal(work->launches[0].entry, entry);
	launch_case_free(work);
}

static void test_clusters(void **state)
{
	static const struct {
		struct kernel_launch launch;
		int64_t cluster[3];
		const char *skips; /* NULL: it runs */
	} rows[] = {
		{{.entry = "k", .grid = {"16"}}, {1, 1, 1}, NULL},
		{{.entry = "k", .grid = {"16"}, .cluster = {"block / 16"}}, {4, 1, 1}, NULL},
		{{.entry = "k", .grid = {"6", "4", "2"}, .cluster = {"3", "2", "2"}},
		 {3, 2, 2},
		 NULL},
		{{.entry = "k", .grid = {"18"}, .cluster = {"4"}},
		 {0},
		 "18 blocks in x are no multiple of the 4 of a cluster"},
		{{.entry = "k", .grid = {"4", "3"}, .cluster = {"4", "2"}},
		 {0},
		 "3 blocks in y are no multiple of the 2 of a cluster"},
		{{.entry = "k", .cluster = {"1", "1", "2"}},
		 {0},
		 "1 blocks in z are no multiple of the 2 of a cluster"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct kernel_variant variant = {
			.name = "own", .launches = &rows[i].launch, .launch_count = 1};
		struct launch_case *work = NULL;
		struct text skip = TEXT_INIT;
		struct error err = {0};

		if (resolve_own(&work, &skip, &variant, &err))
			fail_msg("%s", err.text);
		assert_int_equal(!work, rows[i].skips != NULL);
		if (work)
			assert_memory_equal(work->launches[0].cluster, rows[i].cluster,
					    sizeof(rows[i].cluster));
		else
			assert_non_null(strstr(skip.data, rows[i].skips));
		launch_case_free(work);
		text_release(&skip);
	}
	must_refuse_own(
		&(struct kernel_variant){
			.name = "own",
			.launches = &(struct kernel_launch){.entry = "k", .cluster = {"n - n"}},
			.launch_count = 1},
		"cluster is 0 in x");
}

static void test_cooperative(void **state)
{
	const struct kernel_launch launches[] = {{.entry = "k", .cooperative = true},
						 {.entry = "k"}};
	const struct kernel_variant variant = {
		.name = "own", .launches = launches, .launch_count = 2};
	struct launch_case *work = must_resolve_own(&variant);

	(void)state;
	assert_true(work->launches[0].cooperative);
	assert_false(work->launches[1].cooperative);
	launch_case_free(work);
}

/* A variable of the image is content of the case, although no launch names it. */
static void test_symbols_and_files(void **state)
{
	const struct kernel_buffer buffers[] = {
		{.name = "weights",
		 .type = ELEMENT_F32,
		 .length = "9",
		 .role = BUFFER_IN,
		 .fill = FILL_FILE,
		 .fill_file = "/data/weights.npy",
		 .symbol = "filter"},
		{.name = "unused", .type = ELEMENT_I8, .length = "n", .role = BUFFER_IN},
		{.name = "y", .type = ELEMENT_U16, .length = "n", .role = BUFFER_OUT},
	};
	const struct kernel_launch launch = {.entry = "k"};
	const struct kernel_variant variant = {.name = "own",
					       .launches = &launch,
					       .launch_count = 1,
					       .buffers = buffers,
					       .buffer_count = ARRAY_SIZE(buffers)};
	struct launch_case *work = must_resolve_own(&variant);

	(void)state;
	assert_int_equal(work->buffer_count, 2);
	assert_string_equal(work->buffers[0].name, "weights");
	assert_string_equal(work->buffers[0].symbol, "filter");
	assert_string_equal(work->buffers[0].fill_file, "/data/weights.npy");
	assert_int_equal(work->buffers[0].fill, FILL_FILE);
	assert_string_equal(work->buffers[1].name, "y");
	assert_null(work->buffers[1].symbol);
	assert_null(work->buffers[1].fill_file);
	launch_case_free(work);
}

/* A built-in image has a name. A source of the user has an image once it is compiled. */
static void test_images(void **state)
{
	const struct kernel_source source = {.path = "/home/me/k.cu"};
	const struct kernel_launch launch = {.entry = "k"};
	struct kernel_variant variant = {.name = "own", .launches = &launch, .launch_count = 1};
	struct launch_case *work = must_resolve_own(&variant);

	(void)state;
	assert_string_equal(work->image, "stream/own");
	launch_case_free(work);
	variant.image = "stream/other";
	work = must_resolve_own(&variant);
	assert_string_equal(work->image, "stream/other");
	launch_case_free(work);
	variant.source = &source;
	work = must_resolve_own(&variant);
	assert_string_equal(work->image, "");
	launch_case_free(work);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_integers_fit_their_type),
		cmocka_unit_test(test_reals_fit_their_type),
		cmocka_unit_test(test_structs_by_value),
		cmocka_unit_test(test_sizes_of_arguments),
		cmocka_unit_test(test_many_arguments),
		cmocka_unit_test(test_long_entry),
		cmocka_unit_test(test_clusters),
		cmocka_unit_test(test_cooperative),
		cmocka_unit_test(test_symbols_and_files),
		cmocka_unit_test(test_images),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
