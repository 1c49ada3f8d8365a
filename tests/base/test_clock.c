#include "base/base.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void monotonic_time_does_not_go_back(void **state)
{
	int64_t before = monotonic_ns();

	(void)state;
	assert_true(before > 0);
	for (int i = 0; i < 1000; i++) {
		int64_t now = monotonic_ns();

		assert_true(now >= before);
		before = now;
	}
}

static void wall_time_is_the_systems(void **state)
{
	int64_t before, now;

	(void)state;
	unsetenv("PERFLAB_EPOCH_NS");
	before = (int64_t)time(NULL) - 1;
	now = wall_time_ns() / 1000000000;
	assert_true(now >= before && now <= (int64_t)time(NULL) + 1);
}

/* The wall clock of the test runs so far ahead. */
static time_t ahead_s;

int __real_clock_gettime(clockid_t clock, struct timespec *out);
int __wrap_clock_gettime(clockid_t clock, struct timespec *out);

int __wrap_clock_gettime(clockid_t clock, struct timespec *out)
{
	const int rc = __real_clock_gettime(clock, out);

	if (clock == CLOCK_REALTIME)
		out->tv_sec += ahead_s;
	return rc;
}

static void a_clock_that_is_set_changes_no_duration(void **state)
{
	const int64_t begin_ns = wall_time_ns();
	int64_t took_ns;

	(void)state;
	ahead_s = INT64_C(200) * 365 * 86400;
	took_ns = wall_time_ns() - begin_ns;
	ahead_s = 0;
	assert_true(took_ns >= 0 && took_ns < INT64_C(60) * 1000000000);
}

static void wall_time_can_be_frozen(void **state)
{
	(void)state;
	setenv("PERFLAB_EPOCH_NS", "1763693445000000123", 1);
	assert_true(wall_time_ns() == INT64_C(1763693445000000123));
	setenv("PERFLAB_EPOCH_NS", "yesterday", 1);
	assert_true(wall_time_ns() > INT64_C(1763693445000000123));
	unsetenv("PERFLAB_EPOCH_NS");
}

static void utc(void **state)
{
	static const struct {
		int64_t wall_ns;
		const char *text;
	} rows[] = {
		{0, "1970-01-01T00:00:00Z"},
		{INT64_C(1763693445999999999), "2025-11-21T02:50:45Z"},
		{-1, "1969-12-31T23:59:59Z"},
		{INT64_C(951782400) * 1000000000, "2000-02-29T00:00:00Z"},
		{INT64_MAX, "2262-04-11T23:47:16Z"},
		{INT64_MIN, "1677-09-21T00:12:43Z"},
	};
	char out[21];

	(void)state;
	setenv("TZ", "Asia/Tokyo", 1);
	tzset();
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		format_utc(out, rows[i].wall_ns);
		assert_string_equal(out, rows[i].text);
	}
}

static void bytes(void **state)
{
	static const struct {
		double bytes;
		const char *text;
	} rows[] = {
		{0, "0 B"},
		{512, "512 B"},
		{1023.4, "1023 B"},
		{1023.6, "1.0 KiB"},
		{1024, "1.0 KiB"},
		{67108864, "64.0 MiB"},
		{1048575, "1.0 MiB"},
		{1.5 * 1024 * 1024 * 1024, "1.5 GiB"},
		{-2048, "-2.0 KiB"},
		{18446744073709551616.0, "16.0 EiB"},
		{(double)NAN, "n/a"},
		{(double)INFINITY, "inf"},
		{(double)-INFINITY, "-inf"},
	};
	char out[32];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		format_bytes(out, rows[i].bytes);
		assert_string_equal(out, rows[i].text);
	}
	format_bytes(out, 1e308);
	assert_non_null(strstr(out, " EiB"));
}

static void durations(void **state)
{
	static const struct {
		double ns;
		const char *text;
	} rows[] = {
		{0, "0 ns"},           {1, "1.00 ns"},
		{0.25, "0.25 ns"},     {999.4, "999 ns"},
		{999.6, "1.00 us"},    {74300, "74.3 us"},
		{1200000, "1.20 ms"},  {9.996e6, "10.0 ms"},
		{99.96e6, "100 ms"},   {1.5e9, "1.50 s"},
		{59.96e9, "1.00 min"}, {150e9, "2.50 min"},
		{5400e9, "1.50 h"},    {-1500, "-1.50 us"},
		{(double)NAN, "n/a"},  {(double)-INFINITY, "-inf"},
	};
	char out[32];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		format_duration(out, rows[i].ns);
		assert_string_equal(out, rows[i].text);
	}
	format_duration(out, 1e308);
	assert_non_null(strstr(out, " h"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(monotonic_time_does_not_go_back),
		cmocka_unit_test(wall_time_is_the_systems),
		cmocka_unit_test(a_clock_that_is_set_changes_no_duration),
		cmocka_unit_test(wall_time_can_be_frozen),
		cmocka_unit_test(utc),
		cmocka_unit_test(bytes),
		cmocka_unit_test(durations),
	};

	return cmocka_run_group_tests_name("base_clock", tests, NULL, NULL);
}
