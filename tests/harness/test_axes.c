/* The axis grammar: its values and its error messages. */
#include "support.h"

#include <stdlib.h>
#include <string.h>

static void assert_values(const char *text, size_t count, const int64_t *expected)
{
	struct axis_values values = {0};
	struct error err = {0};

	if (axis_parse(&values, text, &err))
		fail_msg("%s: %s", text, err.text);
	assert_int_equal(values.count, count);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(values.items[i], expected[i]);
	axis_values_release(&values);
	assert_null(values.items);
}
#define VALUES(text, ...)                                                       \
	assert_values(text, sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t), \
		      (int64_t[]){__VA_ARGS__})

static void test_good(void **context)
{
	(void)context;
	VALUES("64", 64);
	VALUES("2^24", 16777216);
	VALUES("16Mi", 16777216);
	VALUES("64..1024", 64, 128, 256, 512, 1024);
	VALUES("64..1000", 64, 128, 256, 512);
	VALUES("64..64", 64);
	VALUES("64..160:+32", 64, 96, 128, 160);
	VALUES("64..1024:*4", 64, 256, 1024);
	VALUES("3..20:*2", 3, 6, 12);
	VALUES("1Ki..4Ki:+1Ki", 1024, 2048, 3072, 4096);
	VALUES("128,64,96", 64, 96, 128);
	VALUES("64..256,96,128", 64, 96, 128, 256);
	VALUES(" 64 ,\t128 ", 64, 128);
	VALUES("2^62", INT64_C(1) << 62);
	VALUES("2^61..2^62", INT64_C(1) << 61, INT64_C(1) << 62);
	VALUES("2^62..2^62:+2^62", INT64_C(1) << 62);
}

static void test_limit_of_values(void **context)
{
	struct axis_values values = {0};
	struct error err = {0};

	(void)context;
	assert_int_equal(axis_parse(&values, "1..4096:+1", &err), 0);
	assert_int_equal(values.count, AXIS_MAX_VALUES);
	axis_values_release(&values);
	assert_int_equal(axis_parse(&values, "1..4097:+1", &err), PL_EUSAGE);
	assert_non_null(strstr(err.text, "more than 4096 values"));
	assert_null(values.items);
}

static const struct {
	const char *text, *message; /* the message, or its beginning */
} bad[] = {
	{"", "the axis has no values: write values such as 64..1024 or 64,96"},
	{"1024..64", "'1024..64' is descending: write 64..1024"},
	{"32,1024..64", "'1024..64' (character 4 of '32,1024..64') is descending: write 64..1024"},
	{"64..", "'64..' has no last value: write FIRST..LAST, such as 64..1024"},
	{"..64", "'..64' has no first value: write FIRST..LAST, such as 64..1024"},
	{"..", "'..' has no first value"},
	{"0..64", "'0..64' contains a 0: a range starts at 1 (write 0,1..64)"},
	{"64..128:+0", "'64..128:+0' contains a 0"},
	{"64..128:*1", "'64..128:*1' never ends: use a factor of at least 2"},
	{"64..128:", "'64..128:' has no step after ':': write :+32 to add or :*4 to multiply"},
	{"64..128:32", "'64..128:32' has no step after ':'"},
	{"64:+32", "'64:+32' has a step without a range"},
	{"64,,128", "'64,,128' has an empty value at character 4: remove the extra comma"},
	{",64", "',64' has an empty value at character 1"},
	{"64,", "'64,' has an empty value at character 4"},
	{"abc", "'abc' is not a valid axis value"},
	{"-64", "'-64' is not a valid axis value: values are at least 0. To pass a negative "
		"number, write 0 - NAME"},
	{"6 4", "'6 4' is not a valid axis value"},
	{"2^63", "'2^63' is not a valid axis value"},
	{"99999999999999999999", "'99999999999999999999' is not a valid axis value"},
	{"64...128", "'64...128' is not a valid axis value"},
	{"64..128..256", "'64..128..256' is not a valid axis value"},
	{"1..2^62:+1", "'1..2^62:+1' has more than 4096 values"},
	/* other ways to write a range or a list */
	{"64-1024", "'64-1024' is not a valid axis value: did you mean 64..1024?"},
	{"64:1024", "'64:1024' is not a valid axis value: did you mean 64..1024?"},
	{"64:1024:32", "'64:1024:32' is not a valid axis value: did you mean 64..1024:+32?"},
	{"64..1024..32", "'64..1024..32' is not a valid axis value: did you mean 64..1024:+32?"},
	{"64-1024:*4", "'64-1024:*4' is not a valid axis value: did you mean 64..1024:*4?"},
	{"32,64-128", "'32,64-128' is not a valid axis value: did you mean 32,64..128?"},
	{"1,000,000", "'1,000,000' is a list of several values, of which '000' is one: write"},
	{"16,024", "'16,024' is a list of several values, of which '024' is one: write"},
	{"[64, 128]", "'[64, 128]' is not a valid axis value: did you mean 64,128?"},
	{"64 128", "'64 128' is not a valid axis value: did you mean 64,128?"},
	{"1k-1M", "'1k-1M' is not a valid axis value: did you mean 1k..1M?"},
	/* what fits no suggestion keeps its own message */
	{"1024-64", "'1024-64' is not a valid axis value: expected"},
	{"-64", "'-64' is not a valid axis value: values are at least 0"},
	{"64-", "'64-' is not a valid axis value: expected"},
	{"a-b", "'a-b' is not a valid axis value: expected"},
	{"64-128-256-512", "'64-128-256-512' is not a valid axis value: expected"},
};

static void test_bad(void **context)
{
	(void)context;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct axis_values values = {0};
		struct error err = {0};

		assert_int_equal(axis_parse(&values, bad[i].text, &err), PL_EUSAGE);
		if (strncmp(err.text, bad[i].message, strlen(bad[i].message)))
			fail_msg("'%s' gave: %s", bad[i].text, err.text);
		assert_null(values.items);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good),
		cmocka_unit_test(test_limit_of_values),
		cmocka_unit_test(test_bad),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
