/* Expressions of descriptors: values and errors. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/kernels.h"

#define UNTOUCHED 1234567

static const struct expression_variable variables[] = {
	{"n", 1000003}, {"block", 256},      {"i", 3},
	{"one", 1},     {"huge", INT64_MAX}, {"low", INT64_MIN},
};

static int evaluate(int64_t *out, const char *expression, struct error *err)
{
	return expression_evaluate(out, expression, variables, ARRAY_SIZE(variables), err);
}

static void test_values(void **state)
{
	static const struct {
		const char *expression;
		int64_t value;
	} cases[] = {
		{"0", 0},
		{" 42\t", 42},
		{"9223372036854775807", INT64_MAX},
		{"n", 1000003},
		{"1 + 2 * 3", 7},
		{"(1 + 2) * 3", 9},
		{"10 - 2 - 3", 5},
		{"7 / 2 * 2", 6},
		{"-7 / 2", -3},
		{"-7 % 4", -3},
		{"- -3", 3},
		{"2*-3", -6},
		{"!0", 1},
		{"!!n", 1},
		{"1 < 2", 1},
		{"2 <= 1", 0},
		{"2 >= 2", 1},
		{"1 > 2", 0},
		{"3 == 3", 1},
		{"3 != 3", 0},
		{"1 + 1 == 2", 1},
		{"0 || 0 && 1", 0},
		{"1 || 0 && 0", 1},
		{"(1 || 0) && 0", 0},
		{"2 && 3", 1},
		{"5 || 0", 1},
		{"min(3, -4)", -4},
		{"max(3, -4)", 3},
		{"ceil_div(n, block)", 3907},
		{"ceil_div(512, block)", 2},
		{"ceil_div(0, block)", 0},
		{"ceil_div(huge, 1)", INT64_MAX},
		{"ceil_div(huge, 2)", INT64_C(4611686018427387904)},
		{"is_pow2(block)", 1},
		{"is_pow2(96)", 0},
		{"is_pow2(0)", 0},
		{"is_pow2(low)", 0},
		{"log2(1)", 0},
		{"log2(255)", 7},
		{"log2(huge)", 62},
		{"pow2(i + 1)", 16},
		{"pow2(62)", INT64_C(1) << 62},
		{"isqrt(0)", 0},
		{"isqrt(15)", 3},
		{"isqrt(16)", 4},
		{"isqrt(huge)", INT64_C(3037000499)},
		{"isqrt(9223372030926249001)", INT64_C(3037000499)},
		{"isqrt(9223372030926249000)", INT64_C(3037000498)},
		{"min(ceil_div(n, 4 * block), 132 * max(1, 2048 / block))", 977},
		{"12 & 10", 8},
		{"12 | 3", 15},
		{"xor(12, 10)", 6},
		{"~0", -1},
		{"~~i", 3},
		{"-~i", 4},
		{"1 << 20", 1 << 20},
		{"1 << 62 >> 60", 4},
		{"-8 >> 1", -4},
		{"-1 << 63", INT64_MIN},
		{"low >> 63", -1},
		{"0 << 63", 0},
		/* C's precedence, from the tightest: + before <<, << before <, == before &, &
		 * before |, and both before && and ||. */
		{"1 << 2 + 1", 8},
		{"1 << 4 > 15", 1},
		{"6 & 2 == 2", 0},
		{"1 | 2 & 4", 1},
		{"4 & 4 && 2 & 1", 0},
		{"2 & 1 || 4 & 4", 1},
		{"1&&2", 1},
		{"0||0|4", 1},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct error err = {0};
		int64_t value = UNTOUCHED;

		if (evaluate(&value, cases[i].expression, &err) || value != cases[i].value)
			fail_msg("%s = %lld, expected %lld %s", cases[i].expression,
				 (long long)value, (long long)cases[i].value, err.text);
	}
}

