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
	assert_true(isnan(run->trials[at].given.session_low_ns));
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

static struct import read_good(const char *text)
{
	struct import import = {0};
	struct error err = {0};

	if (read_text(&import, text, IMPORT_DETECT, &err))
		fail_msg("%s", err.text);
	return import;
}

#define OLD(name, time) "{\"name\": \"" name "\", \"real_time\": " time "}"

/* Before version 1.5 only the names tell aggregates from measurements. */
static void test_old_aggregates_are_no_samples(void **state)
{
	/* clang-format off */
	struct import import = read_good(GOOGLE(
		OLD("a/8/repeats:2", "150") ","
		OLD("a/8/repeats:2", "152") ","
		OLD("a/8/repeats:2_mean", "151") ","
		OLD("a/8/repeats:2_median", "151") ","
		OLD("a/8/repeats:2_stddev", "1.4") ","
		OLD("a/8/repeats:2_p90", "9") ","
		/* repeated by an option, so the name does not say it */
		OLD("b", "5") "," OLD("b", "7") ","
		OLD("b_mean", "6") "," OLD("b_median", "6") "," OLD("b_stddev", "1") ","
		/* only the aggregates */
		OLD("c_mean", "3") "," OLD("c_median", "4") "," OLD("c_stddev", "1") ","
		/* a name that only looks like one */
		OLD("sort_median", "8") ","
		"{\"name\": \"b_BigO\", \"cpu_coefficient\": 6, \"big_o\": \"N\"},"
		"{\"name\": \"b_RMS\", \"rms\": 0.02}"));
	/* clang-format on */
	const struct import_run *run = import.runs;
	size_t at = find(run, "a/default/arg1=8");

	(void)state;
	assert_int_equal(run->run.trial_count, 4);
	assert_int_equal(run->trials[at].count, 2);
	assert_true(run->trials[at].time_ns[0] == 150 && run->trials[at].time_ns[1] == 152);
	assert_int_equal(run->trials[find(run, "b/default/-")].count, 2);
	at = find(run, "c/default/-");
	assert_int_equal(run->trials[at].count, 0);
	assert_true(run->trials[at].given.median_ns == 4);
	assert_int_equal(run->trials[find(run, "sort_median/default/-")].count, 1);
	assert_int_equal(run->repeated, 0);
	import_release(&import);
}

#define FAMILY(family, repetition, time)                                    \
	"{\"name\": \"a\", \"run_name\": \"a\", \"family_index\": " family  \
	", \"per_family_instance_index\": 0, \"run_type\": \"iteration\", " \
	"\"repetition_index\": " repetition ", \"real_time\": " time "}"
#define INDEXED(repetition, time)                         \
	"{\"name\": \"a\", \"run_type\": \"iteration\", " \
	"\"repetition_index\": " repetition ", \"real_time\": " time "}"
#define AGGREGATE(name, time)                                                          \
	"{\"name\": \"a_" name "\", \"run_name\": \"a\", \"run_type\": \"aggregate\"," \
	" \"aggregate_name\": \"" name "\", \"real_time\": " time "}"

static void test_benchmarks_of_one_name_stay_apart(void **state)
{
	/* clang-format off */
	static const char *const files[] = {
		GOOGLE(FAMILY("0", "0", "100") "," FAMILY("0", "1", "102") ","
		       FAMILY("1", "0", "200") "," FAMILY("1", "1", "202")),
		GOOGLE(INDEXED("0", "100") "," INDEXED("1", "102") ","
		       INDEXED("0", "200") "," INDEXED("1", "202")),
		GOOGLE(OLD("a", "100") "," OLD("a", "102") ","
		       OLD("a_mean", "101") "," OLD("a_stddev", "1") ","
		       OLD("a", "200") "," OLD("a", "202") ","
		       OLD("a_mean", "201") "," OLD("a_stddev", "1")),
	};
	/* clang-format on */
	struct import import;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		const struct import_run *run;
		size_t first, second;

		import = read_good(files[i]);
		run = import.runs;
		first = find(run, "a/default/-");
		second = find(run, "a/default/occurrence=2");
		assert_int_equal(run->run.trial_count, 2);
		assert_int_equal(run->trials[first].count, 2);
		assert_true(run->trials[first].time_ns[1] == 102);
		assert_int_equal(run->trials[second].count, 2);
		assert_true(run->trials[second].time_ns[0] == 200);
		assert_int_equal(run->repeated, 1);
		import_release(&import);
	}
	/* without repetitions, two rows are two benchmarks */
	import = read_good(GOOGLE(OLD("a", "100") "," OLD("a", "200") "," OLD("a", "300")));
	assert_int_equal(import.runs->run.trial_count, 3);
	find(import.runs, "a/default/occurrence=3");
	import_release(&import);
	/* only the medians */
	import = read_good(GOOGLE(
		AGGREGATE("mean", "1") "," AGGREGATE("median", "2") "," AGGREGATE("median", "4")));
	assert_int_equal(import.runs->run.trial_count, 2);
	import_release(&import);
}

