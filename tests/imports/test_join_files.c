/* Files of several processes become the rounds of one run. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "imports/imports.h"

#define FILES_MOST 100

/* Files that a test reads, joined as the command does. */
struct files {
	struct import imports[FILES_MOST];
	struct string_list names;
};

static void add_file(struct files *files, const char *name, const char *text)
{
	const struct import_source source = {
		.bytes = text, .length = strlen(text), .modified_ns = 7};
	struct error err = {0};

	if (import_read(&files->imports[files->names.count], &source, IMPORT_DETECT, &err))
		fail_msg("%s: %s", name, err.text);
	string_list_add(&files->names, name);
}

static void release_files(struct files *files)
{
	for (size_t i = 0; i < files->names.count; i++)
		import_release(&files->imports[i]);
	string_list_release(&files->names);
}

static struct import join(struct files *files, const char *device)
{
	struct import joined = {0};
	struct error err = {0};

	if (import_join(&joined, files->imports, &files->names, device, &err))
		fail_msg("%s", err.text);
	release_files(files);
	return joined;
}

static void refused(struct files *files, const char *device, const char *says)
{
	struct import joined = {0};
	struct error err = {0};

	assert_int_equal(import_join(&joined, files->imports, &files->names, device, &err),
			 PL_EUSAGE);
	if (!strstr(err.text, says))
		fail_msg("'%s' does not say '%s'", err.text, says);
	assert_int_equal(joined.count, 0);
	release_files(files);
}

/* ---- Google Benchmark ---- */

#define GOOGLE(context, rows) "{\"context\": {" context "}, \"benchmarks\": [" rows "]}"
#define HOST_A "\"host_name\": \"a\", \"num_cpus\": 8, \"mhz_per_cpu\": 2000"
#define ROW(name, repetition, time)                                                               \
	"{\"name\": \"" name "\", \"run_type\": \"iteration\", \"repetition_index\": " repetition \
	", \"real_time\": " time ", \"time_unit\": \"ns\"}"
#define AT(minute) "\"date\": \"2026-11-29T12:" minute ":00Z\", "

static const struct import_trial *trial_of(const struct import *import, const char *kernel)
{
	const struct import_run *run = &import->runs[0];

	for (size_t i = 0; i < run->run.trial_count; i++)
		if (strcmp(run->run.trials[i].kernel, kernel) == 0)
			return &run->trials[i];
	fail_msg("there is no %s", kernel);
	return NULL;
}

/* Named in another order than measured; the repetitions of a file are the samples of its round. */
static void test_files_become_rounds(void **state)
{
	struct files files = {0};
	const struct import_trial *copy, *sum;
	struct import joined;

	(void)state;
	add_file(&files, "late.json",
		 GOOGLE(AT("30") HOST_A, ROW("copy", "0", "102") "," ROW("sum", "0", "52")));
	add_file(&files, "early.json",
		 GOOGLE(AT("10") HOST_A, ROW("copy", "0", "100") "," ROW(
						 "copy", "1", "101") "," ROW("sum", "0", "50")));
	add_file(&files, "middle.json", GOOGLE(AT("20") HOST_A, ROW("copy", "0", "101.5")));
	joined = join(&files, NULL);
	assert_int_equal(joined.count, 1);
	assert_int_equal(joined.runs[0].run.rounds, 3);
	assert_int_equal(joined.runs[0].run.trial_count, 2);
	assert_string_equal(joined.runs[0].run.device.name, "host a");
	copy = trial_of(&joined, "copy");
	assert_int_equal(copy->round, 0);
	assert_int_equal(copy->count, 2);
	assert_true(copy->time_ns[1] == 101);
	assert_int_equal(copy->later_count, 2);
	assert_true(copy->later[0].round == 1 && copy->later[0].time_ns[0] == 101.5);
	assert_true(copy->later[1].round == 2 && copy->later[1].time_ns[0] == 102);
	/* the rounds of a case that a file lacks keep their numbers */
	sum = trial_of(&joined, "sum");
	assert_int_equal(sum->later_count, 1);
	assert_int_equal(sum->later[0].round, 2);
	assert_int_equal(joined.runs[0].fewer_rounds, 1);
	import_release(&joined);
}

