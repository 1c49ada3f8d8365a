/* Which cases are profiled, and faults meanwhile: a trial stays as it ended, its profile says why.
 */
#include "sweep_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* In the order of the plan. */
enum { ONE_64, ONE_128, TWO_64, TWO_128, THREE_64, THREE_128 };

static const char *const names[CASES] = {"alpha/one/block=64",   "alpha/one/block=128",
					 "alpha/two/block=64",   "alpha/two/block=128",
					 "alpha/three/block=64", "alpha/three/block=128"};

/* The second case of each variant is the faster one. */
static void give_medians(struct sweep_fixture *f)
{
	static const double medians[CASES] = {2000, 1000, 4000, 3000, 9000, 5000};

	memcpy(f->record.median_ns, medians, sizeof(medians));
	sweep_want_counters(f);
}

/* `wanted` has a digit for each case: how often it was profiled. */
static void assert_profiled(const struct sweep_fixture *f, const char *wanted)
{
	char found[CASES + 1] = {0};

	for (size_t i = 0; i < CASES; i++)
		found[i] = (char)('0' + f->record.profiled[i]);
	assert_string_equal(found, wanted);
}

static void again(void **context)
{
	sweep_tear_down(context);
	sweep_set_up(context);
	give_medians(*context);
}

/* ---- which cases ---- */

static void test_the_best_of_each_variant(void **context)
{
	struct sweep_fixture *f = *context;

	give_medians(f);
	assert_int_equal(sweep_run_scripted(f, "profiles"), 0);
	assert_all_ok_but(f, CASES);
	assert_profiled(f, "010101");
	for (size_t i = 0; i < CASES; i++)
		assert_int_equal(sweep_logged(f, "profile", names[i]), i % 2);
	assert_true(f->record.profile_samples[ONE_128] >= 100);
	assert_string_equal(f->record.why_no_profile[ONE_128], "");
	sweep_assert_parts(f);
	assert_true(f->meter.ns[RUN_PART_PROFILING] > 0);
	/* after all is counted; nobody else gets the worker whose kernels have CUPTI's code */
	assert_int_equal(sweep_logged(f, "close", "-"), sweep_logged(f, "open", "-"));
	sweep_assert_no_worker(f);
}

/* So that two runs profile the same one; and the fastest of the kernel, which reports show first.
 */
static void test_the_first_of_those_that_tie(void **context)
{
	struct sweep_fixture *f = *context;

	give_medians(f);
	f->record.median_ns[ONE_64] = 1009;   /* 0.9 % more */
	f->record.median_ns[TWO_64] = 3031;   /* 1.03 % more */
	f->record.median_ns[THREE_64] = 4999; /* less */
	assert_int_equal(sweep_run_scripted(f, "profiles"), 0);
	assert_profiled(f, "110110");
}

static void test_the_case_that_is_measured_beside_the_best(void **context)
{
	struct sweep_fixture *f = *context;

	give_medians(f);
	f->record.median_ns[TWO_64] = 2500;
	for (size_t i = TWO_64; i < CASES; i++) {
		f->record.plan->cases[i].base_variant = "one";
		f->record.plan->cases[i].base = i % 2;
	}
	assert_int_equal(sweep_run_scripted(f, "profiles"), 0);
	/* one/block=64 is not the best of its variant, but two/block=64 is measured beside it */
	assert_profiled(f, "111001");
}

static void test_all_or_none(void **context)
{
	struct sweep_fixture *f = *context;

	give_medians(f);
	f->lines = LINES_ALL;
	assert_int_equal(sweep_run_scripted(f, "profiles"), 0);
	assert_profiled(f, "111111");
	assert_int_equal(sweep_logged(f, "budget", "0"), 1);

	again(context);
	f = *context;
	f->lines = LINES_NONE;
	assert_int_equal(sweep_run_scripted(f, "profiles"), 0);
	assert_all_ok_but(f, CASES);
	assert_profiled(f, "000000");
	assert_int_equal(sweep_logged(f, "profile", ""), 0);
}

/* A resumed run has some already; another case does not become the best in place of one. */
static void test_what_is_stored_is_not_taken_again(void **context)
{
	struct sweep_fixture *f = *context;

	give_medians(f);
	f->record.has_profile[TWO_128] = true;
	assert_int_equal(sweep_run_scripted(f, "profiles"), 0);
	assert_profiled(f, "010001");
}

