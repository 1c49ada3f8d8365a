/* Inputs: whole numbers in floating-point types, and expressions over the index. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/kernels.h"

enum { COUNT = 6000 };

static const enum element_type reals[] = {ELEMENT_F32, ELEMENT_F64, ELEMENT_F16, ELEMENT_BF16,
					  ELEMENT_TF32};

static struct case_buffer whole(enum element_type type, double low, double high)
{
	return (struct case_buffer){.name = "x",
				    .type = type,
				    .length = COUNT,
				    .role = BUFFER_IN,
				    .fill = FILL_INTEGERS,
				    .fill_low = low,
				    .fill_high = high};
}

static struct case_buffer computed(enum element_type type, int64_t length, const char *expression)
{
	return (struct case_buffer){.name = "x",
				    .type = type,
				    .length = length,
				    .role = BUFFER_IN,
				    .fill = FILL_EXPRESSION,
				    .fill_expression = (char *)expression};
}

static void must_fill(void *data, const struct case_buffer *buffer, uint64_t seed)
{
	struct error err = {0};

	if (kernel_fill(data, buffer, seed, &err))
		fail_msg("%s", err.text);
}

/* ---- integers(a, b) of floating-point types ---- */

/* Each face as often as the others, both ends included, and nothing between. */
static void test_whole_numbers(void **state)
{
	double *data = xcalloc(COUNT, sizeof(*data));

	(void)state;
	for (size_t t = 0; t < ARRAY_SIZE(reals); t++) {
		const struct case_buffer die = whole(reals[t], -2, 3);
		int seen[6] = {0};

		must_fill(data, &die, 1);
		for (int i = 0; i < COUNT; i++) {
			double value = element_value(reals[t], data, i);

			assert_true(value >= -2 && value <= 3 && value == floor(value));
			seen[(int)value + 2]++;
		}
		for (int face = 0; face < 6; face++)
			assert_in_range(seen[face], 850, 1150);
	}
	free(data);
}

/* Bounds that no message of perflab has: the worker must not leave the range of the type. */
static void test_whole_bounds(void **state)
{
	static const double bounds[][4] = {
		/* low, high, and between which numbers the values are in f16 */
		{7, 7, 7, 7},
		{9, 3, 9, 9},
		{-1e300, 1e300, -2048, 2048},
		{1e300, 2e300, 2048, 2048},
		{2047.5, 2048.5, 2047, 2048},
	};
	double *data = xcalloc(COUNT, sizeof(*data));

	(void)state;
	for (size_t b = 0; b < ARRAY_SIZE(bounds); b++) {
		const struct case_buffer buffer = whole(ELEMENT_F16, bounds[b][0], bounds[b][1]);
		bool low = false, high = false;

		must_fill(data, &buffer, 1);
		for (int i = 0; i < COUNT; i++) {
			double value = element_value(ELEMENT_F16, data, i);

			assert_true(value >= bounds[b][2] && value <= bounds[b][3]);
			low |= value < bounds[b][2] + 3;
			high |= value > bounds[b][3] - 3;
		}
		assert_true(low && high);
	}
	free(data);
}

static void test_bits_of_whole_numbers(void **state)
{
	struct case_buffer buffer = whole(ELEMENT_F32, 12, 15);
	float *data = xcalloc(COUNT, sizeof(*data));

	(void)state;
	buffer.has_fill_bits = true;
	buffer.fill_bits = 3;
	must_fill(data, &buffer, 1);
	for (int i = 0; i < COUNT; i++)
		assert_true(data[i] == 12 || data[i] == 14);
	free(data);
}

/* ---- expressions ---- */

static void test_values(void **state)
{
	static const struct {
		enum element_type type;
		const char *expression;
		double values[5];
	} rows[] = {
		{ELEMENT_I32, "8 * i", {0, 8, 16, 24, 32}},
		{ELEMENT_I64, "i < 2 ? i : i < 4 ? 64 : 64 * (i - 4)", {0, 1, 64, 64, 0}},
		{ELEMENT_U8, "255 - i / 2", {255, 255, 254, 254, 253}},
		{ELEMENT_I8, "-128 + i % 3", {-128, -127, -126, -128, -127}},
		{ELEMENT_U64, "1e19 + 0 * i", {1e19, 1e19, 1e19, 1e19, 1e19}},
		{ELEMENT_F32, "1.0 / (i + 1)", {1, 0.5, 1.0f / 3, 0.25, 0.2f}},
		{ELEMENT_F16, "sqrt(i * i) - 2", {-2, -1, 0, 1, 2}},
		{ELEMENT_BF16, "i == 1 ? -1.0 / 0 : 0", {0, -INFINITY, 0, 0, 0}},
		{ELEMENT_F64, "sum(k, 0, i, 2 * k)", {0, 0, 2, 6, 12}},
		{ELEMENT_I16, "sum(k, 0, 4, k) + i", {6, 7, 8, 9, 10}},
		{ELEMENT_I32, "random(5, 5) + random(-3, -3) * i", {5, 2, -1, -4, -7}},
		{ELEMENT_I32, "random(i, random(i, i))", {0, 1, 2, 3, 4}},
	};

	(void)state;
	for (size_t r = 0; r < ARRAY_SIZE(rows); r++) {
		const struct case_buffer buffer = computed(rows[r].type, 5, rows[r].expression);
		uint64_t data[5];

		must_fill(data, &buffer, 1);
		for (int i = 0; i < 5; i++)
			if (element_value(rows[r].type, data, i) != rows[r].values[i])
				fail_msg("%s: element %d is %g", rows[r].expression, i,
					 element_value(rows[r].type, data, i));
	}
}

