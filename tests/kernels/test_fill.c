/* Inputs: the same bits everywhere, within their range. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/kernels.h"

static struct case_buffer buffer_of(const char *name, enum element_type type, int64_t length,
				    enum buffer_fill fill, double low, double high)
{
	struct case_buffer buffer = {
		.type = type,
		.length = length,
		.role = BUFFER_IN,
		.fill = fill,
		.fill_low = low,
		.fill_high = high,
	};

	strcpy(buffer.name, name);
	return buffer;
}

/* Stored results of other machines are compared with these inputs: they may never change. */
static void test_golden(void **state)
{
	struct case_buffer real = buffer_of("x", ELEMENT_F32, 4, FILL_UNIFORM, 0.0, 1.0);
	struct case_buffer wide = buffer_of("x", ELEMENT_F64, 2, FILL_UNIFORM, -1.0, 1.0);
	struct case_buffer whole = buffer_of("x", ELEMENT_I32, 4, FILL_UNIFORM, -100.0, 100.0);
	static const uint32_t real_bits[] = {0x3f4a8020, 0x3ecabc9a, 0x3e73ec18, 0x3e85fc28};
	static const uint64_t wide_bits[] = {UINT64_C(0x3fe2a0081aa7ba4e),
					     UINT64_C(0xbfcaa1b2aec580e0)};
	static const int32_t whole_values[] = {58, -21, -53, -48};
	float f32[4];
	double f64[2];
	int32_t i32[4];

	(void)state;
	kernel_fill(f32, &real, 1, NULL);
	assert_memory_equal(f32, real_bits, sizeof(real_bits));
	kernel_fill(f64, &wide, 1, NULL);
	assert_memory_equal(f64, wide_bits, sizeof(wide_bits));
	kernel_fill(i32, &whole, 1, NULL);
	assert_memory_equal(i32, whole_values, sizeof(whole_values));
}

static void test_depends_on_seed_name_and_index_only(void **state)
{
	struct case_buffer long_one = buffer_of("x", ELEMENT_F32, 1000, FILL_UNIFORM, 0.0, 1.0);
	struct case_buffer short_one = buffer_of("x", ELEMENT_F32, 10, FILL_UNIFORM, 0.0, 1.0);
	struct case_buffer other = buffer_of("y", ELEMENT_F32, 1000, FILL_UNIFORM, 0.0, 1.0);
	float a[1000], b[1000];

	(void)state;
	kernel_fill(a, &long_one, 7, NULL);
	kernel_fill(b, &short_one, 7, NULL);
	assert_memory_equal(a, b, 10 * sizeof(float));
	kernel_fill(b, &other, 7, NULL);
	assert_memory_not_equal(a, b, 10 * sizeof(float));
	kernel_fill(b, &long_one, 8, NULL);
	assert_memory_not_equal(a, b, 10 * sizeof(float));
}

/* [low, high): high is outside even where rounding would reach it; the mean is in the middle. */
static void test_range(void **state)
{
	static const double ranges[][2] = {{0.0, 1.0},   {1.0, 2.0},
					   {-1.0, 1.0},  {16777215.0, 16777216.0},
					   {-3.5, 1e30}, {5.0, 5.0}};
	enum { COUNT = 200000 };
	float *f32 = malloc(COUNT * sizeof(*f32));
	double *f64 = malloc(COUNT * sizeof(*f64));

	(void)state;
	assert_non_null(f32);
	assert_non_null(f64);
	for (size_t r = 0; r < ARRAY_SIZE(ranges); r++) {
		double low = ranges[r][0], high = ranges[r][1];
		struct case_buffer single =
			buffer_of("x", ELEMENT_F32, COUNT, FILL_UNIFORM, low, high);
		struct case_buffer twice =
			buffer_of("x", ELEMENT_F64, COUNT, FILL_UNIFORM, low, high);
		double sum = 0.0;

		kernel_fill(f32, &single, 3, NULL);
		kernel_fill(f64, &twice, 3, NULL);
		for (int i = 0; i < COUNT; i++) {
			assert_true(f32[i] >= (float)low && (f32[i] < (float)high || low == high));
			assert_true(f64[i] >= low && (f64[i] < high || low == high));
			sum += f64[i] - low;
		}
		assert_true(low == high || (sum / COUNT > 0.495 * (high - low) &&
					    sum / COUNT < 0.505 * (high - low)));
	}
	free(f32);
	free(f64);
}

static void test_integers(void **state)
{
	struct case_buffer die = buffer_of("d", ELEMENT_I32, 6000, FILL_UNIFORM, -2.0, 4.0);
	struct case_buffer every =
		buffer_of("e", ELEMENT_U32, 6000, FILL_UNIFORM, 0.0, 4294967296.0);
	int32_t faces[6000];
	uint32_t words[6000];
	int seen[6] = {0};
	uint32_t all = 0;

	(void)state;
	kernel_fill(faces, &die, 1, NULL);
	for (int i = 0; i < 6000; i++) {
		assert_in_range(faces[i] + 2, 0, 5);
		seen[faces[i] + 2]++;
	}
	for (int face = 0; face < 6; face++)
		assert_in_range(seen[face], 800, 1200);
	kernel_fill(words, &every, 1, NULL);
	for (int i = 0; i < 6000; i++)
		all |= words[i];
	assert_int_equal(all, UINT32_MAX);
}

