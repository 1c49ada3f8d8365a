/* Sampling and counting of instructions with a stand-in for libcupti (fake_cupti_profile.c). */
#include "metrics/cupti/cupti_profile.h"
#include "metrics/cupti/cupti_session.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static int profile_set_up(void **state)
{
	static const char *const variables[] = {"FAKE_CUPTI_FAIL",    "FAKE_CUPTI_FULL",
						"FAKE_CUPTI_BATCHES", "FAKE_CUPTI_LOST",
						"FAKE_CUPTI_UNSEEN",  "FAKE_CUPTI_UNCOUNTED"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(variables); i++)
		unsetenv(variables[i]);
	setenv("PERFLAB_CUPTI", FAKE_CUPTI, 1);
	return 0;
}

static void assert_words(const struct error *err, const char *words)
{
	if (!strstr(err->text, words))
		fail_msg("'%s' does not say '%s'", err->text, words);
}

/* ---- samples ---- */

/* A line for each visit. */
static void write_sample(void *context, const struct cupti_instruction *at, const char *reason,
			 bool not_issued, int64_t samples)
{
	text_addf(context, "%s %llx+%llu %s%s %lld\n", at->function, (unsigned long long)at->cubin,
		  (unsigned long long)at->pc, reason, not_issued ? " not issued" : "",
		  (long long)samples);
}

static struct cupti_sampler *open_sampler(int period_log2)
{
	struct cupti_sampler *sampler = NULL;
	struct error err = {0};

	if (cupti_sampler_open(&sampler, NULL, period_log2, &err))
		fail_msg("%s", err.text);
	return sampler;
}

static struct cupti_samples read_samples(struct cupti_sampler *sampler, struct text *lines)
{
	struct cupti_samples samples;
	struct error err = {0};

	text_clear(lines);
	if (cupti_sampler_read(sampler, write_sample, lines, &samples, &err))
		fail_msg("%s", err.text);
	return samples;
}

#define SAMPLES_OF_A                                           \
	"kernel_a 100000007+16 long_scoreboard 5\n"            \
	"kernel_a 100000007+16 long_scoreboard not issued 3\n" \
	"kernel_a 100000007+16 selected 2\n"

static void samples_have_places_and_reasons(void **state)
{
	struct cupti_sampler *sampler = open_sampler(9);
	struct text lines = TEXT_INIT;
	struct cupti_samples samples = read_samples(sampler, &lines);

	(void)state;
	assert_string_equal(lines.data, SAMPLES_OF_A "kernel_b 100000007+9 wait 1\n");
	assert_int_equal(samples.samples, 8);
	assert_int_equal(samples.dropped, 0);
	assert_int_equal(samples.unseen, 0);
	assert_false(samples.full);
	cupti_sampler_close(sampler);
	cupti_sampler_close(NULL);
	text_release(&lines);
}

static void the_period_can_be_set(void **state)
{
	struct cupti_sampler *sampler = open_sampler(9);
	struct text lines = TEXT_INIT;

	(void)state;
	assert_int_equal(cupti_sampler_set_period(sampler, 11, NULL), 0);
	read_samples(sampler, &lines);
	assert_non_null(strstr(lines.data, "kernel_b 100000007+11 "));
	setenv("FAKE_CUPTI_FAIL", "cuptiPCSamplingSetConfigurationAttribute=1", 1);
	assert_int_equal(cupti_sampler_set_period(sampler, 11, NULL), 0); /* it has it */
	assert_int_equal(cupti_sampler_set_period(sampler, 13, NULL), PL_EDEVICE);
	cupti_sampler_close(sampler);
	text_release(&lines);
}

static void samples_may_come_in_several_reads(void **state)
{
	struct cupti_sampler *sampler = open_sampler(9);
	struct text lines = TEXT_INIT;
	struct cupti_samples samples;

	(void)state;
	setenv("FAKE_CUPTI_BATCHES", "3", 1);
	setenv("FAKE_CUPTI_LOST", "4", 1);
	samples = read_samples(sampler, &lines);
	assert_int_equal(samples.samples, 24);
	assert_int_equal(samples.dropped, 12);
	/* a function without a name in the first */
	assert_string_equal(lines.data, SAMPLES_OF_A " 100000007+9 wait 1\n" SAMPLES_OF_A
						     "kernel_b 100000007+9 wait 1\n" SAMPLES_OF_A
						     "kernel_b 100000007+9 wait 1\n");
	/* nobody wants these */
	assert_int_equal(cupti_sampler_read(sampler, NULL, NULL, &samples, NULL), 0);
	assert_int_equal(samples.samples, 24);
	cupti_sampler_close(sampler);
	text_release(&lines);
}