/* An operand that is not needed is not computed, as in C, but it must still parse. */
static void test_short_circuit(void **state)
{
	struct error err = {0};
	int64_t value;

	(void)state;
	assert_int_equal(evaluate(&value, "0 && 1 / 0", &err), 0);
	assert_int_equal(value, 0);
	assert_int_equal(evaluate(&value, "1 || huge * huge", &err), 0);
	assert_int_equal(value, 1);
	assert_int_equal(evaluate(&value, "0 && (1 || 1 / 0) || 1", &err), 0);
	assert_int_equal(value, 1);
	assert_int_equal(evaluate(&value, "1 || 1 << 64 | huge << 1", &err), 0);
	assert_int_equal(value, 1);
	assert_int_equal(evaluate(&value, "0 && unknown", &err), PL_EPARSE);
	assert_int_equal(evaluate(&value, "1 && 1 / 0", &err), PL_EPARSE);
	assert_int_equal(evaluate(&value, "(0 && 1 / 0) + 1 / 0", &err), PL_EPARSE);
}

static void test_failures(void **state)
{
	static const struct {
		const char *expression;
		const char *says; /* part of the message */
	} cases[] = {
		{"", "character 1"},
		{"1 +", "character 4"},
		{"1 + * 2", "character 5"},
		{"(1", "\")\""},
		{"1)", "character 2"},
		{"1 2", "character 3"},
		{"12ab", "ends in a letter"},
		{"unknown + 1", "character 1"},
		{"1 + bloc", "character 5"},
		{"blocks", "name"},
		{"cube(2)", "no function"},
		{"min(1)", "second argument"},
		{"min(1, 2, 3)", "\")\""},
		{"log2(1, 2)", "\")\""},
		{"n & & 1", "character 5"},
		{"n | ", "character 5"},
		{"1 << 64", "character 3: a shift is by 0 to 63 bits"},
		{"1 >> -1", "a shift is by 0 to 63 bits"},
		{"1 << 63", "the shift overflows"},
		{"huge << 1", "the shift overflows"},
		{"low << 1", "the shift overflows"},
		{"1 < < 2", "character 5"},
		{"xor(1)", "second argument"},
		{"2^20",
		 "character 2: \"^\" is a power only in the values of an axis; write pow2(20)"},
		{"(n ^ 1) + 1", "character 4: \"^\" is a power only"},
		{"n = 1", "character 3"},
		{"1 < 2 < 3", "character 7"},
		{"1.5", "character 2"},
		{"\xff\xfe", "character 1"},
		{"1 / 0", "division by zero"},
		{"1 % (n - n)", "division by zero"},
		{"low / -1", "overflow"},
		{"low % -1", "overflow"},
		{"-low", "overflow"},
		{"huge + 1", "overflow"},
		{"low - 1", "overflow"},
		{"huge * 2", "overflow"},
		{"9223372036854775808", "2^63"},
		{"log2(0)", "log2"},
		{"pow2(63)", "pow2"},
		{"pow2(-1)", "pow2"},
		{"isqrt(-1)", "isqrt"},
		{"ceil_div(1, 0)", "ceil_div"},
		{"ceil_div(-1, 2)", "ceil_div"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct error err = {0};
		int64_t value = UNTOUCHED;
		int rc = evaluate(&value, cases[i].expression, &err);

		if (rc != PL_EPARSE || value != UNTOUCHED || !strstr(err.text, cases[i].says))
			fail_msg("\"%s\": code %d, value %lld, message \"%s\" without \"%s\"",
				 cases[i].expression, rc, (long long)value, err.text,
				 cases[i].says);
	}
}

/* Nesting is bounded, so that no text can exhaust the stack; what tables need is far below. */
static void test_nesting(void **state)
{
	char text[4096];
	struct error err = {0};
	int64_t value;

	(void)state;
	for (int depth = 1; depth <= 1000; depth++) {
		int rc;

		memset(text, '(', (size_t)depth);
		text[depth] = '7';
		memset(text + depth + 1, ')', (size_t)depth);
		text[2 * depth + 1] = '\0';
		value = UNTOUCHED;
		rc = evaluate(&value, text, &err);
		if (depth <= 40)
			assert_true(rc == 0 && value == 7);
		if (depth >= 100)
			assert_true(rc == PL_EPARSE && value == UNTOUCHED);
	}
	memset(text, '-', 1000);
	strcpy(text + 1000, "1");
	assert_int_equal(evaluate(&value, text, &err), PL_EPARSE);
	/* Breadth is free. */
	text[0] = '1';
	for (int i = 0; i < 1000; i++)
		memcpy(text + 1 + 2 * i, "+1", 3);
	assert_int_equal(evaluate(&value, text, &err), 0);
	assert_int_equal(value, 1001);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_short_circuit),
		cmocka_unit_test(test_failures),
		cmocka_unit_test(test_nesting),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
