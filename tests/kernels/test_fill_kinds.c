/* Inputs: integers of every width, normal values, permutations and files. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "kernels/kernels.h"
#include "kernels/npy.h"

static struct case_buffer filled(enum element_type type, int64_t length, enum buffer_fill fill,
				 double low, double high)
{
	return (struct case_buffer){.name = "x",
				    .type = type,
				    .length = length,
				    .role = BUFFER_IN,
				    .fill = fill,
				    .fill_low = low,
				    .fill_high = high};
}

static const enum element_type integers[] = {ELEMENT_I8,  ELEMENT_U8,  ELEMENT_I16, ELEMENT_U16,
					     ELEMENT_I32, ELEMENT_U32, ELEMENT_I64, ELEMENT_U64};

/* Each value of a die as often as the others, and no other value. */
static void test_uniform_integers(void **state)
{
	enum { COUNT = 6000 };
	uint64_t *data = xcalloc(COUNT, sizeof(*data));

	(void)state;
	for (size_t t = 0; t < ARRAY_SIZE(integers); t++) {
		struct case_buffer die = filled(integers[t], COUNT, FILL_UNIFORM, 3.0, 9.0);
		int seen[6] = {0};

		assert_int_equal(kernel_fill(data, &die, 1, NULL), 0);
		for (int i = 0; i < COUNT; i++) {
			assert_in_range(element_integer(integers[t], data, i), 3, 8);
			seen[element_integer(integers[t], data, i) - 3]++;
		}
		for (int face = 0; face < 6; face++)
			assert_in_range(seen[face], 850, 1150);
	}
	free(data);
}

/* Every bit of the type is drawn, and bounds beyond the type are those of the type. */
static void test_whole_range(void **state)
{
	enum { COUNT = 4000 };
	uint64_t *data = xcalloc(COUNT, sizeof(*data));

	(void)state;
	for (size_t t = 0; t < ARRAY_SIZE(integers); t++) {
		size_t bits = 8 * element_size_bytes(integers[t]);
		struct case_buffer every = filled(integers[t], COUNT, FILL_UNIFORM, -1e300, 1e300);
		int set[64] = {0};

		assert_int_equal(kernel_fill(data, &every, 1, NULL), 0);
		for (int i = 0; i < COUNT; i++)
			for (size_t b = 0; b < bits; b++)
				set[b] +=
					(int)((uint64_t)element_integer(integers[t], data, i) >> b &
					      1);
		for (size_t b = 0; b < bits; b++)
			assert_in_range(set[b], COUNT / 2 - 200, COUNT / 2 + 200);
	}
	free(data);
}

/* Bounds that are cut to one integer leave that integer, whatever the type. */
static void test_one_value(void **state)
{
	static const struct {
		double low, high, wanted_signed, wanted_unsigned;
	} rows[] = {
		{7.0, 7.0, 7.0, 7.0},    {7.0, 8.0, 7.0, 7.0}, {7.2, 7.9, 7.0, 7.0},
		{-5.0, -4.0, -5.0, 0.0}, {9.0, 3.0, 9.0, 9.0}, {0.0, 0.5, 0.0, 0.0},
	};

	(void)state;
	for (size_t r = 0; r < ARRAY_SIZE(rows); r++)
		for (size_t t = 0; t < ARRAY_SIZE(integers); t++) {
			struct case_buffer buffer =
				filled(integers[t], 8, FILL_UNIFORM, rows[r].low, rows[r].high);
			double wanted = t % 2 ? rows[r].wanted_unsigned : rows[r].wanted_signed;
			uint64_t data[8];

			assert_int_equal(kernel_fill(data, &buffer, 1, NULL), 0);
			for (int i = 0; i < 8; i++)
				assert_true(element_value(integers[t], data, i) == wanted);
		}
}

static void test_index_wraps(void **state)
{
	struct case_buffer index = filled(ELEMENT_U8, 300, FILL_INDEX, 0.0, 0.0);
	struct case_buffer wide = filled(ELEMENT_I64, 300, FILL_INDEX, 0.0, 0.0);
	uint8_t bytes[300];
	int64_t words[300];

	(void)state;
	assert_int_equal(kernel_fill(bytes, &index, 1, NULL), 0);
	assert_int_equal(kernel_fill(words, &wide, 1, NULL), 0);
	assert_int_equal(bytes[255], 255);
	assert_int_equal(bytes[256], 0);
	assert_int_equal(words[299], 299);
}