static void a_full_buffer_begins_again(void **state)
{
	static const char *const ways[] = {"1", "2"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(ways); i++) {
		struct cupti_sampler *sampler;
		struct text lines = TEXT_INIT;
		struct cupti_samples samples;

		setenv("FAKE_CUPTI_FULL", ways[i], 1);
		sampler = open_sampler(9);
		samples = read_samples(sampler, &lines);
		assert_true(samples.full);
		assert_int_equal(samples.samples, 0);
		assert_int_equal(lines.length, 0);
		samples = read_samples(sampler, &lines);
		assert_false(samples.full);
		assert_int_equal(samples.samples, 8);
		assert_non_null(strstr(lines.data, "kernel_b 100000007+9 "));
		cupti_sampler_close(sampler);
		text_release(&lines);
		unsetenv("FAKE_CUPTI_FULL");
		cupti_sampler_close(open_sampler(9));
	}
}

static void code_that_was_not_seen_is_counted(void **state)
{
	struct cupti_sampler *sampler = open_sampler(9);
	struct text lines = TEXT_INIT;
	struct cupti_samples samples;

	(void)state;
	setenv("FAKE_CUPTI_UNSEEN", "6", 1);
	samples = read_samples(sampler, &lines);
	assert_int_equal(samples.unseen, 6);
	assert_int_equal(samples.samples, 0);
	assert_int_equal(lines.length, 0);
	cupti_sampler_close(sampler);
	text_release(&lines);
}

static void errors_of_sampling_are_told(void **state)
{
	static const struct {
		const char *fail, *words;
		int code;
	} failures[] = {
		{"cuptiPCSamplingEnable=26",
		 "cuptiPCSamplingEnable: CUPTI_ERROR_FAKE (26): another process holds the counters",
		 PL_EBUSY},
		{"cuptiPCSamplingEnable=35", "only administrators may read counters",
		 PL_EUNSUPPORTED},
		{"cuptiPCSamplingGetNumStallReasons=1", "cuptiPCSamplingGetNumStallReasons",
		 PL_EDEVICE},
		{"cuptiPCSamplingGetStallReasons=1", "cuptiPCSamplingGetStallReasons", PL_EDEVICE},
		{"cuptiPCSamplingSetConfigurationAttribute=8",
		 "cuptiPCSamplingSetConfigurationAttribute", PL_EDEVICE},
	};
	struct cupti_sampler *sampler = NULL;
	struct cupti_samples samples;
	struct error err = {0};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(failures); i++) {
		setenv("FAKE_CUPTI_FAIL", failures[i].fail, 1);
		assert_int_equal(cupti_sampler_open(&sampler, NULL, 9, &err), failures[i].code);
		assert_words(&err, failures[i].words);
		assert_null(sampler);
	}
	/* a failed one leaves nothing that the next one would meet */
	unsetenv("FAKE_CUPTI_FAIL");
	sampler = open_sampler(9);
	setenv("FAKE_CUPTI_FAIL", "cuptiPCSamplingGetData=1", 1);
	assert_int_equal(cupti_sampler_read(sampler, NULL, NULL, &samples, &err), PL_EDEVICE);
	assert_words(&err, "cuptiPCSamplingGetData");
	cupti_sampler_close(sampler);
}

static void a_cubin_has_a_number(void **state)
{
	struct error err = {0};
	uint64_t id = 0;

	(void)state;
	assert_int_equal(cupti_cubin_id(&id, "cubin", 5, &err), 0);
	assert_true(id == UINT64_C(0x10000000c));
	setenv("FAKE_CUPTI_FAIL", "cuptiGetCubinCrc=1", 1);
	assert_int_equal(cupti_cubin_id(&id, "cubin", 5, &err), PL_EDEVICE);
}

/* ---- counts ---- */

/* Adds up as a worker does. */
static void take_count(void *context, const struct cupti_instruction *at, size_t member,
		       int64_t value)
{
	int64_t *sum = (int64_t *)(void *)((char *)context + member);

	assert_string_equal(at->function, "kernel_a");
	assert_true(at->cubin == 7 && at->pc == 16);
	*sum = (*sum < 0 ? 0 : *sum) + value;
}

static struct cupti_instruction_counts *open_counts(void)
{
	struct cupti_instruction_counts *counts = NULL;
	struct error err = {0};

	if (cupti_counts_open(&counts, NULL, 0, "GH100", &err))
		fail_msg("%s", err.text);
	return counts;
}

