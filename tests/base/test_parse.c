#include "base/base.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Input that every parser must reject: nothing, blanks, trailing bytes, other notations. */
static const char *const never[] = {
	"",    " ",   "-",    "+",        "x",     "+1",     " 1",   "1 ",       "1\n",
	"\t1", "1x",  "0x10", "1,5",      "1.",    ".5",     ".",    "1e",       "1e+",
	"nan", "inf", "-inf", "--1",      "1-",    "1_000",  "1..2", "\xc2\xb9", "1\xff",
	"e5",  "%",   "1%%",  "infinity", "1e400", "1e-400",
};

static void assert_complains(const struct error *err, int rc, const char *text, const char *form)
{
	assert_int_equal(rc, PL_EUSAGE);
	assert_int_equal(err->code, PL_EUSAGE);
	assert_null(strchr(err->text, '\n'));
	assert_non_null(strstr(err->text, form));
	assert_non_null(strstr(err->text, "got '"));
	if (!strpbrk(text, "\n\t"))
		assert_non_null(strstr(err->text, text));
}

static void hex_bytes(void **state)
{
	static const char *const bad[] = {"", "0", "000", "0g", "x0", " 00", "00 ", "0x00", "-1"};
	static const unsigned char wanted[] = {0x00, 0xff, 0x1a, 0xBC};
	unsigned char *bytes = NULL;
	struct error err = {0};
	size_t count = 7;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		assert_int_equal(parse_hex_bytes(&bytes, &count, bad[i], &err), PL_EUSAGE);
		assert_null(bytes);
		assert_int_equal(count, 7);
	}
	assert_int_equal(parse_hex_bytes(&bytes, &count, "00ff1aBc", &err), 0);
	assert_int_equal(count, sizeof(wanted));
	assert_memory_equal(bytes, wanted, sizeof(wanted));
	free(bytes);
}

static void every_parser_rejects_what_is_no_number(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(never); i++) {
		const char *text = never[i];
		struct error err = {0};
		int64_t signed_value = 77;
		uint64_t unsigned_value = 77;
		double value = 77;

		assert_complains(&err, parse_i64(&signed_value, text, &err), text, "-9223372036");
		assert_complains(&err, parse_u64(&unsigned_value, text, &err), text, "from 0 to");
		assert_complains(&err, parse_double(&value, text, &err), text, "1e-3");
		assert_complains(&err, parse_size(&signed_value, text, &err), text, "16Mi");
		assert_complains(&err, parse_duration_ns(&signed_value, text, &err), text, "2min");
		assert_complains(&err, parse_ratio(&value, text, &err), text, "0.5%");
		assert_int_equal(signed_value, 77);
		assert_int_equal(unsigned_value, 77);
		assert_true(value == 77);
		assert_int_equal(parse_size(&signed_value, text, NULL), PL_EUSAGE);
	}
}

static void success_leaves_the_error_alone(void **state)
{
	struct error err = {0};
	int64_t number;
	double value;

	(void)state;
	assert_int_equal(parse_i64(&number, "1", &err), 0);
	assert_int_equal(parse_size(&number, "1k", &err), 0);
	assert_int_equal(parse_duration_ns(&number, "1s", &err), 0);
	assert_int_equal(parse_ratio(&value, "1%", &err), 0);
	assert_int_equal(err.code, 0);
	assert_string_equal(err.text, "");
}

static void whole_numbers_to_their_limits(void **state)
{
	int64_t number;
	uint64_t natural;

	(void)state;
	assert_int_equal(parse_i64(&number, "0", NULL), 0);
	assert_true(number == 0);
	assert_int_equal(parse_i64(&number, "-12", NULL), 0);
	assert_true(number == -12);
	assert_int_equal(parse_i64(&number, "9223372036854775807", NULL), 0);
	assert_true(number == INT64_MAX);
	assert_int_equal(parse_i64(&number, "-9223372036854775808", NULL), 0);
	assert_true(number == INT64_MIN);
	assert_int_equal(parse_u64(&natural, "18446744073709551615", NULL), 0);
	assert_true(natural == UINT64_MAX);
	assert_int_equal(parse_u64(&natural, "007", NULL), 0);
	assert_true(natural == 7);

	assert_int_equal(parse_i64(&number, "9223372036854775808", NULL), PL_EUSAGE);
	assert_int_equal(parse_i64(&number, "-9223372036854775809", NULL), PL_EUSAGE);
	assert_int_equal(parse_i64(&number, "99999999999999999999999", NULL), PL_EUSAGE);
	assert_int_equal(parse_u64(&natural, "18446744073709551616", NULL), PL_EUSAGE);
	assert_int_equal(parse_u64(&natural, "-1", NULL), PL_EUSAGE);
	assert_int_equal(parse_i64(&number, "1.5", NULL), PL_EUSAGE);
	assert_int_equal(parse_i64(&number, "1k", NULL), PL_EUSAGE);
}