/* The error names the first element that is wrong, whatever thread finds it. */
static void test_errors_name_the_element(void **state)
{
	static const struct {
		enum element_type type;
		const char *expression;
		const char *parts[3];
	} rows[] = {
		{ELEMENT_U8,
		 "8 * i",
		 {"fill of x, expression \"8 * i\"", "for element 32: 256 is no value of u8",
		  "which holds the integers 0 to 255"}},
		{ELEMENT_U32, "100 - i", {"element 101: -1 is no value of u32", "", ""}},
		{ELEMENT_I32, "i / 2.0", {"element 1: 0.5 is no value of i32", "", ""}},
		{ELEMENT_I32, "i < 70000 ? 0 : 1e10", {"element 70000: 10000000000", "", ""}},
		{ELEMENT_F16,
		 "i",
		 {"element 2049: 2049 is no value of f16", "the integers up to 2^11 exactly", ""}},
		{ELEMENT_F16, "60000.0 + i", {"element 5520: 65520", "-65504 to 65504", ""}},
		{ELEMENT_I32,
		 "100 / (i - 7)",
		 {"character 5 for element 7", "divided by zero", ""}},
		{ELEMENT_I32, "random(i, 9)", {"element 10: random(10, 9) has no values", "", ""}},
		{ELEMENT_I32, "n", {"buffer x: fill expression \"n\"", "", ""}},
		{ELEMENT_I32, "", {"buffer x: fill expression", "", ""}},
	};
	const int64_t length = 100000;
	void *data = xcalloc((size_t)length, 4);

	(void)state;
	for (size_t r = 0; r < ARRAY_SIZE(rows); r++) {
		const struct case_buffer buffer =
			computed(rows[r].type, length, rows[r].expression);
		struct error err = {0};

		assert_int_not_equal(kernel_fill(data, &buffer, 1, &err), 0);
		for (int p = 0; p < 3; p++)
			if (!strstr(err.text, rows[r].parts[p]))
				fail_msg("%s: %s", rows[r].expression, err.text);
	}
	free(data);
}

/* Every number as often as the others, and two random() of a text have nothing in common. */
static void test_random(void **state)
{
	const struct case_buffer buffer =
		computed(ELEMENT_I32, COUNT, "10 * random(-1, 1) + random(0, 3)");
	int32_t *data = xcalloc(COUNT, sizeof(*data));
	int seen[3][4] = {{0}};

	(void)state;
	must_fill(data, &buffer, 1);
	for (int i = 0; i < COUNT; i++) {
		int units = (data[i] % 10 + 10) % 10;

		assert_in_range(units, 0, 3);
		assert_in_range((data[i] - units) / 10 + 1, 0, 2);
		seen[(data[i] - units) / 10 + 1][units]++;
	}
	for (int tens = 0; tens < 3; tens++)
		for (int units = 0; units < 4; units++)
			assert_in_range(seen[tens][units], 400, 600);
	free(data);
}

/* An element depends on the seed, the name and its index only: neither on the length nor on which
 * other elements are computed with it. */
static void test_random_is_reproducible(void **state)
{
	struct case_buffer all = computed(ELEMENT_I64, COUNT, "random(0, 1000000)");
	struct case_buffer part = computed(ELEMENT_I64, 100, "i % 2 ? random(0, 1000000) : 0");
	int64_t *data = xcalloc(COUNT, sizeof(*data)), *other = xcalloc(COUNT, sizeof(*other));
	int equal = 0;

	(void)state;
	must_fill(data, &all, 7);
	must_fill(other, &all, 7);
	assert_memory_equal(data, other, COUNT * sizeof(*data));
	must_fill(other, &part, 7);
	for (int i = 1; i < 100; i += 2)
		assert_true(other[i] == data[i]);
	must_fill(other, &all, 8);
	for (int i = 0; i < COUNT; i++)
		equal += other[i] == data[i];
	assert_in_range(equal, 0, 5);
	strcpy(all.name, "y");
	must_fill(other, &all, 7);
	for (int i = equal = 0; i < COUNT; i++)
		equal += other[i] == data[i];
	assert_in_range(equal, 0, 5);
	free(data);
	free(other);
}

/* The range may be that of all 64 bits. */
static void test_random_of_every_bit(void **state)
{
	const struct case_buffer buffer = computed(
		ELEMENT_I64, COUNT, "random(-9223372036854775807 - 1, 9223372036854775807)");
	int64_t *data = xcalloc(COUNT, sizeof(*data));
	int set[64] = {0};

	(void)state;
	must_fill(data, &buffer, 1);
	for (int i = 0; i < COUNT; i++)
		for (int b = 0; b < 64; b++)
			set[b] += (int)((uint64_t)data[i] >> b & 1);
	for (int b = 0; b < 64; b++)
		assert_in_range(set[b], COUNT / 2 - 250, COUNT / 2 + 250);
	free(data);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whole_numbers),
		cmocka_unit_test(test_whole_bounds),
		cmocka_unit_test(test_bits_of_whole_numbers),
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_errors_name_the_element),
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_random_is_reproducible),
		cmocka_unit_test(test_random_of_every_bit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