static void test_the_order_of_the_files_is_no_other_run(void **state)
{
	static const char *const texts[] = {GOOGLE(HOST_A, ROW("copy", "0", "100")),
					    GOOGLE(HOST_A, ROW("copy", "0", "101")),
					    GOOGLE(HOST_A, ROW("copy", "0", "102"))};
	char uids[2][33];

	(void)state;
	for (int backwards = 0; backwards < 2; backwards++) {
		struct files files = {0};
		struct import joined;

		for (int i = 0; i < 3; i++)
			add_file(&files, "f", texts[backwards ? 2 - i : i]);
		joined = join(&files, NULL);
		/* they say no time, so their order is that of the names */
		assert_true(joined.runs[0].trials[0].time_ns[0] == (backwards ? 102 : 100));
		memcpy(uids[backwards], joined.runs[0].run.uid, sizeof(uids[0]));
		import_release(&joined);
	}
	assert_string_equal(uids[0], uids[1]);
	assert_int_equal(strlen(uids[0]), 32);
}

static void test_a_case_that_failed_once_has_failed(void **state)
{
	struct files files = {0};
	struct import joined;

	(void)state;
	add_file(&files, "a.json",
		 GOOGLE(HOST_A, ROW("copy", "0", "100") "," ROW("sum", "0", "50")));
	add_file(&files, "b.json",
		 GOOGLE(HOST_A, ROW("copy", "0", "101") ",{\"name\": \"sum\", \"run_type\": "
							"\"iteration\", \"error_occurred\": true, "
							"\"error_message\": \"no memory\"}"));
	joined = join(&files, NULL);
	assert_int_equal(joined.runs[0].run.trials[0].status, TRIAL_OK);
	assert_int_equal(joined.runs[0].run.trials[1].status, TRIAL_FAILED);
	assert_string_equal(joined.runs[0].run.trials[1].reason, "b.json: no memory");
	import_release(&joined);
}

static void test_a_hundred_files(void **state)
{
	struct files files = {0};
	struct import joined;

	(void)state;
	for (int i = 0; i < FILES_MOST; i++) {
		char *text = xasprintf(GOOGLE(HOST_A, ROW("copy", "0", "%d")), 1000 + i);

		add_file(&files, "f", text);
		free(text);
	}
	joined = join(&files, NULL);
	assert_int_equal(joined.runs[0].run.rounds, 100);
	assert_int_equal(joined.runs[0].trials[0].later_count, 99);
	assert_true(joined.runs[0].trials[0].later[98].time_ns[0] == 1099);
	import_release(&joined);
}

#define TWO_FILES(first, second)           \
	files = (struct files){0};         \
	add_file(&files, "a.json", first); \
	add_file(&files, "b.json", second)

static void test_what_is_refused(void **state)
{
	static const char first[] = GOOGLE(HOST_A, ROW("copy", "0", "100"));
	static const char nvbench[] =
		"{\"devices\": [{\"id\": 0, \"name\": \"H200\"}], \"benchmarks\": [{\"name\": "
		"\"copy\","
		" \"states\": [{\"device\": 0, \"summaries\": [{\"tag\": \"nv/cold/sample_size\","
		" \"value\": 20}, {\"tag\": \"nv/cold/time/gpu/median\", \"value\": 1e-5}]}]}]}";
	struct files files = {0};

	(void)state;
	add_file(&files, "a.json", first);
	refused(&files, NULL, "and there is only a.json");
	TWO_FILES(first, GOOGLE(HOST_A, "" ROW("copy", "0", " 1e2")));
	refused(&files, NULL, "a.json and b.json have the same results");
	TWO_FILES(first, GOOGLE("\"host_name\": \"b\"", ROW("copy", "0", "101")));
	refused(&files, NULL, "their device differs: host a and host b");
	TWO_FILES(first, GOOGLE("\"host_name\": \"b\", \"num_cpus\": 64", ROW("copy", "0", "101")));
	refused(&files, "Xeon", "their num_cpus differs: 8 and 64");
	TWO_FILES(GOOGLE("\"executable\": \"old/bench\"", ROW("copy", "0", "100")),
		  GOOGLE("\"executable\": \"new/bench\"", ROW("copy", "0", "101")));
	refused(&files, NULL, "their program differs: old/bench and new/bench");
	TWO_FILES(first, GOOGLE(HOST_A, ROW("sum", "0", "101")));
	refused(&files, NULL, "have no case in common");
	TWO_FILES(first, GOOGLE(HOST_A, ROW("copy", "0", "0")));
	refused(&files, NULL, "b.json has neither samples nor medians, so it is no round");
	TWO_FILES(first, nvbench);
	refused(&files, NULL, "their format differs: google-benchmark and nvbench");
}

