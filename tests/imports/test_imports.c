/*
 * Importing results of other programs. Version 1.7.1 of Google Benchmark wrote its files; the file
 * of nvbench was made in the format of version 0.1.0.
 */
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

#define MODIFIED_NS INT64_C(1700000000000000000)

static int read_text(struct import *out, const char *text, enum import_format format,
		     struct error *err)
{
	const struct import_source source = {
		.bytes = text, .length = strlen(text), .modified_ns = MODIFIED_NS};

	return import_read(out, &source, format, err);
}

static struct import read_data(const char *name)
{
	struct import_source source = {.folder = DATA, .modified_ns = MODIFIED_NS};
	char *path = xasprintf("%s/%s", DATA, name), *bytes = NULL;
	struct import import = {0};
	struct error err = {0};

	if (read_file(&bytes, &source.length, path, IMPORT_MAX_BYTES, &err))
		fail_msg("%s", err.text);
	source.bytes = bytes;
	if (import_read(&import, &source, IMPORT_DETECT, &err))
		fail_msg("%s", err.text);
	free(bytes);
	free(path);
	return import;
}

static size_t find(const struct import_run *run, const char *name)
{
	for (size_t i = 0; i < run->run.trial_count; i++) {
		char *its = trial_case_name(&run->run.trials[i]);
		bool same = strcmp(its, name) == 0;

		free(its);
		if (same)
			return i;
	}
	fail_msg("there is no %s", name);
	return 0;
}

static void assert_counter(const struct trial *trial, const char *name, double value)
{
	const struct counter_value *counter = counter_list_find(&trial->counters, name);

	assert_non_null(counter);
	assert_true(counter->has_value);
	assert_true(fabs(counter->value - value) <= 1e-9 * fabs(value));
}

/* ---- Google Benchmark ---- */

static void test_repetitions_are_samples(void **state)
{
	struct import import = read_data("google_benchmark.json");
	const struct import_run *run = import.runs;
	size_t at = find(run, "copy/default/arg1=4096");

	(void)state;
	assert_int_equal(import.count, 1);
	assert_string_equal(run->run.backend, "google-benchmark");
	assert_string_equal(run->run.device.name, "host bench-01");
	assert_string_equal(run->run.command, "./copy_bench");
	/* 2026-11-21T19:53:31+00:00 */
	assert_true(run->run.started_ns == INT64_C(1795290811000000000));
	assert_int_equal(run->run.trial_count, 4);
	/* the aggregates beside them are no samples */
	assert_int_equal(run->trials[at].count, 3);
	assert_true(fabs(run->trials[at].time_ns[0] - 129.99224995268111) < 1e-9);
	assert_int_equal(run->run.trials[at].axis_count, 1);
	assert_string_equal(run->run.trials[at].axes[0].name, "arg1");
	assert_int_equal(run->run.trials[at].axes[0].value, 4096);
	assert_counter(&run->run.trials[at], "google-benchmark:size", 4096);
	import_release(&import);
}

static void test_names_become_cases(void **state)
{
	struct import import = read_data("google_benchmark.json");
	const struct import_run *run = import.runs;
	size_t at = find(run, "copy_named/default/bytes=4096");

	(void)state;
	/* its unit is us */
	assert_true(run->trials[at].time_ns[0] > 30 && run->trials[at].time_ns[0] < 1000);
	find(run, "sum/double/arg1=1024,real_time=1,threads=2");
	at = find(run, "broken/default/-");
	assert_int_equal(run->run.trials[at].status, TRIAL_FAILED);
	assert_string_equal(run->run.trials[at].reason, "no such device");
	import_release(&import);
}

static void test_a_median_without_samples(void **state)
{
	struct import import = read_data("google_benchmark_aggregates.json");
	const struct import_run *run = import.runs;
	size_t at = find(run, "copy/default/arg1=4096");

	(void)state;
	assert_int_equal(run->trials[at].count, 0);
	assert_int_equal(run->trials[at].given.count, 7);
	assert_true(fabs(run->trials[at].given.median_ns - 152.98144558066967) < 1e-6);
	assert_true(isnan(run->trials[at].given.mad_ns));
	assert_true(isnan(run->trials[at].given.low_ns));
	assert_int_equal(run->without_median, 0);
	import_release(&import);
}

#define GOOGLE(benchmarks) "{\"context\": {}, \"benchmarks\": [" benchmarks "]}"