static void test_aggregates_make_no_empty_case(void **state)
{
	struct import import = read_good(GOOGLE(INDEXED("0", "100") "," AGGREGATE(
		"mean",
		"100") ","
		       "{\"name\": \"b_BigO\", \"run_name\": \"b\", \"run_type\": \"aggregate\","
		       " \"aggregate_name\": \"BigO\", \"real_coefficient\": 4}"));

	(void)state;
	assert_int_equal(import.runs->run.trial_count, 1);
	import_release(&import);
}

static void test_no_number_is_no_time(void **state)
{
	struct import import =
		read_good("\xef\xbb\xbf" GOOGLE(OLD("zero", "0") "," OLD("nan", "NaN") "," OLD(
			"inf", "-inf") ","
				       "{\"name\": \"NaN, -Infinity \\\"nan\", \"real_time\": 5, "
				       "\"rate\": Infinity,\"x\":nan}"));
	const struct import_run *run = import.runs;

	(void)state;
	assert_int_equal(run->run.trial_count, 4);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(run->run.trials[i].status, TRIAL_FAILED);
		assert_non_null(strstr(run->run.trials[i].reason, "real_time"));
		assert_int_equal(run->trials[i].count, 0);
	}
	assert_int_equal(run->run.trials[3].status, TRIAL_OK);
	assert_string_equal(run->run.trials[3].kernel, "NaN__-Infinity_\"nan");
	assert_int_equal(run->run.trials[3].counters.count, 0);
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
	/* all of them exist, but not below the folder */
	static const char *const outside[] = {
		NVBENCH(SIDECAR("/etc/passwd")), NVBENCH(SIDECAR("../test_imports.c")),
		NVBENCH(SIDECAR("data/../../test_imports.c")), NVBENCH(SIDECAR(".."))};
	static const char wrong_size[] = NVBENCH(SIDECAR("nvbench.json"));
	static const char absent[] = NVBENCH(SIDECAR("absent-bin/0.bin"));
	struct import_source source = {.folder = DATA};
	struct import import = {0};
	struct error err = {0};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(outside); i++) {
		source.bytes = outside[i];
		source.length = strlen(outside[i]);
		assert_int_equal(import_read(&import, &source, IMPORT_NVBENCH, &err), 0);
		assert_int_equal(import.runs->trials[0].count, 0);
		assert_int_equal(import.runs->without_samples, 1);
		import_release(&import);
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

static void test_samples_are_found_from_another_folder(void **state)
{
	static const char *const files[] = {
		NVBENCH(SIDECAR("out/nvbench.json-bin/0.bin")),
		NVBENCH(SIDECAR("../../elsewhere/nvbench.json-bin/0.bin")),
		NVBENCH(SIDECAR("/nonexistent/nvbench.json-bin/0.bin")),
	};
	struct import_source source = {.folder = DATA};
	struct import import = {0};
	struct error err = {0};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		source.bytes = files[i];
		source.length = strlen(files[i]);
		assert_int_equal(import_read(&import, &source, IMPORT_NVBENCH, &err), 0);
		assert_int_equal(import.runs->trials[0].count, 4);
		assert_int_equal(import.runs->without_samples, 0);
		import_release(&import);
	}
}

#define TIMED(device, median)                                                                     \
	"{\"device\": " device ", \"summaries\": [{\"tag\": \"nv/cold/sample_size\", \"value\": " \
	"20}, {\"tag\": \"nv/cold/time/gpu/median\", \"value\": \"" median                        \
	"\"}, {\"tag\": \"nv/cold/sm_clock_rate/mean\", \"value\": \"0e-20\"}]}"
