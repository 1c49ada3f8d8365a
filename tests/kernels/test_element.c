/* Element types: integers of every width, rounding to nearest, differences. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/element.h"

static const struct {
	enum element_type type;
	const char *name;
	size_t bytes;
	bool integer;
	double least, most; /* of the integers */
} types[] = {
	{ELEMENT_F32, "f32", 4, false, 0, 0},
	{ELEMENT_F64, "f64", 8, false, 0, 0},
	{ELEMENT_F16, "f16", 2, false, 0, 0},
	{ELEMENT_BF16, "bf16", 2, false, 0, 0},
	{ELEMENT_TF32, "tf32", 4, false, 0, 0},
	{ELEMENT_I8, "i8", 1, true, -128, 127},
	{ELEMENT_U8, "u8", 1, true, 0, 255},
	{ELEMENT_I16, "i16", 2, true, -32768, 32767},
	{ELEMENT_U16, "u16", 2, true, 0, 65535},
	{ELEMENT_I32, "i32", 4, true, -2147483648.0, 2147483647},
	{ELEMENT_U32, "u32", 4, true, 0, 4294967295.0},
	{ELEMENT_I64, "i64", 8, true, -0x1p63, 0x1p63},
	{ELEMENT_U64, "u64", 8, true, 0, 0x1p64},
};

static void test_types(void **state)
{
	enum element_type found;

	(void)state;
	assert_int_equal(ARRAY_SIZE(types), ELEMENT_TYPES);
	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		assert_string_equal(element_type_name(types[i].type), types[i].name);
		assert_true(element_type_parse(&found, types[i].name));
		assert_int_equal(found, types[i].type);
		assert_int_equal(element_size_bytes(types[i].type), types[i].bytes);
		assert_int_equal(element_is_integer(types[i].type), types[i].integer);
	}
	assert_false(element_type_parse(&found, "i128"));
}

static void test_integers_are_cut_and_clamped(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		uint64_t room[2] = {0};

		if (!types[i].integer)
			continue;
		element_store(types[i].type, room, 1, 1e300);
		assert_true(element_value(types[i].type, room, 1) == types[i].most);
		element_store(types[i].type, room, 1, -1e300);
		assert_true(element_value(types[i].type, room, 1) == types[i].least);
		element_store(types[i].type, room, 1, 100.9);
		assert_true(element_value(types[i].type, room, 1) == 100.0);
		assert_true(element_value(types[i].type, room, 0) == 0.0);
		element_store(types[i].type, room, 1, -100.9);
		assert_true(element_value(types[i].type, room, 1) ==
			    (types[i].least < 0.0 ? -100.0 : 0.0));
	}
}

static void test_exact_integers(void **state)
{
	uint64_t room[2];

	(void)state;
	element_store_integer(ELEMENT_I64, room, 1, (uint64_t)INT64_MAX);
	assert_true(element_integer(ELEMENT_I64, room, 1) == INT64_MAX);
	element_store_integer(ELEMENT_U64, room, 0, UINT64_MAX);
	assert_true((uint64_t)element_integer(ELEMENT_U64, room, 0) == UINT64_MAX);
	element_store_integer(ELEMENT_I8, room, 1, 0x180);
	assert_int_equal(element_integer(ELEMENT_I8, room, 1), -128);
	element_store_integer(ELEMENT_U16, room, 1, (uint64_t)-1);
	assert_int_equal(element_integer(ELEMENT_U16, room, 1), 65535);
}

