/* Records of what ran on a device, with a stand-in for libcupti (fake_cupti_activity.c). */
#include "metrics/cupti/cupti_records.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static int records_set_up(void **state)
{
	(void)state;
	unsetenv("FAKE_CUPTI_FAIL");
	unsetenv("FAKE_CUPTI_LOST_RECORDS");
	setenv("PERFLAB_CUPTI", FAKE_CUPTI, 1);
	return 0;
}

static void test_records_come_in_the_order_of_their_starts(void **state)
{
	struct device_record *records = NULL;
	struct error err = {0};
	size_t count = 0;

	(void)state;
	/* what was registered once serves again */
	for (int i = 0; i < 2; i++) {
		assert_int_equal(cupti_records_begin(&err), 0);
		assert_int_equal(cupti_records_end(&records, &count, &err), 0);
		assert_int_equal(count, 3);
		assert_string_equal(records[0].name, "");
		assert_int_equal(records[0].start_ns, 50);
		assert_string_equal(records[1].name, "flush_by_reading");
		assert_int_equal(records[1].end_ns, 200);
		assert_int_equal(strncmp(records[2].name, "a_kernel_whose_name_is_longer", 29), 0);
		assert_int_equal(records[2].end_ns - records[2].start_ns, 150);
		free(records);
	}
}

static void assert_ends_with(const char *words)
{
	struct device_record *records = NULL;
	struct error err = {0};
	size_t count = 0;
	int rc = cupti_records_begin(&err);

	if (rc == 0)
		rc = cupti_records_end(&records, &count, &err);
	assert_true(rc != 0);
	if (!strstr(err.text, words))
		fail_msg("'%s' does not say '%s'", err.text, words);
	free(records);
}

static void test_lost_records_are_an_error(void **state)
{
	(void)state;
	setenv("FAKE_CUPTI_LOST_RECORDS", "4", 1);
	assert_ends_with("CUPTI lost 4 records");
	unsetenv("FAKE_CUPTI_LOST_RECORDS");
	setenv("FAKE_CUPTI_FAIL", "cuptiActivityEnable=39", 1);
	assert_ends_with("cuptiActivityEnable");
	setenv("FAKE_CUPTI_FAIL", "cuptiActivityFlushAll=8", 1);
	assert_ends_with("cuptiActivityFlushAll");
}

/* What was enabled before a failure must not stay so: it would slow down what is timed later. */
static void test_a_failure_leaves_nothing_on(void **state)
{
	struct device_record *records = NULL;
	struct error err = {0};
	size_t count = 0;

	(void)state;
	setenv("FAKE_CUPTI_KINDS", "2", 1);
	assert_ends_with("cuptiActivityEnable");
	unsetenv("FAKE_CUPTI_KINDS");
	/* the fake enables no more than three */
	assert_int_equal(cupti_records_begin(&err), 0);
	assert_int_equal(cupti_records_end(&records, &count, &err), 0);
	free(records);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_records_come_in_the_order_of_their_starts,
				       records_set_up),
		cmocka_unit_test_setup(test_lost_records_are_an_error, records_set_up),
		cmocka_unit_test_setup(test_a_failure_leaves_nothing_on, records_set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