#define DEVICES(states)                                                                            \
	"{\"devices\": [{\"id\": 0, \"name\": \"G\"}, {\"id\": 1, \"name\": \"G\"}, {\"id\": 2, "  \
	"\"name\": \"H\", \"number_of_sms\": 4}], \"benchmarks\": [{\"name\": \"k\", \"states\": " \
	"[" states "]}]}"

static void test_equal_devices_are_two(void **state)
{
	struct import import = read_good(DEVICES(TIMED("0", "1e-5") "," TIMED(
		"1", "2e-5") "," TIMED("2", "3e-5") "," TIMED("null", "4e-5")));

	(void)state;
	assert_int_equal(import.count, 4);
	assert_string_equal(import.runs[0].run.device.name, "G (device 0)");
	assert_string_equal(import.runs[1].run.device.name, "G (device 1)");
	assert_string_equal(import.runs[2].run.device.name, "H");
	/* no device is not the first one of the list */
	assert_string_equal(import.runs[3].run.device.name, "unknown");
	assert_int_equal(import.runs[3].run.device.sm_count, 0);
	import_release(&import);
}

static void test_a_time_of_zero_is_none(void **state)
{
	struct import import = read_good(DEVICES(TIMED("2", "0e-20") "," TIMED("2", "1e-5")));
	const struct import_run *run = import.runs;

	(void)state;
	assert_int_equal(run->run.trials[0].status, TRIAL_FAILED);
	assert_int_equal(run->trials[0].given.count, 0);
	assert_int_equal(run->run.trials[0].counters.count, 0);
	/* a state that occurs again is a case of its own */
	assert_int_equal(run->repeated, 1);
	assert_string_equal(run->run.trials[1].config, "occurrence=2");
	assert_true(run->trials[1].given.median_ns == 1e4);
	assert_true(isnan(run->trials[1].sm_clock_hz));
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
	refused("", PL_EPARSE, "the file is empty; perflab import reads");
	refused(" ", PL_EPARSE, "line 1, column 1: not JSON");
	refused("SQLite format 3 ...", PL_EPARSE, "perflab merge copies the runs of another");
	refused("{\n\n  \"context\": {},\n  \"benchmarks\": [}", PL_EPARSE, "line 4");
	refused("{\"benchmarks\": []}", PL_EUSAGE, "cannot detect the format: nvbench writes");
	/* hyperfine, a table, and a log before the JSON */
	refused("{\"results\": [{\"command\": \"ls\", \"times\": [1]}]}", PL_EUSAGE,
		"perflab import reads the JSON that nvbench writes with --json FILE and Google "
		"Benchmark with --benchmark_out=FILE");
	refused("a,b\n1,2\n", PL_EPARSE, "reads the JSON that nvbench writes with --json FILE");
	refused("Running ./b\n{\"context\": {}}\n", PL_EPARSE, "there is other output before");
	refused(GOOGLE(AGGREGATE("mean", "1")), PL_EPARSE, "only other aggregates");
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
	refused("{\"devices\": [], \"benchmarks\": [{\"name\": \"k\", \"states\": [{}, "
		"{\"axis_values\": [{\"name\": \"occurrence\", \"value\": 2}]}, {}]}]}",
		PL_EPARSE, "k, states[2]: k/occurrence=2 occurs twice");
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
		cmocka_unit_test(test_old_aggregates_are_no_samples),
		cmocka_unit_test(test_benchmarks_of_one_name_stay_apart),
		cmocka_unit_test(test_aggregates_make_no_empty_case),
		cmocka_unit_test(test_no_number_is_no_time),
		cmocka_unit_test(test_a_run_of_each_device),
		cmocka_unit_test(test_samples_lie_beside_the_file),
		cmocka_unit_test(test_a_mean_is_no_median),
		cmocka_unit_test(test_files_that_are_named),
		cmocka_unit_test(test_samples_are_found_from_another_folder),
		cmocka_unit_test(test_equal_devices_are_two),
		cmocka_unit_test(test_a_time_of_zero_is_none),
		cmocka_unit_test(test_the_same_bytes_are_the_same_run),
		cmocka_unit_test(test_what_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