static void test_nearest(void **state)
{
	static const struct {
		enum element_type type;
		double value, stored;
	} rows[] = {
		{ELEMENT_F32, 1.0 + 0x1.8p-24, 1.0 + 0x1p-23},
		{ELEMENT_F32, 1e300, INFINITY},
		{ELEMENT_F64, 0.1, 0.1},
		{ELEMENT_F16, 1.0 + 0x1p-11, 1.0}, /* ties to even */
		{ELEMENT_F16, 1.0 + 0x1.8p-10, 1.0 + 0x1p-9},
		{ELEMENT_F16, -65519.0, -65504.0},
		{ELEMENT_F16, -65520.0, -INFINITY},
		{ELEMENT_F16, 0x1.8p-25, 0x1p-24},
		{ELEMENT_F16, 0x1p-25, 0.0},
		/* Rounding to f32 first would give a tie, and then 1. */
		{ELEMENT_F16, 1.0 + 0x1p-11 + 0x1p-40, 1.0 + 0x1p-10},
		{ELEMENT_BF16, 1.0 + 0x1.8p-8, 1.0 + 0x1p-7},
		{ELEMENT_BF16, 0x1.ffp127, INFINITY},
		{ELEMENT_BF16, 0x1p-133, 0x1p-133},
		{ELEMENT_TF32, 1.0 + 0x1.8p-11, 1.0 + 0x1p-10},
		{ELEMENT_U8, 2.9, 2.0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		double room[2] = {-7.0, -7.0};

		element_store_nearest(rows[i].type, room, 1, rows[i].value);
		assert_true(element_value(rows[i].type, room, 1) == rows[i].stored);
	}
	for (size_t i = 0; i < 5; i++) {
		double room = 0.0;

		element_store_nearest(types[i].type, &room, 0, NAN);
		assert_true(isnan(element_value(types[i].type, &room, 0)));
		element_store_nearest(types[i].type, &room, 0, -INFINITY);
		assert_true(element_value(types[i].type, &room, 0) == -INFINITY);
	}
}

/* A value that the type lacks is refused, not cut: the last integers that a type has, and the next.
 */
static void test_held_integers(void **state)
{
	static const struct {
		enum element_type type;
		int64_t value;
		bool held;
	} rows[] = {
		{ELEMENT_I8, 127, true},
		{ELEMENT_I8, 128, false},
		{ELEMENT_I8, -128, true},
		{ELEMENT_I8, -129, false},
		{ELEMENT_U8, 255, true},
		{ELEMENT_U8, 256, false},
		{ELEMENT_U8, -1, false},
		{ELEMENT_U32, -1, false},
		{ELEMENT_U64, INT64_MAX, true},
		{ELEMENT_U64, -1, false},
		{ELEMENT_I64, INT64_MIN, true},
		{ELEMENT_F32, 1 << 24, true},
		{ELEMENT_F32, (1 << 24) + 1, false},
		{ELEMENT_F32, (1 << 24) + 2, true},
		{ELEMENT_F32, -(1 << 24) - 1, false},
		{ELEMENT_F64, INT64_MAX, false},
		{ELEMENT_F64, INT64_MIN, true},
		{ELEMENT_F16, 65504, true},
		{ELEMENT_F16, 65536, false},
		{ELEMENT_F16, 2049, false},
		{ELEMENT_BF16, 257, false},
		{ELEMENT_TF32, 2049, false},
		{ELEMENT_TF32, 4100, true},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		uint64_t room[2] = {0};
		bool held = element_hold_integer(rows[i].type, room, 1, rows[i].value);

		if (held != rows[i].held)
			fail_msg("row %zu: %s", i, held ? "held" : "refused");
		if (held && element_is_integer(rows[i].type))
			assert_true(element_integer(rows[i].type, room, 1) == rows[i].value);
		else if (held)
			assert_true(element_value(rows[i].type, room, 1) == (double)rows[i].value);
	}
}

static void test_held_reals(void **state)
{
	static const struct {
		enum element_type type;
		double value;
		bool held;
	} rows[] = {
		{ELEMENT_I32, 3.0, true},       {ELEMENT_I32, 3.5, false},
		{ELEMENT_I32, 0x1p31, false},   {ELEMENT_I32, -0x1p31, true},
		{ELEMENT_U64, 0x1p63, true},    {ELEMENT_U64, 0x1p64, false},
		{ELEMENT_U8, -1.0, false},      {ELEMENT_U8, NAN, false},
		{ELEMENT_I64, INFINITY, false}, {ELEMENT_F32, 0.1, true},
		{ELEMENT_F32, 1e39, false},     {ELEMENT_F32, -INFINITY, true},
		{ELEMENT_F32, NAN, true},       {ELEMENT_F16, 65519.0, true},
		{ELEMENT_F16, 65520.0, false},  {ELEMENT_F64, 1e308, true},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		uint64_t room[2] = {0};
		bool held = element_hold_real(rows[i].type, room, 1, rows[i].value);

		if (held != rows[i].held)
			fail_msg("row %zu: %s", i, held ? "held" : "refused");
	}
}

static void test_ranges(void **state)
{
	static const struct {
		enum element_type type;
		const char *range;
	} rows[] = {
		{ELEMENT_U8, "the integers 0 to 255"},
		{ELEMENT_I16, "the integers -32768 to 32767"},
		{ELEMENT_I64, "the integers -9223372036854775808 to 9223372036854775807"},
		{ELEMENT_U64, "the integers 0 to 18446744073709551615"},
		{ELEMENT_F16, "-65504 to 65504"},
		{ELEMENT_F32, "-3.40282e+38 to 3.40282e+38"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct text range = TEXT_INIT;

		element_describe_range(&range, rows[i].type);
		assert_string_equal(range.data, rows[i].range);
		text_release(&range);
	}
	assert_true(element_in_range(ELEMENT_I8, 127.0) && !element_in_range(ELEMENT_I8, 128.0));
	assert_true(element_in_range(ELEMENT_BF16, 0x1.fep127));
	assert_false(element_in_range(ELEMENT_BF16, -0x1.ffp127));
	assert_true(element_in_range(ELEMENT_TF32, 0x1.ffcp127));
	assert_false(element_in_range(ELEMENT_TF32, 0x1.ffep127));
	assert_false(element_in_range(ELEMENT_F64, NAN) || element_in_range(ELEMENT_U8, NAN));
}

static void test_difference(void **state)
{
	static const int64_t a[] = {INT64_MAX, INT64_MIN, (INT64_C(1) << 53) + 1};
	static const int64_t b[] = {INT64_MAX, INT64_MAX, INT64_C(1) << 53};
	static const uint64_t high[] = {UINT64_MAX}, low[] = {0};
	static const float with_nan[] = {NAN, 1.0f}, without[] = {1.0f, 3.5f};

	(void)state;
	assert_true(element_difference(ELEMENT_I64, a, b, 0) == 0.0);
	assert_true(element_difference(ELEMENT_I64, a, b, 1) == 0x1p64);
	/* As doubles, these are equal. */
	assert_true(element_difference(ELEMENT_I64, a, b, 2) == 1.0);
	assert_true(element_difference(ELEMENT_U64, low, high, 0) == 0x1p64);
	assert_true(isnan(element_difference(ELEMENT_F32, with_nan, without, 0)));
	assert_true(element_difference(ELEMENT_F32, with_nan, without, 1) == 2.5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_types),
		cmocka_unit_test(test_integers_are_cut_and_clamped),
		cmocka_unit_test(test_exact_integers),
		cmocka_unit_test(test_nearest),
		cmocka_unit_test(test_held_integers),
		cmocka_unit_test(test_held_reals),
		cmocka_unit_test(test_ranges),
		cmocka_unit_test(test_difference),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