static void test_how_it_was_measured_is_not_what(void **state)
{
	struct import import = {0};
	struct error err = {0};

	(void)state;
	assert_int_equal(read_text(&import,
				   GOOGLE("{\"name\": \"a/8/repeats:3\", \"real_time\": 2,"
					  " \"time_unit\": \"ms\"},"
					  "{\"name\": \"a/8/min_time:0.5\", \"real_time\": 3,"
					  " \"time_unit\": \"s\"},"
					  "{\"name\": \"a b/x=1,2/8\", \"real_time\": 1}"),
				   IMPORT_DETECT, &err),
			 0);
	assert_int_equal(import.runs->run.trial_count, 2);
	assert_int_equal(import.runs->trials[0].count, 2);
	assert_true(import.runs->trials[0].time_ns[0] == 2e6);
	assert_true(import.runs->trials[0].time_ns[1] == 3e9);
	find(import.runs, "a_b/default/arg1=8,x_1_2=1");
	/* the file has no time and no host */
	assert_true(import.runs->run.started_ns == MODIFIED_NS);
	assert_string_equal(import.runs->run.device.name, "unknown");
	import_release(&import);
}

/* ---- nvbench ---- */

static void test_a_run_of_each_device(void **state)
{
	struct import import = read_data("nvbench.json");
	const struct device_info *device = &import.runs[0].run.device;

	(void)state;
	assert_int_equal(import.count, 2);
	assert_string_equal(import.runs[0].run.backend, "nvbench");
	assert_string_equal(device->name, "NVIDIA H200");
	assert_int_equal(device->cc_major, 9);
	assert_int_equal(device->cc_minor, 0);
	assert_int_equal(device->sm_count, 132);
	assert_int_equal(device->memory_bus_bits, 6016);
	assert_string_equal(device->uuid, "");
	assert_string_equal(device->driver, "");
	assert_string_equal(import.runs[1].run.device.name, "NVIDIA A100");
	assert_string_not_equal(import.runs[0].run.uid, import.runs[1].run.uid);
	assert_string_equal(import.runs[0].run.command, "./bench --json nvbench.json");
	import_release(&import);
}

static void test_samples_lie_beside_the_file(void **state)
{
	static const double expected_ns[] = {15000, 12500, 17500, 15000};
	struct import import = read_data("nvbench.json");
	const struct import_run *run = &import.runs[0];
	size_t at = find(run, "copy_sweep/default/Elements=65536,T=I32");

	(void)state;
	assert_int_equal(run->trials[at].count, 4);
	/* they are stored with 24 bits */
	for (size_t i = 0; i < 4; i++)
		assert_true(fabs(run->trials[at].time_ns[i] - expected_ns[i]) < 1e-3);
	assert_true(run->trials[at].sm_clock_hz == 1.9e9);
	assert_int_equal(run->run.trials[at].axis_count, 1);
	assert_counter(&run->run.trials[at], "nvbench:nv/cold/bw/global/bytes_per_second", 3.5e12);
	assert_false(counter_list_find(&run->run.trials[at].counters,
				       "nvbench:nv/cold/time/gpu/stdev/relative")
			     ->has_value);
	/* the next has none there */
	at = find(run, "copy_sweep/default/Elements=1048576,T=F64");
	assert_int_equal(run->trials[at].count, 0);
	assert_int_equal(run->trials[at].given.count, 4);
	assert_true(run->trials[at].given.median_ns == 1.5e4);
	assert_true(run->trials[at].given.min_ns == 1.25e4);
	import_release(&import);
}

static void test_a_mean_is_no_median(void **state)
{
	struct import import = read_data("nvbench.json");
	const struct import_run *run = &import.runs[1];
	size_t at = find(run, "copy_sweep/default/Elements=65536,T=I32");

	(void)state;
	assert_int_equal(run->run.trials[at].status, TRIAL_OK);
	assert_int_equal(run->trials[at].given.count, 0);
	assert_int_equal(run->without_median, 1);
	assert_int_equal(run->with_mean, 1);
	assert_true(run->run.trials[at].mean_ns == 1.5e4);
	assert_counter(&run->run.trials[at], "nvbench:nv/cold/time/gpu/mean", 1.5e-5);
	at = find(run, "copy_sweep/default/Elements=1048576,T=F64");
	assert_int_equal(run->run.trials[at].status, TRIAL_SKIPPED);
	assert_string_equal(run->run.trials[at].reason, "too small");
	import_release(&import);
}

#define NVBENCH(summaries)                                                                  \
	"{\"devices\": [], \"benchmarks\": [{\"name\": \"k\", \"states\": [{\"device\": 0," \
	" \"summaries\": [{\"tag\": \"nv/cold/sample_size\"}, " summaries "]}]}]}"
#define SIDECAR(file)                                                                         \
	"{\"tag\": \"nv/json/bin:nv/cold/sample_times\", \"data\": [{\"name\": \"filename\"," \
	" \"value\": \"" file "\"}, {\"name\": \"size\", \"value\": \"4\"}]}"