static void decimals(void **state)
{
	static const struct {
		const char *text;
		double value;
	} rows[] = {
		{"0", 0},       {"0.5", 0.5},         {"-0.25", -0.25},       {"1e-3", 1e-3},
		{"1E+3", 1000}, {"1.5e300", 1.5e300}, {"4.9e-324", 4.9e-324}, {"0e-999", 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		double value = NAN;

		assert_int_equal(parse_double(&value, rows[i].text, NULL), 0);
		assert_true(value == rows[i].value);
	}
}

static void sizes(void **state)
{
	static const struct {
		const char *text;
		int64_t value;
	} good[] = {
		{"0", 0},
		{"4096", 4096},
		{"16k", 16000},
		{"1M", 1000000},
		{"3G", INT64_C(3000000000)},
		{"16Ki", 16384},
		{"16Mi", 16777216},
		{"2Gi", INT64_C(2147483648)},
		{"1Ti", INT64_C(1) << 40},
		{"2^24", 16777216},
		{"10^9", 1000000000},
		{"2^0", 1},
		{"0^18446744073709551615", 0},
		{"1^18446744073709551615", 1},
		{"2^62", INT64_C(1) << 62},
		{"4611686018427387904", INT64_C(1) << 62},
		{"4194304Ti", INT64_C(1) << 62},
		{"1e6", 1000000},
		{"1E+6", 1000000},
		{"1.5e6", 1500000},
		{"1.50e1", 15},
		{"1.5M", 1500000},
		{"0.5Ki", 512},
		{"1.5Mi", 1572864},
		{"1.000", 1},
		{"0.0", 0},
		{"2e3k", 2000000},
		{"0e40", 0},
		{"1T", INT64_C(1000000000000)},
	};
	static const char *const bad[] = {
		"-1",
		"1.5",
		"16MiB",
		"16K",
		"16m",
		"16B",
		"1ki",
		"16 Mi",
		"2^",
		"^2",
		"2^63",
		"3^40",
		"2^-1",
		"2^2^2",
		"2^4Ki",
		"2Ki^2",
		"2**4",
		"4611686018427387905",
		"4194305Ti",
		"18446744073709551615Ki",
		"10000000000000000000k",
		"2^18446744073709551616",
		"1.5e0",
		"1e-6",
		"0.3Ki",
		"1e19",
		"1e30",
		"1e41",
		"0e41",
		"1e99999999999999999999",
		"1.5^2",
		"1.e6",
		"1e6e6",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		int64_t value = -1;

		assert_int_equal(parse_size(&value, good[i].text, NULL), 0);
		assert_true(value == good[i].value);
	}
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct error err = {0};
		int64_t value = -1;

		assert_complains(&err, parse_size(&value, bad[i], &err), bad[i], "2^24");
		assert_true(value == -1);
	}
}