/* Stored results of other machines are compared with these inputs: they may never change. */
static void test_new_golden(void **state)
{
	struct case_buffer normal = filled(ELEMENT_F64, 3, FILL_NORMAL, 0.0, 1.0);
	struct case_buffer order = filled(ELEMENT_I32, 10, FILL_PERMUTATION, 0.0, 0.0);
	struct case_buffer wide = filled(ELEMENT_U64, 2, FILL_UNIFORM, 0.0, 0x1p64);
	static const double normal_values[] = {-0x1.d2c7feac32bbep-1, 0x1.6ce88e796fb71p-1,
					       0x1.ecbdff5d2f90ep-1};
	static const int32_t order_values[] = {6, 5, 2, 9, 4, 7, 3, 8, 1, 0};
	static const uint64_t wide_values[] = {UINT64_C(0xca80206a9ee93f9b),
					       UINT64_C(0x655e4d513a7f20c4)};
	double f64[3];
	int32_t i32[10];
	uint64_t u64[2];

	(void)state;
	assert_int_equal(kernel_fill(f64, &normal, 1, NULL), 0);
	assert_memory_equal(f64, normal_values, sizeof(normal_values));
	assert_int_equal(kernel_fill(i32, &order, 1, NULL), 0);
	assert_memory_equal(i32, order_values, sizeof(order_values));
	assert_int_equal(kernel_fill(u64, &wide, 1, NULL), 0);
	assert_memory_equal(u64, wide_values, sizeof(wide_values));
}

/* Mean, deviation, the shares within 1 and 2 deviations, the bound at 6, and the mantissa. */
static void test_normal(void **state)
{
	enum { COUNT = 100000 };
	struct case_buffer buffer = filled(ELEMENT_F64, COUNT, FILL_NORMAL, 0.0, 2.0);
	double *data = xcalloc(COUNT, sizeof(*data));
	double sum = 0.0, squares = 0.0;
	int within_1 = 0, within_2 = 0, odd = 0;

	(void)state;
	assert_int_equal(kernel_fill(data, &buffer, 3, NULL), 0);
	for (int i = 0; i < COUNT; i++) {
		double z = data[i] / 2.0;
		uint64_t bits;

		memcpy(&bits, &data[i], sizeof(bits));
		odd += bits & 1;
		assert_true(fabs(z) <= 6.0);
		sum += z;
		squares += z * z;
		within_1 += fabs(z) < 1.0;
		within_2 += fabs(z) < 2.0;
	}
	assert_true(fabs(sum / COUNT) < 0.015);
	assert_true(fabs(squares / COUNT - 1.0) < 0.02);
	assert_in_range(within_1, COUNT * 0.67, COUNT * 0.69);
	assert_in_range(within_2, COUNT * 0.945, COUNT * 0.965);
	assert_in_range(odd, COUNT * 0.49, COUNT * 0.51);
	free(data);
}

static void test_normal_of_narrow_types(void **state)
{
	enum { COUNT = 5000 };
	static const enum element_type types[] = {ELEMENT_F32, ELEMENT_F16, ELEMENT_BF16,
						  ELEMENT_TF32};
	double *wide = xcalloc(COUNT, sizeof(*wide));
	double *data = xcalloc(COUNT, sizeof(*data));
	struct case_buffer buffer = filled(ELEMENT_F64, COUNT, FILL_NORMAL, 0.0, 3.0);
	int zeroes = 0;

	(void)state;
	assert_int_equal(kernel_fill(wide, &buffer, 3, NULL), 0);
	for (size_t t = 0; t < ARRAY_SIZE(types); t++) {
		buffer.type = types[t];
		assert_int_equal(kernel_fill(data, &buffer, 3, NULL), 0);
		for (int i = 0; i < COUNT; i++)
			assert_true(fabs(element_value(types[t], data, i) - wide[i]) <=
				    fabs(wide[i]) * 0x1p-7 + 0x1p-24);
	}
	/* Integers are rounded to nearest: P(|x| < 0.5) is 0.132, cut it would be 0.26. */
	buffer.type = ELEMENT_I8;
	assert_int_equal(kernel_fill(data, &buffer, 3, NULL), 0);
	for (int i = 0; i < COUNT; i++)
		zeroes += ((int8_t *)data)[i] == 0;
	assert_in_range(zeroes, 560, 760);
	/* A value beyond the type is its largest one. */
	buffer.fill_low = 1e6;
	assert_int_equal(kernel_fill(data, &buffer, 3, NULL), 0);
	assert_int_equal(((int8_t *)data)[9], 127);
	free(wide);
	free(data);
}

