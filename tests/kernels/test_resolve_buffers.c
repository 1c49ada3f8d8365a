/* The buffers of users' kernels: which fills they may have, and how many they may be. */
#include "tests/kernels/resolve_support.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* An axis may give more bits than one of several types has: the other cases go on. */
static void test_fill_bits(void **state)
{
	static const struct {
		const char *bits;
		int resolved; /* -1: the case is skipped */
		const char *skips;
	} rows[] = {
		{"0", 0, NULL},
		{"n / 100 + 1", 11, NULL},
		{"n", -1, "bits(n) of the buffer \"x\" is 1000; a value of type f16 has 0 to 11 "},
		{"0 - n", -1, "is -1000; a value"},
		{"n * 9223372036854775807", -1, "overflows 64 bits"},
		{"n / 0", -1, "bits(n / 0) of the buffer \"x\": "},
	};
	const struct kernel_launch launch = {.entry = "k"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct kernel_buffer buffer = {.name = "x",
						     .type = ELEMENT_F16,
						     .length = "n",
						     .role = BUFFER_INOUT,
						     .fill = FILL_UNIFORM,
						     .fill_high = 1,
						     .fill_bits = rows[i].bits};
		const struct kernel_variant variant = {.name = "own",
						       .launches = &launch,
						       .launch_count = 1,
						       .buffers = &buffer,
						       .buffer_count = 1};
		struct launch_case *work = NULL;
		struct text skip = TEXT_INIT;
		struct error err = {0};

		if (resolve_own(&work, &skip, &variant, &err))
			fail_msg("%s", err.text);
		assert_int_equal(work ? work->buffers[0].fill_bits : -1, rows[i].resolved);
		assert_true(!work || work->buffers[0].has_fill_bits);
		if (rows[i].skips && !strstr(skip.data, rows[i].skips))
			fail_msg("%s", skip.data);
		text_release(&skip);
		launch_case_free(work);
	}
}

/* Numbers of a fill are those of the case; a fill that is impossible skips it. */
static void test_fill_numbers(void **state)
{
	static const struct {
		enum element_type type;
		enum buffer_fill fill;
		double low;
		const char *numbers[2];
		const char *skips; /* NULL: the case has `resolved`, `from` and `to` */
		enum buffer_fill resolved;
		double from, to;
	} rows[] = {
		{ELEMENT_I32,
		 FILL_INTEGERS,
		 0,
		 {"0 - n", "n - 1"},
		 NULL,
		 FILL_UNIFORM,
		 -1000,
		 1000},
		{ELEMENT_F32, FILL_INTEGERS, -2, {NULL, "n"}, NULL, FILL_INTEGERS, -2, 1000},
		{ELEMENT_F16,
		 FILL_INTEGERS,
		 0,
		 {"0 - 2048", "2048"},
		 NULL,
		 FILL_INTEGERS,
		 -2048,
		 2048},
		{ELEMENT_F32, FILL_UNIFORM, -0.5, {NULL, "n / 3"}, NULL, FILL_UNIFORM, -0.5, 333},
		{ELEMENT_U8, FILL_UNIFORM, 0, {NULL, "256"}, NULL, FILL_UNIFORM, 0, 256},
		{ELEMENT_F64, FILL_NORMAL, 0, {"n", "sm_count"}, NULL, FILL_NORMAL, 1000, 132},
		{ELEMENT_I8, FILL_CONSTANT, 0, {"n / 8 - 253"}, NULL, FILL_CONSTANT, -128, 0},
		{ELEMENT_I32,
		 FILL_INTEGERS,
		 0,
		 {NULL, "n - 1001"},
		 "the fill of the buffer \"x\" is integers(0, -1); it needs a <= b",
		 0,
		 0,
		 0},
		{ELEMENT_U8,
		 FILL_INTEGERS,
		 0,
		 {NULL, "n"},
		 "is integers(0, 1000), but u8 holds the integers 0 to 255",
		 0,
		 0,
		 0},
		{ELEMENT_U8,
		 FILL_INTEGERS,
		 0,
		 {"0 - n", "5"},
		 "integers(-1000, 5), but u8",
		 0,
		 0,
		 0},
		{ELEMENT_BF16,
		 FILL_INTEGERS,
		 0,
		 {NULL, "n"},
		 "bf16 holds the integers from -256 to 256 exactly",
		 0,
		 0,
		 0},
		{ELEMENT_BF16, FILL_INTEGERS, -257, {NULL, "5"}, "-256 to 256 exactly", 0, 0, 0},
		{ELEMENT_F32,
		 FILL_UNIFORM,
		 1000,
		 {NULL, "n"},
		 "uniform(1000, 1000); it needs a < b",
		 0,
		 0,
		 0},
		{ELEMENT_I32,
		 FILL_UNIFORM,
		 999,
		 {NULL, "n"},
		 "uniform(999, 1000), which is 999 in every element",
		 0,
		 0,
		 0},
		{ELEMENT_U8,
		 FILL_UNIFORM,
		 0,
		 {NULL, "257"},
		 "uniform(0, 257), but u8 holds",
		 0,
		 0,
		 0},
		{ELEMENT_F16, FILL_CONSTANT, 0, {"100 * n"}, "f16 holds -65504 to 65504", 0, 0, 0},
		{ELEMENT_F32,
		 FILL_NORMAL,
		 0,
		 {NULL, "n - 1000"},
		 "a standard deviation above 0",
		 0,
		 0,
		 0},
		{ELEMENT_I64,
		 FILL_CONSTANT,
		 0,
		 {"n * 9223372036854775807"},
		 "constant(n * 9223372036854775807) of the buffer \"x\": expression",
		 0,
		 0,
		 0},
		{ELEMENT_I64,
		 FILL_CONSTANT,
		 0,
		 {"9007199254740993"},
		 "from -2^53 to 2^53",
		 0,
		 0,
		 0},
	};
	const struct kernel_launch launch = {.entry = "k"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct kernel_buffer buffer = {
			.name = "x",
			.type = rows[i].type,
			.length = "n",
			.role = BUFFER_INOUT,
			.fill = rows[i].fill,
			.fill_low = rows[i].low,
			.fill_numbers = {rows[i].numbers[0], rows[i].numbers[1]}};
		const struct kernel_variant variant = {.name = "own",
						       .launches = &launch,
						       .launch_count = 1,
						       .buffers = &buffer,
						       .buffer_count = 1};
		struct launch_case *work = NULL;
		struct text skip = TEXT_INIT;
		struct error err = {0};

		if (resolve_own(&work, &skip, &variant, &err))
			fail_msg("%s", err.text);
		if (!work != !!rows[i].skips ||
		    (rows[i].skips && !strstr(skip.data, rows[i].skips)))
			fail_msg("row %zu: %s", i, work ? "resolved" : skip.data);
		if (work) {
			assert_int_equal(work->buffers[0].fill, rows[i].resolved);
			assert_true(work->buffers[0].fill_low == rows[i].from);
			assert_true(work->buffers[0].fill_high == rows[i].to);
		}
		text_release(&skip);
		launch_case_free(work);
	}
}

