/*
 * Cases that are measured beside a base case: who is asked for what, and what happens when the base
 * case or the worker goes wrong. Variant one is the base; its cases are 0 and 1.
 */
#include "sweep_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int beside_set_up(void **context)
{
	struct sweep_fixture *f;
	int rc = sweep_set_up(context);

	f = *context;
	for (size_t i = 2; i < CASES; i++) {
		f->record.plan->cases[i].base_variant = "one";
		f->record.plan->cases[i].base = i % 2;
	}
	return rc;
}

/* Once more, for the next row of a table. */
static struct sweep_fixture *start_again(void **context)
{
	sweep_tear_down(context);
	beside_set_up(context);
	return *context;
}

static void assert_paired_but(const struct sweep_fixture *f, size_t first, size_t last)
{
	for (size_t i = 0; i < CASES; i++) {
		const bool paired = i >= 2 && (i < first || i > last);

		assert_int_equal(f->record.pairs[i], paired ? 2 : 0);
		if (paired)
			assert_string_equal(f->record.alone[i], "");
	}
}

static void test_each_case_has_its_base_beside_it(void **context)
{
	struct sweep_fixture *f = *context;

	assert_int_equal(sweep_run_scripted(f, NULL), 0);
	assert_all_ok_but(f, CASES);
	assert_paired_but(f, CASES, CASES);
	/* of each block size, beside two cases in two rounds */
	assert_int_equal(sweep_logged(f, "beside", "alpha/one/block=64"), 4);
	assert_int_equal(sweep_logged(f, "beside", "alpha/one/block=128"), 4);
	/* and alone, as any case */
	assert_int_equal(sweep_logged(f, "measure-0", "alpha/one/block=64"), 1);
	assert_int_equal(f->record.samples[2], f->record.samples[0]);
	assert_int_equal(f->record.apart[2], 0);
}

static void test_base_cases_come_first(void **context)
{
	/* some of these seeds draw another case first */
	for (uint64_t seed = 1; seed <= 6; seed++) {
		struct sweep_fixture *f = seed > 1 ? start_again(context) : *context;

		f->settings.seed = seed;
		assert_int_equal(sweep_run_scripted(f, NULL), 0);
		assert_true(!strncmp(f->record.first_round, "01", 2) ||
			    !strncmp(f->record.first_round, "10", 2));
	}
}

static void test_other_buffers_are_reported(void **context)
{
	struct sweep_fixture *f = *context;

	assert_int_equal(sweep_run_scripted(f, "apart:alpha/two"), 0);
	assert_int_equal(f->record.apart[2], 2);
	assert_int_equal(f->record.apart[4], 0);
}

/* A base case that failed by itself is never put beside another case. */
static void test_a_base_that_failed_is_not_asked_for(void **context)
{
	static const char *const scripts[] = {
		"mismatch:alpha/one/block=64", "crash:alpha/one/block=64",
		"inspect_skip:alpha/one/block=64", "inspect_crash:alpha/one/block=64"};

	for (size_t i = 0; i < ARRAY_SIZE(scripts); i++) {
		struct sweep_fixture *f = i ? start_again(context) : *context;

		print_message("%s\n", scripts[i]);
		assert_int_equal(sweep_run_scripted(f, scripts[i]), 0);
		assert_int_equal(sweep_logged(f, "beside", "alpha/one/block=64"), 0);
		for (size_t c = 1; c < CASES; c++) {
			assert_int_equal(f->record.status[c], TRIAL_OK);
			assert_int_equal(f->record.pairs[c], c == 3 || c == 5 ? 2 : 0);
		}
	}
}

/* What goes wrong with the base case while it is prepared costs a case its pair, not its samples.
 */