static void test_a_case_without_times_is_not_profiled(void **context)
{
	struct sweep_fixture *f = *context;

	give_medians(f);
	f->lines = LINES_ALL;
	assert_int_equal(sweep_run_scripted(f, "profiles;mismatch:" VICTIM_NAME), 0);
	assert_int_equal(f->record.status[VICTIM], TRIAL_MISMATCH);
	assert_profiled(f, "110111");
}

/* A short sweep has 1 s for counting. */
static void test_the_time_for_counting_is_in_the_request(void **context)
{
	struct sweep_fixture *f = *context;

	give_medians(f);
	assert_int_equal(sweep_run_scripted(f, "profiles"), 0);
	assert_int_equal(sweep_logged(f, "budget", "1000000000"), 1);
}

static void test_a_worker_that_cannot_is_not_asked(void **context)
{
	struct sweep_fixture *f = *context;

	give_medians(f);
	assert_int_equal(sweep_run_scripted(f, NULL), 0);
	assert_all_ok_but(f, CASES);
	assert_profiled(f, "000000");
	assert_int_equal(sweep_logged(f, "profile", ""), 0);
}

/* Whoever wants no counters, or cannot have them, gets no profiles. */
static void test_without_counters_nothing_is_profiled(void **context)
{
	static const char *const scripts[] = {"profiles;no_counters", "profiles;counters_lost",
					      "profiles;ncu"};
	struct sweep_fixture *f = *context;

	assert_int_equal(sweep_run_scripted(f, "profiles"), 0);
	assert_int_equal(sweep_logged(f, "profile", ""), 0);
	for (size_t i = 0; i < ARRAY_SIZE(scripts); i++) {
		again(context);
		f = *context;
		assert_int_equal(sweep_run_scripted(f, scripts[i]), 0);
		assert_int_equal(f->outcome.ok, CASES);
		assert_int_equal(sweep_logged(f, "profile", ""), 0);
		assert_profiled(f, "000000");
	}
}

/* ---- faults ---- */

#define BEST "alpha/two/block=128" /* of the second of three cases that are profiled */

static void assert_says(const struct sweep_fixture *f, size_t index, const char *words)
{
	if (!strstr(f->record.why_no_profile[index], words))
		fail_msg("'%s' does not say '%s'", f->record.why_no_profile[index], words);
}

static void test_the_case_of_a_dead_worker_gets_the_reason(void **context)
{
	struct sweep_fixture *f = *context;

	give_medians(f);
	assert_int_equal(sweep_run_scripted(f, "profiles;die_in_profile:" BEST), 0);
	assert_all_ok_but(f, CASES);
	assert_profiled(f, "010101");
	assert_says(f, TWO_128, "the worker died in profiling: killed by signal 9");
	assert_int_equal(f->record.profile_samples[TWO_128], -1);
	/* what it had answered is kept, what it had not is asked of another one */
	assert_true(f->record.profile_samples[ONE_128] > 0);
	assert_true(f->record.profile_samples[THREE_128] > 0);
	assert_int_equal(sweep_logged(f, "profile", names[ONE_128]), 1);
	assert_int_equal(sweep_logged(f, "profile", BEST), 1);
	assert_int_equal(sweep_logged(f, "profile", names[THREE_128]), 2);
}

static void test_deaths_that_blame_nobody_end(void **context)
{
	struct sweep_fixture *f = *context;

	give_medians(f);
	assert_int_equal(sweep_run_scripted(f, "profiles;profile_silent_crash"), 0);
	assert_all_ok_but(f, CASES);
	assert_profiled(f, "010101");
	assert_int_equal(sweep_logged(f, "profile", names[ONE_128]), 3);
	for (size_t i = 1; i < CASES; i += 2)
		assert_says(f, i, "signal 9");
}

static const struct {
	const char *action;
	const char *reason; /* of the case in flight */
	bool quick;         /* needs a short --timeout */
} lies[] = {
	{"hang_in_profile", "profiling did not end within", true},
	{"lie_profile_id", "a reply is about case 1003, which is not asked for", false},
	{"lie_profile_phase", "'pass'", false},
	{"lie_profile_count", "phase 'count' came while profiling", false},
	{"lie_no_profile", "a reply is about case 2, which is not asked for", false},
	{"lie_gossip", "a reply is about case 2, which is not asked for", false},
	{"lie_sums", "instruction 0 has other samples than its stalls", false},
	{"lie_flags", "the buffer was full 2 times", false},
};