static void test_index_and_constant(void **state)
{
	struct case_buffer index = buffer_of("i", ELEMENT_F32, 5, FILL_INDEX, 0.0, 0.0);
	struct case_buffer number = buffer_of("i", ELEMENT_U32, 5, FILL_INDEX, 0.0, 0.0);
	struct case_buffer constant = buffer_of("c", ELEMENT_F64, 5, FILL_CONSTANT, 1.23, 0.0);
	struct case_buffer beyond = buffer_of("c", ELEMENT_I32, 5, FILL_CONSTANT, 1e300, 0.0);
	struct case_buffer none = buffer_of("s", ELEMENT_I32, 5, FILL_NONE, 9.0, 9.0);
	float f32[5];
	double f64[5];
	uint32_t u32[5];
	int32_t i32[5];

	(void)state;
	kernel_fill(f32, &index, 1, NULL);
	kernel_fill(f64, &constant, 1, NULL);
	kernel_fill(u32, &number, 1, NULL);
	kernel_fill(i32, &beyond, 1, NULL);
	for (int i = 0; i < 5; i++) {
		assert_true(f32[i] == (float)i);
		assert_true(f64[i] == 1.23);
		assert_int_equal(u32[i], i);
		assert_int_equal(i32[i], INT32_MAX);
	}
	kernel_fill(i32, &none, 1, NULL);
	for (int i = 0; i < 5; i++)
		assert_int_equal(i32[i], 0);
}

/* Values are truncated to the type, never rounded up; representable values are unchanged. */
static void test_narrow_types(void **state)
{
	static const struct {
		enum element_type type;
		double value, stored;
	} rows[] = {
		{ELEMENT_F16, 1.0, 1.0},
		{ELEMENT_F16, -2.5, -2.5},
		{ELEMENT_F16, 0x1.ffcp15, 0x1.ffcp15}, /* its largest, 65504 */
		{ELEMENT_F16, 1e300, 65504.0},
		{ELEMENT_F16, -65520.0, -65504.0},
		{ELEMENT_F16, 1.0 + 0x1.ffp-11, 1.0}, /* half a bit short of the next */
		{ELEMENT_F16, 0x1p-14, 0x1p-14},      /* the least that is normal */
		{ELEMENT_F16, 0x1.8p-15, 0x1.8p-15},
		{ELEMENT_F16, 0x1p-24, 0x1p-24}, /* the least */
		{ELEMENT_F16, 0x1.ffp-24, 0x1p-24},
		{ELEMENT_F16, 0x1.ffp-25, 0.0},
		{ELEMENT_BF16, 0x1.fep127, 0x1.fep127}, /* its largest */
		{ELEMENT_BF16, -1e300, -0x1.fep127},
		{ELEMENT_BF16, 1.0 + 0x1.ffp-8, 1.0},
		{ELEMENT_BF16, 1.0 + 0x1p-7, 1.0 + 0x1p-7},
		{ELEMENT_TF32, 1.0 + 0x1.ffp-11, 1.0},
		{ELEMENT_TF32, -1.0 - 0x1p-10, -1.0 - 0x1p-10},
		{ELEMENT_F32, 1.0 + 0x1.ffp-24, 1.0},
		{ELEMENT_F64, 0.1, 0.1},
		{ELEMENT_I32, -1e300, -2147483648.0},
		{ELEMENT_U32, -1.0, 0.0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		double room[2] = {-7.0, -7.0};

		element_store(rows[i].type, room, 1, rows[i].value);
		assert_true(element_value(rows[i].type, room, 1) == rows[i].stored);
	}
	assert_true(isinf(element_value(ELEMENT_F16, (uint16_t[]){0xfc00}, 0)));
	assert_true(isnan(element_value(ELEMENT_F16, (uint16_t[]){0x7c01}, 0)));
	assert_true(isnan(element_value(ELEMENT_BF16, (uint16_t[]){0xffff}, 0)));
}

/* Narrow types get the numbers of f32, as far as their precision goes. */
static void test_narrow_fills(void **state)
{
	enum { COUNT = 70000 };
	static const enum element_type types[] = {ELEMENT_F16, ELEMENT_BF16, ELEMENT_TF32};
	static const double steps[] = {0x1p-11, 0x1p-8, 0x1p-11};
	struct case_buffer wide = buffer_of("x", ELEMENT_F32, COUNT, FILL_UNIFORM, 0.0, 1.0);
	float *singles = xcalloc(COUNT, sizeof(*singles));
	void *narrow = xcalloc(COUNT, sizeof(float));

	(void)state;
	kernel_fill(singles, &wide, 3, NULL);
	for (size_t t = 0; t < ARRAY_SIZE(types); t++) {
		struct case_buffer buffer = buffer_of("x", types[t], COUNT, FILL_UNIFORM, 0.0, 1.0);
		size_t cut = 0;

		kernel_fill(narrow, &buffer, 3, NULL);
		for (int64_t i = 0; i < COUNT; i++) {
			double value = element_value(types[t], narrow, i);
			double lost = (double)singles[i] - value;

			assert_true(value >= 0.0 && lost >= 0.0 && lost < steps[t]);
			cut += lost > 0.0;
		}
		assert_true(cut > COUNT / 2);
		buffer.fill = FILL_INDEX;
		buffer.length = 5;
		kernel_fill(narrow, &buffer, 3, NULL);
		assert_true(element_value(types[t], narrow, 4) == 4.0);
		buffer.fill = FILL_CONSTANT;
		buffer.fill_low = 1.25;
		kernel_fill(narrow, &buffer, 3, NULL);
		assert_true(element_value(types[t], narrow, 4) == 1.25);
	}
	free(singles);
	free(narrow);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_golden),
		cmocka_unit_test(test_depends_on_seed_name_and_index_only),
		cmocka_unit_test(test_range),
		cmocka_unit_test(test_integers),
		cmocka_unit_test(test_index_and_constant),
		cmocka_unit_test(test_narrow_types),
		cmocka_unit_test(test_narrow_fills),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