static void test_files_that_are_named(void **state)
{
	static const char *const outside[] = {NVBENCH(SIDECAR("/etc/passwd")),
					      NVBENCH(SIDECAR("../data/nvbench.json-bin/0.bin")),
					      NVBENCH(SIDECAR("a/../../x"))};
	static const char wrong_size[] = NVBENCH(SIDECAR("nvbench.json"));
	static const char absent[] = NVBENCH(SIDECAR("absent-bin/0.bin"));
	struct import_source source = {.folder = DATA};
	struct import import = {0};
	struct error err = {0};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(outside); i++) {
		source.bytes = outside[i];
		source.length = strlen(outside[i]);
		assert_int_equal(import_read(&import, &source, IMPORT_NVBENCH, &err), PL_EPARSE);
		assert_non_null(strstr(err.text, "below"));
	}
	source.bytes = wrong_size;
	source.length = strlen(wrong_size);
	assert_int_equal(import_read(&import, &source, IMPORT_NVBENCH, &err), PL_EPARSE);
	assert_non_null(strstr(err.text, "not 4 samples"));
	source.bytes = absent;
	source.length = strlen(absent);
	assert_int_equal(import_read(&import, &source, IMPORT_NVBENCH, &err), 0);
	assert_int_equal(import.runs->trials[0].count, 0);
	import_release(&import);
}

/* ---- rejected files ---- */

static void test_the_same_bytes_are_the_same_run(void **state)
{
	struct import first = read_data("nvbench.json"), second = read_data("nvbench.json");
	struct import other = read_data("google_benchmark.json");

	(void)state;
	assert_string_equal(first.runs[0].run.uid, second.runs[0].run.uid);
	assert_string_not_equal(first.runs[0].run.uid, other.runs[0].run.uid);
	import_release(&first);
	import_release(&second);
	import_release(&other);
}

static void refused(const char *text, int code, const char *says)
{
	struct import import = {0};
	struct error err = {0};

	assert_int_equal(read_text(&import, text, IMPORT_DETECT, &err), code);
	if (!strstr(err.text, says))
		fail_msg("'%s' does not say '%s'", err.text, says);
	assert_int_equal(import.count, 0);
}

static void test_what_is_refused(void **state)
{
	char *deep = xcalloc(1, 200001);

	(void)state;
	refused("", PL_EPARSE, "line 1, column 0: not JSON");
	refused("SQLite format 3 ...", PL_EPARSE, "perflab merge copies the runs of another");
	refused("{\n\n  \"context\": {},\n  \"benchmarks\": [}", PL_EPARSE, "line 4");
	refused("[1, 2]", PL_EUSAGE, "cannot detect the format: nvbench writes");
	refused("{\"benchmarks\": []}", PL_EUSAGE, "--format");
	refused(GOOGLE(""), PL_EPARSE, "no results");
	refused(GOOGLE("{}"), PL_EPARSE, "benchmarks[0] has no name");
	refused(GOOGLE("7"), PL_EPARSE, "benchmarks[0] has no name");
	refused(GOOGLE("{\"name\": \"a\"}"), PL_EPARSE, "(a) has no real_time");
	refused(GOOGLE("{\"name\": \"a\", \"real_time\": -1}"), PL_EPARSE, "no real_time");
	refused(GOOGLE("{\"name\": \"a\", \"real_time\": \"fast\"}"), PL_EPARSE, "no real_time");
	refused(GOOGLE("{\"name\": \"a\", \"real_time\": 1, \"time_unit\": \"min\"}"), PL_EPARSE,
		"unknown time_unit 'min'");
	refused("{\"devices\": [], \"benchmarks\": [{}]}", PL_EPARSE,
		"benchmarks[0]: the benchmark has no name");
	refused("{\"devices\": [], \"benchmarks\": [{\"name\": \"k\", \"states\": [{}, {}]}]}",
		PL_EPARSE, "k, states[1]: k/- occurs twice");
	memset(deep, '[', 200000);
	refused(deep, PL_EPARSE, "brackets are nested more than 64 deep");
	free(deep);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_repetitions_are_samples),
		cmocka_unit_test(test_names_become_cases),
		cmocka_unit_test(test_a_median_without_samples),
		cmocka_unit_test(test_how_it_was_measured_is_not_what),
		cmocka_unit_test(test_a_run_of_each_device),
		cmocka_unit_test(test_samples_lie_beside_the_file),
		cmocka_unit_test(test_a_mean_is_no_median),
		cmocka_unit_test(test_files_that_are_named),
		cmocka_unit_test(test_the_same_bytes_are_the_same_run),
		cmocka_unit_test(test_what_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