static void test_a_base_that_fails_beside_costs_only_the_pair(void **context)
{
	static const struct {
		const char *script, *reason;
	} rows[] = {
		{"base_fails:alpha/one/block=64", "scripted: base_fails"},
		{"base_errs:alpha/one/block=64", "scripted: base_errs"},
		{"base_crashes:alpha/one/block=64", "the worker died in phase beside"},
		{"base_hangs:alpha/one/block=64", "phase beside did not end within"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct sweep_fixture *f = i ? start_again(context) : *context;

		print_message("%s\n", rows[i].script);
		if (strstr(rows[i].script, "hangs"))
			f->settings.timeout_ns = SWEEP_SHORT_TIMEOUT_NS;
		assert_int_equal(sweep_run_scripted(f, rows[i].script), 0);
		assert_all_ok_but(f, CASES);
		for (size_t c = 2; c < CASES; c += 2) {
			if (!strstr(f->record.alone[c], rows[i].reason))
				fail_msg("'%s' does not say '%s'", f->record.alone[c],
					 rows[i].reason);
			assert_int_equal(f->record.pairs[c], 0);
			assert_int_equal(f->record.rounds[c], 2);
			assert_int_equal(f->record.pairs[c + 1], 2);
		}
		/* asked for once per case, and never again */
		assert_int_equal(sweep_logged(f, "beside", "alpha/one/block=64"), 2);
		sweep_assert_no_worker(f);
	}
}

static void test_a_worker_that_lies_about_the_base(void **context)
{
	static const struct {
		const char *script, *reason;
	} rows[] = {
		{"lie_beside_none:" VICTIM_NAME, "neither samples of it nor a reason"},
		{"lie_beside_count:" VICTIM_NAME, "another number of samples of the base case"},
		{"lie_beside_twice:" VICTIM_NAME, "'beside' came twice"},
		{"lie_beside:alpha/one/block=64", "although no base case was asked for"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct sweep_fixture *f = i ? start_again(context) : *context;
		const size_t victim = i == 3 ? 0 : VICTIM;

		print_message("%s\n", rows[i].script);
		assert_int_equal(sweep_run_scripted(f, rows[i].script), 0);
		assert_all_ok_but(f, victim);
		assert_int_equal(f->record.status[victim], TRIAL_CRASHED);
		if (!strstr(f->record.reason[victim], rows[i].reason))
			fail_msg("'%s' does not say '%s'", f->record.reason[victim],
				 rows[i].reason);
		assert_int_equal(f->record.pairs[victim], 0);
	}
}

/* A case that goes wrong itself is the case's matter. */
static void test_a_case_that_fails_beside_its_base(void **context)
{
	struct sweep_fixture *f = *context;

	assert_int_equal(sweep_run_scripted(f, "late_device_error:" VICTIM_NAME), 0);
	assert_all_ok_but(f, VICTIM);
	assert_int_equal(f->record.status[VICTIM], TRIAL_DEVICE_ERROR);
	assert_string_equal(f->record.alone[VICTIM], "");
}

static void test_a_resumed_run_keeps_to_what_is_stored(void **context)
{
	struct sweep_fixture *f = *context;

	f->record.plan->cases[2].alone = true;
	f->record.plan->cases[1].finished = true; /* the base case of 3 and 5 */
	f->record.plan->cases[1].failed = true;
	assert_int_equal(sweep_run_scripted(f, NULL), 0);
	assert_int_equal(f->record.pairs[2], 0);
	assert_int_equal(f->record.pairs[3], 0);
	assert_int_equal(f->record.pairs[4], 2);
	assert_int_equal(f->record.pairs[5], 0);
	assert_string_equal(f->record.alone[2], "");
}

static void test_nothing_is_paired_under_ncu(void **context)
{
	struct sweep_fixture *f = *context;

	assert_int_equal(sweep_run_scripted(f, "ncu"), 0);
	assert_int_equal(sweep_logged(f, "beside", "alpha/one/block=64"), 0);
}

#define beside_test(function) \
	cmocka_unit_test_setup_teardown(function, beside_set_up, sweep_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		beside_test(test_each_case_has_its_base_beside_it),
		beside_test(test_base_cases_come_first),
		beside_test(test_other_buffers_are_reported),
		beside_test(test_a_base_that_failed_is_not_asked_for),
		beside_test(test_a_base_that_fails_beside_costs_only_the_pair),
		beside_test(test_a_worker_that_lies_about_the_base),
		beside_test(test_a_case_that_fails_beside_its_base),
		beside_test(test_a_resumed_run_keeps_to_what_is_stored),
		beside_test(test_nothing_is_paired_under_ncu),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