static void assert_permutation(enum element_type type, int64_t length, uint64_t seed)
{
	struct case_buffer buffer = filled(type, length, FILL_PERMUTATION, 0.0, 0.0);
	uint64_t *data = xcalloc((size_t)length + 1, sizeof(*data));
	char *seen = xcalloc((size_t)length + 1, 1);

	assert_int_equal(kernel_fill(data, &buffer, seed, NULL), 0);
	for (int64_t i = 0; i < length; i++) {
		double value = element_value(type, data, i);

		assert_true(value >= 0.0 && value < (double)length);
		assert_false(seen[(int64_t)value]++);
	}
	free(data);
	free(seen);
}

static void test_permutation(void **state)
{
	struct case_buffer buffer = filled(ELEMENT_U32, 1000, FILL_PERMUTATION, 0.0, 0.0);
	uint32_t one[1000], other[1000];
	int same = 0, fixed = 0;

	(void)state;
	for (int64_t length = 0; length < 70; length++)
		assert_permutation(ELEMENT_I32, length, 5);
	assert_permutation(ELEMENT_U32, 200000, 5);
	assert_permutation(ELEMENT_U32, 131072, 5);
	assert_permutation(ELEMENT_U8, 256, 5);
	assert_permutation(ELEMENT_I16, 32768, 5);
	assert_permutation(ELEMENT_F16, 2048, 5);
	assert_permutation(ELEMENT_F32, 100000, 5);
	assert_permutation(ELEMENT_I64, 1000, 5);
	/* Another seed, another order; neither is the order of the indices. */
	assert_int_equal(kernel_fill(one, &buffer, 1, NULL), 0);
	assert_int_equal(kernel_fill(other, &buffer, 2, NULL), 0);
	for (uint32_t i = 0; i < 1000; i++) {
		same += one[i] == other[i];
		fixed += one[i] == i;
	}
	assert_in_range(same, 0, 10);
	assert_in_range(fixed, 0, 10);
}

static void test_permutation_too_long(void **state)
{
	static const struct {
		enum element_type type;
		int64_t length;
	} rows[] = {{ELEMENT_I8, 129},   {ELEMENT_U8, 257},   {ELEMENT_I16, 32769},
		    {ELEMENT_F16, 2049}, {ELEMENT_BF16, 257}, {ELEMENT_F32, (1 << 24) + 1}};
	double room = 0.0;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct case_buffer buffer =
			filled(rows[i].type, rows[i].length, FILL_PERMUTATION, 0.0, 0.0);
		struct error err = {0};

		/* Nothing is written, so the room needs not hold the elements. */
		assert_int_equal(kernel_fill(&room, &buffer, 1, &err), PL_EUSAGE);
		assert_non_null(strstr(err.text, "buffer x: a permutation of"));
		assert_non_null(strstr(err.text, element_type_name(rows[i].type)));
	}
}

static void test_files(void **state)
{
	static const int16_t values[] = {1, -2, 300};
	char raw[] = "/tmp/perflab_fill_XXXXXX", npy[sizeof(raw) + 4];
	struct case_buffer buffer = filled(ELEMENT_I16, 3, FILL_FILE, 0.0, 0.0);
	int16_t data[4] = {0};
	struct error err = {0};
	int fd = mkstemp(raw);

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(write(fd, values, sizeof(values)), sizeof(values));
	close(fd);
	snprintf(npy, sizeof(npy), "%s.npy", raw);
	buffer.fill_file = raw;
	assert_int_equal(kernel_fill(data, &buffer, 1, &err), 0);
	assert_memory_equal(data, values, sizeof(values));
	for (buffer.length = 2; buffer.length <= 4; buffer.length += 2) {
		assert_int_equal(kernel_fill(data, &buffer, 1, &err), PL_EUSAGE);
		assert_non_null(strstr(err.text, raw));
		assert_non_null(
			strstr(err.text, buffer.length == 2 ? "more bytes" : "fewer bytes"));
	}
	buffer.length = 3;
	buffer.fill_file = npy;
	assert_int_equal(kernel_fill(data, &buffer, 1, &err), PL_ENOENT);
	assert_non_null(strstr(err.text, "buffer x: no such file"));
	assert_int_equal(npy_write(npy, ELEMENT_I16, values, 3, &err), 0);
	memset(data, 0, sizeof(data));
	assert_int_equal(kernel_fill(data, &buffer, 1, &err), 0);
	assert_memory_equal(data, values, sizeof(values));
	buffer.type = ELEMENT_U16;
	assert_int_equal(kernel_fill(data, &buffer, 1, &err), PL_EUSAGE);
	assert_non_null(strstr(err.text, "array.astype(numpy.uint16)"));
	unlink(raw);
	unlink(npy);
	buffer.fill_file = raw;
	assert_int_equal(kernel_fill(data, &buffer, 1, &err), PL_ENOENT);
}