static struct profile_instruction count_once(struct cupti_instruction_counts *counts)
{
	struct profile *profile = profile_new();
	struct profile_instruction sums = *profile_instruction_add(profile, 0, 16);
	struct error err = {0};

	profile_free(profile);
	if (cupti_counts_begin(counts, &err) || cupti_counts_end(counts, take_count, &sums, &err))
		fail_msg("%s", err.text);
	return sums;
}

/* In the order in which they are asked for, without that which the chip lacks. */
static void counts_come_by_member(void **state)
{
	struct cupti_instruction_counts *counts = open_counts();

	(void)state;
	for (int i = 0; i < 2; i++) {
		const struct profile_instruction sums = count_once(counts);

		assert_int_equal(sums.executed, 100);
		assert_int_equal(sums.lanes, 101);
		assert_int_equal(sums.requests, 102);
		assert_int_equal(sums.sectors, 103);
		assert_int_equal(sums.ideal_sectors, 104);
		assert_int_equal(sums.local_sectors, -1);
		assert_int_equal(sums.shared_requests, 105);
		assert_int_equal(sums.wavefronts, 106);
		assert_int_equal(sums.ideal_wavefronts, 107);
		/* uniform and divergent ones together, and these alone */
		assert_int_equal(sums.branches, 108 + 109);
		assert_int_equal(sums.divergent, 109);
		assert_int_equal(sums.samples, -1);
	}
	cupti_counts_close(counts);
	cupti_counts_close(NULL);
}

static void a_kernel_without_counts_has_none(void **state)
{
	struct cupti_instruction_counts *counts = open_counts();

	(void)state;
	setenv("FAKE_CUPTI_UNCOUNTED", "1", 1);
	assert_int_equal(count_once(counts).executed, -1);
	cupti_counts_close(counts);
}

static void a_chip_without_these_metrics_is_refused(void **state)
{
	struct cupti_instruction_counts *counts = NULL;
	struct error err = {0};

	(void)state;
	assert_int_equal(cupti_counts_open(&counts, NULL, 0, "GA100", &err), PL_EUNSUPPORTED);
	assert_words(&err, "this CUPTI (13.0) cannot count by instruction on GA100");
	assert_null(counts);
}

/* After each, counting can be prepared again. */
static void errors_of_counting_are_told(void **state)
{
	static const char *const late[] = {
		"cuptiSassMetricsEnable=1", "cuptiSassMetricsGetDataProperties=1",
		"cuptiSassMetricsFlushData=1", "cuptiSassMetricsDisable=1"};
	struct cupti_instruction_counts *counts = NULL;
	struct error err = {0};

	(void)state;
	setenv("FAKE_CUPTI_FAIL", "cuptiSassMetricsSetConfig=8", 1); /* out of memory */
	assert_int_equal(cupti_counts_open(&counts, NULL, 0, "GH100", &err), PL_EDEVICE);
	assert_words(&err, "cuptiSassMetricsSetConfig: CUPTI_ERROR_FAKE (8)");
	assert_null(counts);
	for (size_t i = 0; i < ARRAY_SIZE(late); i++) {
		struct profile_instruction sums = {0};
		char *function = xstrndup(late[i], strcspn(late[i], "="));
		int rc;

		unsetenv("FAKE_CUPTI_FAIL");
		counts = open_counts();
		setenv("FAKE_CUPTI_FAIL", late[i], 1);
		err = (struct error){0};
		rc = cupti_counts_begin(counts, &err);
		if (!rc)
			rc = cupti_counts_end(counts, take_count, &sums, &err);
		assert_int_equal(rc, PL_EDEVICE);
		assert_words(&err, function);
		cupti_counts_close(counts);
		free(function);
	}
	/* one that was begun and not ended ends with it */
	unsetenv("FAKE_CUPTI_FAIL");
	counts = open_counts();
	assert_int_equal(cupti_counts_begin(counts, &err), 0);
	cupti_counts_close(counts);
	cupti_counts_close(open_counts());
}

#define cupti_test(name) cmocka_unit_test_setup(name, profile_set_up)
int main(void)
{
	const struct CMUnitTest tests[] = {
		cupti_test(samples_have_places_and_reasons),
		cupti_test(the_period_can_be_set),
		cupti_test(samples_may_come_in_several_reads),
		cupti_test(a_full_buffer_begins_again),
		cupti_test(code_that_was_not_seen_is_counted),
		cupti_test(errors_of_sampling_are_told),
		cupti_test(a_cubin_has_a_number),
		cupti_test(counts_come_by_member),
		cupti_test(a_kernel_without_counts_has_none),
		cupti_test(a_chip_without_these_metrics_is_refused),
		cupti_test(errors_of_counting_are_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
