/* Cooperative launches and the device heap in cases. */
#include "support_case.h"

#include <string.h>

static struct outcome run_image(const char *entry, int64_t n, bool cooperative)
{
	struct launch_case *work = image_case("grid", entry, n);
	struct case_runner runner;
	struct outcome outcome;

	runner_open(&runner, "tests/emulator/images");
	work->launches[0].cooperative = cooperative;
	outcome = outcome_of(&runner, work);
	case_runner_release(&runner);
	launch_case_free(work);
	return outcome;
}

/* More blocks than are estimated on one, all of which wait for each other. */
static void test_a_cooperative_launch_runs_whole(void **context)
{
	struct outcome outcome = run_image("next_block", 128 * 100, true);

	(void)context;
	assert_string_equal(outcome.reason.data ? outcome.reason.data : "", "");
	assert_int_equal(outcome.status, TRIAL_OK);
	assert_int_equal(outcome.totals.blocks_executed, 100);
	outcome_release(&outcome);
}

static void test_a_plain_launch_that_synchronises_is_a_fault(void **context)
{
	struct outcome outcome = run_image("next_block", 128 * 4, false);

	(void)context;
	assert_int_equal(outcome.status, TRIAL_FAULT);
	assert_non_null(strstr(outcome.reason.data, "a launch that is not cooperative"));
	outcome_release(&outcome);
}

/* A GH100 has 132 SMs that hold 16 blocks of 128 threads. */
static void test_a_grid_beyond_the_chip_is_skipped(void **context)
{
	static const struct {
		int64_t blocks;
		bool fits;
	} grids[] = {{132 * 16, true}, {132 * 16 + 1, false}};

	(void)context;
	for (size_t i = 0; i < ARRAY_SIZE(grids); i++) {
		struct launch_case *work = image_case("grid", "next_block", 128 * grids[i].blocks);
		enum trial_status status = TRIAL_OK;
		struct text reason = TEXT_INIT;
		struct launch_facts facts;
		struct case_runner runner;
		struct error err = {0};

		runner_open(&runner, "tests/emulator/images");
		work->launches[0].cooperative = true;
		assert_int_equal(case_facts(&runner, work, &facts, &status, &reason, &err), 0);
		assert_int_equal(status, grids[i].fits ? TRIAL_OK : TRIAL_SKIPPED);
		if (!grids[i].fits)
			assert_non_null(strstr(reason.data, "2113 blocks; a GH100 holds 2112"));
		text_release(&reason);
		case_runner_release(&runner);
		launch_case_free(work);
	}
}

static void test_a_leak_is_a_fault(void **context)
{
	struct outcome outcome = run_image("leak", 128, false);

	(void)context;
	assert_int_equal(outcome.status, TRIAL_FAULT);
	assert_non_null(strstr(outcome.reason.data, "leak in leak, block (0,0,0) thread (5,0,0)"));
	outcome_release(&outcome);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_cooperative_launch_runs_whole),
		cmocka_unit_test(test_a_plain_launch_that_synchronises_is_a_fault),
		cmocka_unit_test(test_a_grid_beyond_the_chip_is_skipped),
		cmocka_unit_test(test_a_leak_is_a_fault),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