static void test_a_lie_ends_the_worker(void **context)
{
	struct sweep_fixture *f = *context;

	for (size_t i = 0; i < ARRAY_SIZE(lies); i++) {
		char *script = xasprintf("profiles;%s:" BEST, lies[i].action);

		print_message("%s\n", lies[i].action);
		again(context);
		f = *context;
		if (lies[i].quick)
			f->settings.timeout_ns = SWEEP_SHORT_TIMEOUT_NS;
		assert_int_equal(sweep_run_scripted(f, script), 0);
		assert_all_ok_but(f, CASES);
		assert_profiled(f, "010101");
		assert_says(f, TWO_128, lies[i].reason);
		if (!lies[i].quick)
			assert_says(f, TWO_128, "the worker broke the protocol in profiling");
		assert_true(f->record.profile_samples[ONE_128] > 0);
		assert_true(f->record.profile_samples[THREE_128] > 0);
		free(script);
	}
}

/* The second answer is refused, the first one stays. */
static void test_an_answer_that_comes_twice(void **context)
{
	struct sweep_fixture *f = *context;

	give_medians(f);
	assert_int_equal(sweep_run_scripted(f, "profiles;lie_profile_twice:" BEST), 0);
	assert_all_ok_but(f, CASES);
	assert_profiled(f, "010101");
	for (size_t i = 1; i < CASES; i += 2)
		assert_true(f->record.profile_samples[i] > 0);
	assert_int_equal(sweep_logged(f, "profile", BEST), 1);
}

static void test_a_case_that_gets_no_answer(void **context)
{
	struct sweep_fixture *f = *context;

	give_medians(f);
	assert_int_equal(sweep_run_scripted(f, "profiles;unprofiled:" BEST), 0);
	assert_all_ok_but(f, CASES);
	assert_profiled(f, "010101");
	assert_says(f, TWO_128, "the worker gave no profile of this case");
}

static void test_a_device_error(void **context)
{
	struct sweep_fixture *f = *context;

	give_medians(f);
	assert_int_equal(sweep_run_scripted(f, "profiles;device_error_in_profile:" BEST), 0);
	assert_all_ok_but(f, CASES);
	assert_profiled(f, "010101");
	assert_says(f, TWO_128, "scripted: device_error_in_profile");
	assert_true(f->record.profile_samples[THREE_128] > 0);
}

/* ---- the end ---- */

static void test_an_interruption_keeps_what_is_stored(void **context)
{
	struct sweep_fixture *f = *context;

	give_medians(f);
	f->lines = LINES_ALL;
	f->record.stop_at_profile = &f->stop;
	assert_int_equal(sweep_run_scripted(f, "profiles;hang_in_last_profile:alpha/three"),
			 PL_EINTERRUPTED);
	assert_true(f->record.profile_calls >= 1 && f->record.profile_calls <= 4);
	assert_int_equal(f->record.profiled[ONE_64], 1);
	sweep_assert_no_worker(f);
}

static void test_a_writer_error_ends_the_sweep(void **context)
{
	struct sweep_fixture *f = *context;

	give_medians(f);
	f->record.fail_at_profile = 2;
	assert_int_equal(sweep_run_scripted(f, "profiles"), PL_EIO);
	assert_string_equal(f->err.text, "the disk is full");
	assert_int_equal(f->record.profile_calls, 2);
	sweep_assert_no_worker(f);
}

#define SWEEP_TEST(name) cmocka_unit_test_setup_teardown(name, sweep_set_up, sweep_tear_down)
int main(void)
{
	const struct CMUnitTest tests[] = {
		SWEEP_TEST(test_the_best_of_each_variant),
		SWEEP_TEST(test_the_first_of_those_that_tie),
		SWEEP_TEST(test_the_case_that_is_measured_beside_the_best),
		SWEEP_TEST(test_all_or_none),
		SWEEP_TEST(test_what_is_stored_is_not_taken_again),
		SWEEP_TEST(test_a_case_without_times_is_not_profiled),
		SWEEP_TEST(test_the_time_for_counting_is_in_the_request),
		SWEEP_TEST(test_a_worker_that_cannot_is_not_asked),
		SWEEP_TEST(test_without_counters_nothing_is_profiled),
		SWEEP_TEST(test_the_case_of_a_dead_worker_gets_the_reason),
		SWEEP_TEST(test_deaths_that_blame_nobody_end),
		SWEEP_TEST(test_a_lie_ends_the_worker),
		SWEEP_TEST(test_an_answer_that_comes_twice),
		SWEEP_TEST(test_a_case_that_gets_no_answer),
		SWEEP_TEST(test_a_device_error),
		SWEEP_TEST(test_an_interruption_keeps_what_is_stored),
		SWEEP_TEST(test_a_writer_error_ends_the_sweep),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