/* Any bit of the mantissa is set in about half of the values. */
static void test_every_bit_of_the_mantissa(void **state)
{
	static const enum element_type types[] = {ELEMENT_F32, ELEMENT_F64, ELEMENT_F16,
						  ELEMENT_BF16, ELEMENT_TF32};
	enum { COUNT = 4000 };
	double *data = xcalloc(COUNT, sizeof(*data));

	(void)state;
	for (size_t t = 0; t < ARRAY_SIZE(types); t++) {
		struct case_buffer buffer = filled(types[t], COUNT, FILL_UNIFORM, -1.0, 1.0);
		const int bits = element_significant_bits(types[t]);
		int seen[64] = {0};

		buffer.has_fill_bits = true;
		buffer.fill_bits = bits;
		assert_int_equal(kernel_fill(data, &buffer, 1, NULL), 0);
		for (int i = 0; i < COUNT; i++) {
			int exponent;
			double mantissa = frexp(fabs(element_value(types[t], data, i)), &exponent);
			uint64_t whole = (uint64_t)ldexp(mantissa, bits);

			assert_true((double)whole == ldexp(mantissa, bits));
			for (int b = 0; b < bits - 1; b++)
				seen[b] += (int)(whole >> b & 1);
		}
		for (int b = 0; b < bits - 1; b++)
			assert_in_range(seen[b], COUNT / 2 - 200, COUNT / 2 + 200);
	}
	free(data);
}

static void test_fewer_bits(void **state)
{
	static const struct {
		enum element_type type;
		enum buffer_fill fill;
		double low, high;
	} rows[] = {
		{ELEMENT_F32, FILL_UNIFORM, -1, 1},
		{ELEMENT_F64, FILL_NORMAL, 0, 1e-3},
		{ELEMENT_F16, FILL_UNIFORM, 0, 1e-6},
		{ELEMENT_I32, FILL_UNIFORM, -1e9, 1e9},
		{ELEMENT_U8, FILL_UNIFORM, 0, 256},
		{ELEMENT_U64, FILL_UNIFORM, 0, 0x1p64},
		{ELEMENT_I64, FILL_UNIFORM, -0x1p63, 0x1p63},
	};
	enum { COUNT = 1000, BITS = 3 };
	double *whole = xcalloc(COUNT, sizeof(*whole));
	double *data = xcalloc(COUNT, sizeof(*data));

	(void)state;
	for (size_t r = 0; r < ARRAY_SIZE(rows); r++) {
		struct case_buffer buffer =
			filled(rows[r].type, COUNT, rows[r].fill, rows[r].low, rows[r].high);

		buffer.has_fill_bits = true;
		buffer.fill_bits = element_significant_bits(rows[r].type);
		assert_int_equal(kernel_fill(whole, &buffer, 5, NULL), 0);
		buffer.fill_bits = BITS;
		assert_int_equal(kernel_fill(data, &buffer, 5, NULL), 0);
		for (int i = 0; i < COUNT; i++) {
			const double value = element_value(rows[r].type, data, i);
			const double of = element_value(rows[r].type, whole, i);
			int exponent;

			/* three bits, from those of the whole value, nearer to 0 by less than the
			 * last */
			assert_true(rint(ldexp(frexp(value, &exponent), BITS)) ==
				    ldexp(frexp(value, &exponent), BITS));
			assert_true(fabs(value) <= fabs(of));
			assert_true(fabs(of - value) <= 0.25 * fabs(of));
			assert_true(value * of >= 0);
		}
		buffer.fill_bits = 0;
		assert_int_equal(kernel_fill(data, &buffer, 5, NULL), 0);
		element_store(rows[r].type, whole, 0, rows[r].low);
		for (int i = 0; i < COUNT; i++)
			assert_true(element_value(rows[r].type, data, i) ==
				    element_value(rows[r].type, whole, 0));
	}
	free(whole);
	free(data);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_uniform_integers),
		cmocka_unit_test(test_whole_range),
		cmocka_unit_test(test_one_value),
		cmocka_unit_test(test_index_wraps),
		cmocka_unit_test(test_new_golden),
		cmocka_unit_test(test_normal),
		cmocka_unit_test(test_normal_of_narrow_types),
		cmocka_unit_test(test_permutation),
		cmocka_unit_test(test_permutation_too_long),
		cmocka_unit_test(test_every_bit_of_the_mantissa),
		cmocka_unit_test(test_fewer_bits),
		cmocka_unit_test(test_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