/* A container has another name in each process; the user says that they are one device. */
static void test_the_user_names_the_device(void **state)
{
	struct files files = {0};
	struct import joined;

	(void)state;
	TWO_FILES(GOOGLE(HOST_A, ROW("copy", "0", "100")),
		  GOOGLE("\"host_name\": \"b\", \"num_cpus\": 8", ROW("copy", "0", "101")));
	joined = join(&files, "Xeon");
	assert_int_equal(joined.runs[0].run.rounds, 2);
	/* what differs is not known of the run */
	assert_null(key_value_get(&joined.runs[0].run.environment, "host_name"));
	assert_string_equal(key_value_get(&joined.runs[0].run.environment, "num_cpus"), "8");
	import_release(&joined);
}

/* ---- nvbench ---- */

#define STATE(device, time)                                                    \
	"{\"device\": " device                                                 \
	", \"summaries\": [{\"tag\": \"nv/cold/sample_size\", \"value\": 20}," \
	" {\"tag\": \"nv/cold/time/gpu/median\", \"value\": " time "}]}"
#define NVBENCH(devices, states)                                                               \
	"{\"devices\": [" devices "], \"benchmarks\": [{\"name\": \"k\", \"states\": [" states \
	"]}]}"
#define DEVICE(id, sms) "{\"id\": " id ", \"name\": \"H200\", \"number_of_sms\": " sms "}"

static void test_a_run_of_each_device(void **state)
{
	static const char devices[] = DEVICE("0", "132") "," DEVICE("1", "132");
	struct files files = {0};
	struct import joined;
	char *texts[2];

	(void)state;
	for (int i = 0; i < 2; i++) {
		texts[i] = xasprintf(NVBENCH("%s", STATE("0", "%de-6") "," STATE("1", "%de-6")),
				     devices, 10 + i, 20 + i);
		add_file(&files, i ? "b.json" : "a.json", texts[i]);
		free(texts[i]);
	}
	joined = join(&files, NULL);
	assert_int_equal(joined.count, 2);
	assert_string_equal(joined.runs[1].run.device.name, "H200 (device 1)");
	assert_string_not_equal(joined.runs[0].run.uid, joined.runs[1].run.uid);
	/* a file without samples gives the median of its round */
	assert_true(fabs(joined.runs[1].trials[0].given.median_ns - 20e3) < 1e-6);
	assert_true(fabs(joined.runs[1].trials[0].later[0].given.median_ns - 21e3) < 1e-6);
	import_release(&joined);
}

static void test_other_devices_are_refused(void **state)
{
	static const char first[] = NVBENCH(DEVICE("0", "132"), STATE("0", "1e-5"));
	struct files files = {0};

	(void)state;
	TWO_FILES(first, NVBENCH(DEVICE("1", "132"), STATE("1", "2e-5")));
	refused(&files, NULL, "their device differs: (device 0) and (device 1)");
	TWO_FILES(first, NVBENCH(DEVICE("0", "114"), STATE("0", "2e-5")));
	refused(&files, "H200", "their number of multiprocessors differs: 132 and 114");
	TWO_FILES(first, NVBENCH(DEVICE("0", "132"), STATE("0", "2e-5") "," STATE("null", "1e-5")));
	refused(&files, NULL, "their number of devices differs: 1 and 2");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_files_become_rounds),
		cmocka_unit_test(test_the_order_of_the_files_is_no_other_run),
		cmocka_unit_test(test_a_case_that_failed_once_has_failed),
		cmocka_unit_test(test_a_hundred_files),
		cmocka_unit_test(test_what_is_refused),
		cmocka_unit_test(test_the_user_names_the_device),
		cmocka_unit_test(test_a_run_of_each_device),
		cmocka_unit_test(test_other_devices_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
