/* Check expressions: the content of a buffer that they give, and their errors. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/check_expression.h"

enum { N = 6 };

static float x[N] = {1.5f, -2.0f, 3.0f, 0.25f, -8.0f, 100.0f};
static float y[N] = {1.0f, 2.0f, 4.0f, 8.0f, 16.0f, 32.0f};
static double wide[N] = {1e300, 1.0, -1e300, 1.0, 0.1, 0.2};
static int32_t p[N] = {5, 4, 3, 2, 1, 0};
static uint64_t big[N] = {UINT64_MAX, UINT64_C(1) << 63, 3, 4, 5, 6};
static int64_t far[N] = {INT64_MAX, INT64_MIN, (INT64_C(1) << 53) + 1, -7, 7, 0};
static float three[3] = {10.0f, 20.0f, 30.0f};

static struct case_buffer buffers[] = {
	{.name = "x", .type = ELEMENT_F32, .length = N, .role = BUFFER_IN},
	{.name = "y", .type = ELEMENT_F32, .length = N, .role = BUFFER_INOUT},
	{.name = "wide", .type = ELEMENT_F64, .length = N, .role = BUFFER_IN},
	{.name = "p", .type = ELEMENT_I32, .length = N, .role = BUFFER_IN},
	{.name = "big", .type = ELEMENT_U64, .length = N, .role = BUFFER_IN},
	{.name = "far", .type = ELEMENT_I64, .length = N, .role = BUFFER_IN},
	{.name = "three", .type = ELEMENT_F32, .length = 3, .role = BUFFER_IN},
	{.name = "out", .type = ELEMENT_F64, .length = N, .role = BUFFER_OUT},
};
enum { OUT = ARRAY_SIZE(buffers) - 1 };

static const struct host_buffers inputs = {{x, y, wide, p, big, far, three, NULL}};

static const struct launch_case work = {
	.kernel = "user",
	.variant = "plain",
	.axes = {{"k", 3}, {"n", N}, {"zero", 0}},
	.axis_count = 3,
	.buffers = buffers,
	.buffer_count = ARRAY_SIZE(buffers),
};

static int parse(struct check_expression **out, const char *text, struct error *err)
{
	static const char *const axes[] = {"k", "n", "zero", "elsewhere"};
	struct check_buffer_name named[ARRAY_SIZE(buffers)];
	struct check_names names = {named, ARRAY_SIZE(buffers), axes, ARRAY_SIZE(axes), false};

	for (size_t i = 0; i < ARRAY_SIZE(buffers); i++)
		named[i] = (struct check_buffer_name){buffers[i].name, buffers[i].type, BUFFER_IN};
	return check_expression_parse(out, text, &names, err);
}

static int compute(void *out, const char *text, struct error *err)
{
	struct check_expression *expression = NULL;
	int rc = parse(&expression, text, err);

	if (!rc)
		rc = check_expression_compute(expression, &work, &inputs, OUT, out, err);
	check_expression_free(expression);
	return rc;
}

/* The value of an element of `out`, which is an F64. */
static void test_values(void **state)
{
	static const struct {
		const char *text;
		int element;
		double value;
	} rows[] = {
		{"2*x + y", 1, -2.0},
		{"2*x + y", 5, 232.0},
		{"-x * y - 1", 2, -13.0},
		{"x[i]", 3, 0.25},
		{"x[n-1-i]", 0, 100.0},
		{"x[p[i]]", 1, -8.0},
		{"three[i % k]", 4, 20.0},
		{"three[i / 2]", 5, 30.0},
		{"i", 5, 5.0},
		{"7 / 2", 0, 3.0},
		{"-7 / 2", 0, -3.0},
		{"-7 % 4", 0, -3.0},
		{"7 / 2.0", 0, 3.5},
		{"7.5 % 2", 0, 1.5},
		{".5e1 + 1E-1", 0, 5.1},
		{"2. * i", 1, 2.0},
		{"p / 2", 0, 2.0},
		{"1.0 * p / 2", 0, 2.5},
		{"i < 3", 2, 1.0},
		{"i < 3", 3, 0.0},
		{"i >= 3", 3, 1.0},
		{"x <= 1.5", 0, 1.0},
		{"x > 1.5", 0, 0.0},
		{"p == 5 - i", 3, 1.0},
		{"p != 5 - i", 3, 0.0},
		{"!x", 0, 0.0},
		{"!0", 0, 1.0},
		{"i == 0 ? x[0] : x[i - 1] + x[i]", 0, 1.5},
		{"i == 0 ? x[0] : x[i - 1] + x[i]", 1, -0.5},
		{"i == 0 ? 1 : i == 1 ? 2 : 3.5", 1, 2.0},
		{"i == 0 ? 1 : i == 1 ? 2 : 3.5", 2, 3.5},
		{"i > 0 && x[i - 1] < 0", 0, 0.0},
		{"i > 0 && x[i - 1] < 0", 2, 1.0},
		{"i == 5 || x[i + 1] < 0", 5, 1.0},
		{"i == 5 || x[i + 1] < 0", 3, 1.0},
		{"zero == 0 || 1 / zero", 0, 1.0},
		{"min(x, y)", 1, -2.0},
		{"max(i, 3)", 1, 3.0},
		{"max(i, 3)", 4, 4.0},
		{"abs(x)", 4, 8.0},
		{"abs(-3 * i)", 2, 6.0},
		{"sqrt(y)", 2, 2.0},
		{"exp(zero)", 0, 1.0},
		{"exp2(i)", 5, 32.0},
		{"log(1)", 0, 0.0},
		{"log2(y)", 3, 3.0},
		{"pow(y, 2)", 1, 4.0},
		{"sin(0) + cos(0) + tan(0) + tanh(0) + erf(0)", 0, 1.0},
		{"asin(0) + acos(1) + atan(0) + sinh(0) + cosh(0)", 0, 1.0},
		{"atan2(1, 0) > 1.5707 && atan2(0, -1) > 3.1415 && atan2(1, 0) < 1.5708", 0, 1.0},
		{"floor(x)", 3, 0.0},
		{"ceil(x)", 3, 1.0},
		{"floor(7) / 2", 0, 3.0},
		{"int(x) / 2", 4, -4.0},
		{"int(-1.75)", 0, -1.0},
		{"sum(x)", 2, 94.75},
		{"sum(x * y)", 0, 1.5 - 4.0 + 12.0 + 2.0 - 128.0 + 3200.0},
		{"sum(three)", 5, 60.0},
		{"sum(three * i)", 5, 80.0},
		{"min(x)", 0, -8.0},
		{"max(three) + i", 1, 31.0},
		{"x / sum(abs(x))", 0, 1.5 / 114.75},
		{"sum(j, 0, k, three[j])", 0, 60.0},
		{"sum(j, 0, i + 1, x[j])", 2, 2.5},
		{"sum(j, 3, 0, x[j])", 2, 0.0},
		{"sum(j, 0, k, x[i / k * k + j] * three[j])", 4, 2.5 - 160.0 + 3000.0},
		{"min(j, 0, i + 1, x[j])", 2, -2.0},
		{"max(j, i, n, p[j])", 4, 1.0},
		{"sum(a,0,2,sum(b,0,2,sum(c,0,2,sum(d,0,2,sum(e,0,2,sum(f,0,2,sum(g,0,2,"
		 "i % 2 ? a + b + c + d + e + f + g : x)))))))",
		 1, 448.0},
		{"sum(a, 0, k, sum(b, 0, a + 1, i * 100 + a * 10 + b))", 1, 600 + 80.0 + 4.0},
		{"sum(j, 0, n, j == i ? y : 0)", 4, 16.0},
		{"zero ? 1 / zero : 5", 0, 5.0},
		{"zero ? sum(j, 0, 9, x[j]) : 5", 0, 5.0},
		/* 1 is lost in a plain sum of these. */
		{"sum(j, 0, 4, wide[j])", 0, 2.0},
		{"sum(j, 0, 4 + 0 * i, wide[j])", 0, 2.0},
		{"sum(j, 1, 3, 1.0 / (j - 2))", 0, INFINITY},
		{"sum(j, 0, 100000, j)", 0, 4999950000.0},
		{"sum(j, 0, 200000, 0.1)", 0, 20000.0},
		{"big / 2 == 9223372036854775807", 0, 1.0},
		{"big > 5", 0, 1.0},
		{"big % 10", 0, 5.0},
		{"max(big) == big[0]", 0, 1.0},
		{"big + 1", 0, 0.0},
		{"1.0 * big", 1, 0x1p63},
		{"far - 9007199254740992", 2, 1.0},
		{"far / -1 == far[1]", 1, 1.0},
		{"far % -1", 1, 0.0},
		{"far % 4", 3, -3.0},
		{"p & 6 | 8", 0, 12.0},
		{"p & 1 == 1", 2, 1.0},
		{"p & 4 && p & 1", 1, 0.0},
		{"~p", 0, -6.0},
		{"1 << p + 1", 1, 32.0},
		{"1 << 64 - 1 == far[1]", 0, 1.0},
		{"3 << 63 == far[1]", 0, 1.0},
		{"far >> 1", 3, -4.0},
		{"big >> 63", 0, 1.0},
		{"big << 1", 1, 0.0},
		{"1 << big[2]", 0, 8.0},
		{"-1 >> big[2]", 0, -1.0},
		{"xor(p, 3)", 0, 6.0},
		{"xor(big, 0) > 5", 0, 1.0},
		{"(p & 1) == 1 ? x : -x", 1, 2.0},
		{"ceil_div(p, 2)", 0, 3.0},
		{"is_pow2(p)", 1, 1.0},
		{"is_pow2(p)", 2, 0.0},
		{"pow2(p) / 3", 0, 10.0},
		{"isqrt(p)", 1, 2.0},
		{"log2(6) > 2", 0, 1.0},
		{"argmin(x)", 0, 4.0},
		{"argmax(x * y)", 3, 5.0},
		{"argmin(j, 0, i + 1, x[j])", 3, 1.0},
		{"argmax(j, 1, 5, x[j])", 0, 2.0},
		/* The first of equal bodies, over several parts of the reduction too. */
		{"argmin(j, 0, n, p[j] / 2)", 0, 4.0},
		{"argmax(j, 0, 200000, j % 70001)", 0, 70000.0},
		{"argmin(j, 0, 200000, j < 150000)", 0, 150000.0},
		{"argmax(j, 0, 3, big[j])", 0, 0.0},
		{"argmin(j, 0, 3, j == 1 ? 5.0 : 0.0 / zero)", 0, 1.0},
		{"argmin(j, 2, 4, 0.0 / zero)", 0, 2.0},
		{"argmax(x) / 2", 0, 2.0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct error err = {0};
		double out[N];
		int rc;

		rc = compute(out, rows[i].text, &err);
		if (rc || out[rows[i].element] != rows[i].value)
			fail_msg("%s: element %d is %.17g, expected %.17g; %s", rows[i].text,
				 rows[i].element, out[rows[i].element], rows[i].value, err.text);
	}
}

static void test_nan_is_kept(void **state)
{
	struct error err = {0};
	double out[N];

	(void)state;
	assert_int_equal(compute(out, "0.0 / zero", &err), 0);
	assert_true(isnan(out[0]));
	assert_int_equal(compute(out, "sum(x / zero)", &err), 0);
	assert_true(isnan(out[0]));
}

/* Stored as a kernel would: integers modulo the type, floating point rounded to nearest. */
static void test_types_of_the_result(void **state)
{
	static const struct {
		enum element_type type;
		const char *text;
		double value;
	} rows[] = {
		{ELEMENT_F32, "1.0 + 0.00000009", 1.0 + 0x1p-23},
		{ELEMENT_F32, "16777217", 16777216.0},
		{ELEMENT_F16, "2049.5", 2050.0},
		{ELEMENT_F16, "1e6", INFINITY},
		{ELEMENT_BF16, "1.006", 1.0078125},
		{ELEMENT_TF32, "1.0009", 1.0009765625},
		{ELEMENT_U8, "258 + i", 2.0},
		{ELEMENT_I8, "130", -126.0},
		{ELEMENT_U8, "258.5", 255.0},
		{ELEMENT_I16, "-1.75", -1.0},
		{ELEMENT_U32, "0 - 1", 4294967295.0},
		{ELEMENT_U32, "4294967295 * 4294967295", 1.0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct error err = {0};
		double out[N];

		buffers[OUT].type = rows[i].type;
		if (compute(out, rows[i].text, &err) ||
		    element_value(rows[i].type, out, 0) != rows[i].value)
			fail_msg("%s as %s: %.17g, expected %.17g; %s", rows[i].text,
				 element_type_name(rows[i].type),
				 element_value(rows[i].type, out, 0), rows[i].value, err.text);
	}
	buffers[OUT].type = ELEMENT_I64;
	{
		struct error err = {0};
		int64_t out[N];

		assert_int_equal(compute(out, "far", &err), 0);
		assert_memory_equal(out, far, sizeof(far));
		assert_int_equal(compute(out, "sum(far)", &err), 0);
		assert_true(out[0] == (INT64_C(1) << 53));
	}
	buffers[OUT].type = ELEMENT_F64;
}

static void test_refused_texts(void **state)
{
	static const struct {
		const char *text;
		const char *says;
	} rows[] = {
		{"", "character 1"},
		{"2 *", "character 4"},
		{"2 x", "character 3"},
		{"(x", "\")\""},
		{"x[1", "\"]\""},
		{"x[1.5]", "integer"},
		{"x[x]", "character 3"},
		{"q + 1", "character 1: no buffer"},
		{"cube(x)", "no function"},
		{"1 < 2 < 3", "character 7"},
		{"x & 1", "character 3: bits are those of integers"},
		{"p | 1.0", "character 3: bits are those of integers"},
		{"1 << x", "bits are those of integers"},
		{"~x", "character 1: \"~\" takes an integer"},
		{"xor(p, x)", "character 1: this function takes integers"},
		{"ceil_div(x, 2)", "takes integers"},
		{"isqrt(1, 2)", "\")\""},
		{"x^2", "character 2: \"^\" is a power only in the values of an axis"},
		{"argmin(x, y)", "argmin takes (BODY)"},
		{"1 ? 2", "\":\""},
		{"12ab", "letter"},
		{"1.2.3", "point"},
		{"1e", "decimal"},
		{"9223372036854775808", "2^63"},
		{"pow(x)", "second argument"},
		{"sqrt(x, y)", "\")\""},
		{"sum(x, y)", "sum takes"},
		{"min(x, y, p)", "min and max"},
		{"sum(j, 0, k)", "sum takes"},
		{"sum(1 + i)", "number of terms"},
		{"sum(x[i])", "number of terms"},
		{"sum(0, 0, k, x)", "name of an index"},
		{"sum(i, 0, k, x)", "name of something else"},
		{"sum(k, 0, k, x)", "name of something else"},
		{"sum(x, 0, k, x)", "name of something else"},
		{"sum(j, 0.5, k, 1)", "character 8"},
		{"sum(j, 0, 1.5, 1)", "integers"},
		{"sum(j, 0, k, 1) + j", "character 19"},
		{"sum(j, 0, j, 1)", "character 11"},
		{"sum(a,0,1,sum(b,0,1,sum(c,0,1,sum(d,0,1,sum(e,0,1,sum(f,0,1,sum(g,0,1,"
		 "sum(h,0,1,1))))))))",
		 "nested reductions"},
		{"\xff\xfe", "character 1"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct check_expression *expression = NULL;
		struct error err = {0};
		int rc = parse(&expression, rows[i].text, &err);

		if (rc != PL_EPARSE || expression || !strstr(err.text, rows[i].says))
			fail_msg("\"%s\": code %d, \"%s\" without \"%s\"", rows[i].text, rc,
				 err.text, rows[i].says);
	}
}

static void test_refused_values(void **state)
{
	static const struct {
		const char *text;
		const char *says;
	} rows[] = {
		{"x[i + 1]", "character 1 for element 5: index 6 is outside of x, which has 6"},
		{"1 + x[i - 1]", "character 5 for element 0: index -1"},
		{"x[big[i] + 0]", "index 18446744073709551615"},
		{"1 / (i - 3)", "for element 3: an integer is divided by zero"},
		{"i % zero", "for element 0: an integer is divided by zero"},
		{"three", "three has 3 elements, but out has 6; give an index: three[...]"},
		{"sum(x * three)", "three has 3 elements, but x has 6"},
		{"sum(j, 0, 9, x[j])", "index 6 is outside of x"},
		{"sum(j, 0, 9 + 0 * i, x[j])", "for element 0: index 6 is outside of x"},
		{"sum(j, 0, far[0], 1)", "2^44"},
		{"min(j, 0, zero, x[j])", "minimum or maximum of no values"},
		{"max(j, 0, i, x[j])", "minimum or maximum of no values"},
		{"argmax(j, 0, zero, x[j])", "minimum or maximum of no values"},
		{"1 << 60 + i", "character 3 for element 4: a shift is by 0 to 63 bits"},
		{"1 >> big", "for element 0: a shift is by 0 to 63 bits"},
		{"1 + isqrt(2 - i)", "character 5 for element 3: isqrt needs at least 0"},
		{"is_pow2(big)", "for element 0: an argument is over 2^63 - 1"},
		{"ceil_div(1, big)", "for element 0: an argument is over 2^63 - 1"},
		{"elsewhere", "no axis elsewhere"},
		{"out", "out is of the role out"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct error err = {0};
		double out[N];
		int rc = compute(out, rows[i].text, &err);

		if (rc != PL_EUSAGE || err.code != rc || !strstr(err.text, rows[i].says) ||
		    !strstr(err.text, "out"))
			fail_msg("\"%s\": code %d, \"%s\" without \"%s\"", rows[i].text, rc,
				 err.text, rows[i].says);
	}
}

static char *repeated(const char *left, const char *middle, const char *right, int count)
{
	struct text text = TEXT_INIT;

	for (int i = 0; i < count; i++)
		text_add(&text, left);
	text_add(&text, middle);
	for (int i = 0; i < count; i++)
		text_add(&text, right);
	return text_detach(&text);
}

/* No text exhausts the stack or the memory; a stencil of 125 points is possible. */
static void test_bounds(void **state)
{
	static const struct {
		const char *left, *middle, *right;
		int count;
		const char *says; /* NULL: accepted */
	} rows[] = {
		{"(", "1", ")", 50, NULL},
		{"(", "1", ")", 2000, "nested too deep"},
		{"-", "1", "", 2000, "nested too deep"},
		{"1 ? ", "1", " : 1", 400, "nested too deep"},
		{"x[", "0", "]", 900, "nested too deep"},
		{"", "x", " + x[i]", 124, NULL},
		{"", "1", " + 1", 300, "nested too deep"},
		{"sqrt(", "1", ")", 500, "nested too deep"},
		{"i % 2 ? ", "x", " : 1.5", 60, NULL},
		{"i % 2 && (", "x", ")", 60, NULL},
		{"", "1", " ", 70000, "the limit is 65536"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char *text = repeated(rows[i].left, rows[i].middle, rows[i].right, rows[i].count);
		struct error err = {0};
		double out[N];
		int rc = compute(out, text, &err);

		if (rows[i].says ? rc != PL_EPARSE || !strstr(err.text, rows[i].says) : rc != 0)
			fail_msg("row %zu: code %d, %s", i, rc, err.text);
		free(text);
	}
}

/* Several threads give what one computes, for the elements and for a reduction over many. */
static void test_many_elements(void **state)
{
	enum { COUNT = 300000 };
	float *data = xcalloc(COUNT, sizeof(*data));
	double *out = xcalloc(COUNT, sizeof(*out));
	struct case_buffer two[] = {
		{.name = "v", .type = ELEMENT_F32, .length = COUNT, .role = BUFFER_IN},
		{.name = "r", .type = ELEMENT_F64, .length = COUNT, .role = BUFFER_OUT},
	};
	struct launch_case large = {.buffers = two, .buffer_count = 2};
	struct host_buffers values = {{data}};
	struct check_buffer_name name = {"v", ELEMENT_F32, BUFFER_IN};
	struct check_names names = {.buffers = &name, .buffer_count = 1};
	struct check_expression *expression = NULL;
	struct error err = {0};
	double sum = 0.0;

	(void)state;
	for (int i = 0; i < COUNT; i++) {
		data[i] = (float)(i % 1000);
		sum += data[i];
	}
	assert_int_equal(check_expression_parse(&expression, "v * 2 + sum(v) + i", &names, &err),
			 0);
	assert_int_equal(check_expression_compute(expression, &large, &values, 1, out, &err), 0);
	for (int i = 0; i < COUNT; i++)
		assert_true(out[i] == 2.0 * data[i] + sum + i);
	check_expression_free(expression);
	/* The first element of all that fail, whichever thread finds it. */
	assert_int_equal(
		check_expression_parse(&expression, "v[i < 149000 ? i : -i]", &names, &err), 0);
	assert_int_equal(check_expression_compute(expression, &large, &values, 1, out, &err),
			 PL_EUSAGE);
	assert_non_null(strstr(err.text, "element 149000: index -149000"));
	check_expression_free(expression);
	free(data);
	free(out);
}

/* A name of the case that is the index of the elements cannot be used, and is not mistaken. */
static void test_buffer_named_i(void **state)
{
	struct check_buffer_name name = {"i", ELEMENT_F32, BUFFER_IN};
	struct check_names names = {.buffers = &name, .buffer_count = 1};
	struct check_expression *expression = NULL;
	struct error err = {0};

	(void)state;
	assert_int_equal(check_expression_parse(&expression, "2 * i", &names, &err), PL_EPARSE);
	assert_non_null(strstr(err.text, "character 5"));
	assert_null(expression);
	assert_int_equal(check_expression_parse(&expression, "2", &names, &err), 0);
	check_expression_free(expression);
	check_expression_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_nan_is_kept),
		cmocka_unit_test(test_types_of_the_result),
		cmocka_unit_test(test_refused_texts),
		cmocka_unit_test(test_refused_values),
		cmocka_unit_test(test_bounds),
		cmocka_unit_test(test_many_elements),
		cmocka_unit_test(test_buffer_named_i),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