static void other_ways_to_write_a_number_are_suggested(void **state)
{
	static const struct {
		const char *text, *meant;
		int (*parse)(int64_t *out, const char *text, struct error *err);
	} rows[] = {
		{"1MB", "did you mean 1M?", parse_size},
		{"1MiB", "did you mean 1Mi?", parse_size},
		{"16K", "did you mean 16k?", parse_size},
		{"16m", "did you mean 16M?", parse_size},
		{"2**20", "did you mean 2^20?", parse_size},
		{"1<<20", "did you mean 2^20?", parse_size},
		{"0x100000", "did you mean 1048576?", parse_size},
		{"1_000_000", "did you mean 1000000?", parse_size},
		{"1 000", "did you mean 1000?", parse_size},
		{"5m", "did you mean 5min?", parse_duration_ns},
		{"1.5 sec", "did you mean 1.5s?", parse_duration_ns},
		{"5S", "did you mean 5s?", parse_duration_ns},
		{"2hours", "did you mean 2h?", parse_duration_ns},
	};
	struct error err = {0};
	double ratio;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		int64_t value;

		assert_int_equal(rows[i].parse(&value, rows[i].text, &err), PL_EUSAGE);
		if (!strstr(err.text, rows[i].meant))
			fail_msg("'%s' gave: %s", rows[i].text, err.text);
	}
	assert_int_equal(parse_ratio(&ratio, "5", &err), PL_EUSAGE);
	assert_non_null(strstr(err.text, "did you mean 5%?"));
	/* no suggestion is better than a wrong one */
	assert_int_equal(parse_ratio(&ratio, "200", &err), PL_EUSAGE);
	assert_null(strstr(err.text, "did you mean"));
	assert_int_equal(parse_size(&(int64_t){0}, "many", &err), PL_EUSAGE);
	assert_null(strstr(err.text, "did you mean"));
}

static void durations(void **state)
{
	static const struct {
		const char *text;
		int64_t ns;
	} good[] = {
		{"0", 0},
		{"50ns", 50},
		{"250us", 250000},
		{"0.1ms", 100000},
		{"1.001ms", 1001000}, /* computed in double, the product is slightly less */
		{"10ms", 10000000},
		{"1.5s", INT64_C(1500000000)},
		{"2min", INT64_C(120000000000)},
		{"3", INT64_C(3000000000)},
		{"0.5", 500000000},
		{"1e-3s", 1000000},
		{"8640000", INT64_C(8640000000000000)},
	};
	static const char *const bad[] = {
		"-1s",     "1d",     "1m",    "1S", "1 s",   "1sec",  "1.s",
		"8640001", "1e300s", "0.1ns", "s",  "1s2ms", "1minn",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		int64_t ns = -1;

		assert_int_equal(parse_duration_ns(&ns, good[i].text, NULL), 0);
		assert_true(ns == good[i].ns);
	}
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct error err = {0};
		int64_t ns = -1;

		assert_complains(&err, parse_duration_ns(&ns, bad[i], &err), bad[i], "250us");
		assert_true(ns == -1);
	}
}

static void ratios(void **state)
{
	static const char *const bad[] = {"0",
					  "0%",
					  "1",
					  "100%",
					  "-1%",
					  "0.5%%",
					  "0.5 %",
					  "1e-400",
					  "%5",
					  "5",
					  "99.99999999999999999999%"};
	double ratio;

	(void)state;
	assert_int_equal(parse_ratio(&ratio, "0.5%", NULL), 0);
	assert_true(ratio == 0.005);
	assert_int_equal(parse_ratio(&ratio, "0.005", NULL), 0);
	assert_true(ratio == 0.005);
	assert_int_equal(parse_ratio(&ratio, "99%", NULL), 0);
	assert_true(ratio == 0.99);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct error err = {0};

		assert_complains(&err, parse_ratio(&ratio, bad[i], &err), bad[i], "0.005");
		assert_true(ratio == 0.99);
	}
}

static void the_forms_survive_a_long_text(void **state)
{
	struct error err = {0};
	char text[5000];
	int64_t value;

	(void)state;
	memset(text, '9', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	assert_int_equal(parse_size(&value, text, &err), PL_EUSAGE);
	assert_non_null(strstr(err.text, "16Mi"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hex_bytes),
		cmocka_unit_test(every_parser_rejects_what_is_no_number),
		cmocka_unit_test(success_leaves_the_error_alone),
		cmocka_unit_test(whole_numbers_to_their_limits),
		cmocka_unit_test(decimals),
		cmocka_unit_test(sizes),
		cmocka_unit_test(other_ways_to_write_a_number_are_suggested),
		cmocka_unit_test(durations),
		cmocka_unit_test(ratios),
		cmocka_unit_test(the_forms_survive_a_long_text),
	};

	return cmocka_run_group_tests_name("base_parse", tests, NULL, NULL);
}