/* A case says what its inputs are without the names of axes. Functions keep their names. */
static void test_fill_expressions(void **state)
{
	static const struct {
		const char *expression, *resolved;
	} rows[] = {
		{"i < n ? n*i : n", "i < 1000 ? 1000*i : 1000"},
		{"nn + n (1) + 2.n + 1.e3 + n_", "nn + n (1) + 2.n + 1.e3 + n_"},
		{"sum(k, 0, n, k)-sm_count", "sum(k, 0, 1000, k)-132"},
	};
	const struct kernel_launch launch = {.entry = "k"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct kernel_buffer buffer = {.name = "x",
						     .type = ELEMENT_F16,
						     .length = "n",
						     .role = BUFFER_INOUT,
						     .fill = FILL_EXPRESSION,
						     .fill_expression = rows[i].expression};
		const struct kernel_variant variant = {.name = "own",
						       .launches = &launch,
						       .launch_count = 1,
						       .buffers = &buffer,
						       .buffer_count = 1};
		struct launch_case *work = must_resolve_own(&variant);

		assert_int_equal(work->buffers[0].fill, FILL_EXPRESSION);
		assert_string_equal(work->buffers[0].fill_expression, rows[i].resolved);
		launch_case_free(work);
	}
}

static void test_too_many_buffers(void **state)
{
	char names[KERNEL_MAX_BUFFERS + 1][8];
	struct kernel_buffer buffers[ARRAY_SIZE(names)];
	const struct kernel_launch launch = {.entry = "k"};
	struct kernel_variant variant = {.name = "own",
					 .launches = &launch,
					 .launch_count = 1,
					 .buffers = buffers,
					 .buffer_count = KERNEL_MAX_BUFFERS};
	struct launch_case *work;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		snprintf(names[i], sizeof(names[i]), "b%zu", i);
		buffers[i] = (struct kernel_buffer){
			.name = names[i], .type = ELEMENT_U8, .length = "1", .role = BUFFER_OUT};
	}
	work = must_resolve_own(&variant);
	assert_int_equal(work->buffer_count, KERNEL_MAX_BUFFERS);
	launch_case_free(work);
	variant.buffer_count++;
	must_refuse_own(&variant, "257 buffers; a case has at most 256");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fill_bits),
		cmocka_unit_test(test_fill_numbers),
		cmocka_unit_test(test_fill_expressions),
		cmocka_unit_test(test_too_many_buffers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
