/* Times of Nsight Compute. data/ncu.csv is the begin of what ncu 2025.3 wrote on an H200. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "imports/imports.h"

#define HEAD                                                                             \
	"\"Process ID\",\"thread Domain:Push/Pop_Range:PL_Type:PL_Value:CLR_Type:Color:" \
	"Msg_Type:Msg\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n"
#define RANGE(name) "  \"\"perflab:" name ":none:none:none:none:ASCII:" name "\"\""
#define CASE(phase) RANGE("reduce") RANGE("shuffle") RANGE("block=64") RANGE("n=4") RANGE(phase)
#define ROW(process, ranges, unit, value) \
	"\"" process "\",\"7" ranges " \",\"gpu__time_duration.sum\",\"" unit "\",\"" value "\"\n"

static struct ncu_times read_good(const char *text)
{
	struct ncu_times times;
	struct error err = {0};

	if (import_ncu_read(&times, text, strlen(text), &err))
		fail_msg("%s", err.text);
	return times;
}

static void refused(const char *text, const char *why)
{
	struct ncu_times times;
	struct error err = {0};

	assert_int_equal(import_ncu_read(&times, text, strlen(text), &err), PL_EPARSE);
	if (!strstr(err.text, why))
		fail_msg("'%s' does not say '%s'", err.text, why);
	assert_int_equal(times.count, 0);
}

static void test_a_file_of_ncu(void **state)
{
	struct ncu_times times;
	struct error err = {0};
	char *bytes = NULL;
	size_t length;

	(void)state;
	assert_int_equal(read_file(&bytes, &length, DATA "/ncu.csv", IMPORT_MAX_BYTES, &err), 0);
	if (import_ncu_read(&times, bytes, length, &err))
		fail_msg("%s", err.text);
	free(bytes);
	assert_int_equal(times.count, 2);
	assert_string_equal(times.items[0].name, "short_kernels/copy4/block=256,n=2097152");
	assert_int_equal(times.items[0].process, 1083);
	assert_true(times.items[0].time_ns == 6272);
	assert_string_equal(times.items[1].name, "short_kernels/sums/block=256,n=4096");
	ncu_times_release(&times);
}

/* The launches of an execution are added; each process is an execution. */
static void test_launches_and_processes(void **state)
{
	struct ncu_times times = read_good(
		"==PROF== Connected\n" HEAD ROW("5", CASE("profile"), "ns", "1,000")
			ROW("5", CASE("profile"), "us", "2.5") "==PROF== Disconnected\n" ROW(
				"6", CASE("profile"), "msecond", "0.003"));

	(void)state;
	assert_int_equal(times.count, 2);
	assert_string_equal(times.items[0].name, "reduce/shuffle/block=64,n=4");
	assert_true(times.items[0].time_ns == 3500);
	assert_true(times.items[1].time_ns == 3000);
	ncu_times_release(&times);
}

/* Other metrics, phases and programs are passed over, whatever they say. */
static void test_other_rows(void **state)
{
	struct ncu_times times = read_good(
		HEAD ROW("5", CASE("verify"), "ns", "7") ROW("5", RANGE("profile"), "ns", "x")
			ROW("5", "", "ns", "7") "\"5\",\"7" CASE(
				"profile") "\",\"sm__cycles\",\"cycle\",\"9\"\n"
					   "\"5\"\n\n" ROW("5", CASE("profile"), "ns", "8"));

	(void)state;
	assert_int_equal(times.count, 1);
	assert_true(times.items[0].time_ns == 8);
	ncu_times_release(&times);
}

static void test_bad_files(void **state)
{
	(void)state;
	refused("", "it has no column 'Process ID'");
	refused("\"", "it has no column");
	refused("{\"devices\": []}", "it has no column");
	refused("\"Process ID\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n",
		"it has no column 'thread Domain:");
	refused(HEAD, "no row is of a case");
	refused(HEAD ROW("5", CASE("verify"), "ns", "7"), "--nvtx-include perflab@profile/");
	refused(HEAD ROW("5", CASE("profile"), "ns", "0"), "line 2: '0 ns' is no duration");
	refused(HEAD ROW("5", CASE("profile"), "ns", "-4"), "'-4 ns' is no duration");
	refused(HEAD ROW("5", CASE("profile"), "ns", "nan"), "is no duration");
	refused(HEAD ROW("5", CASE("profile"), "ns", "0x10"), "is no duration");
	refused(HEAD ROW("5", CASE("profile"), "ns", "1.2.3"), "is no duration");
	refused(HEAD ROW("5", CASE("profile"), "ns", ""), "is no duration");
	refused(HEAD ROW("5", CASE("profile"), "cycle", "7"), "'7 cycle' is no duration");
	/* a row that is cut off has no value */
	refused(HEAD "\"5\",\"7" CASE("profile") "\",\"gpu__time_duration.sum\",\"ns",
		"is no duration");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_file_of_ncu),
		cmocka_unit_test(test_launches_and_processes),
		cmocka_unit_test(test_other_rows),
		cmocka_unit_test(test_bad_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
