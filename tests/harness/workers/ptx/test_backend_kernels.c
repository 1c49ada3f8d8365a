/* Kernels that run on request only, on the emulator, and what it counts of one (test_all_kernels.c
 * has all others). */
#include "support_case.h"

#include <string.h>

static struct case_runner runner;

static int set_up(void **context)
{
	(void)context;
	runner_open(&runner, NULL);
	return 0;
}

static int tear_down(void **context)
{
	(void)context;
	case_runner_release(&runner);
	return 0;
}

/* False: a constraint does not hold. */
static bool verify(const char *kernel, const char *variant, const struct axis_setting *axes)
{
	struct launch_case *work = built_in_case(kernel, variant, axes);
	struct outcome outcome;

	if (!work)
		return false;
	outcome = outcome_of(&runner, work);
	if (outcome.status != TRIAL_OK) {
		struct text config = TEXT_INIT;

		axes_text(&config, work->axes, work->axis_count);
		fail_msg("%s/%s/%s: %s: %s", kernel, variant, config.data,
			 trial_status_name(outcome.status), outcome.reason.data);
	}
	assert_true(outcome.totals.has_touched);
	assert_true(outcome.totals.counts.lane_instructions > 0);
	assert_true(outcome.totals.blocks_executed == outcome.totals.blocks_total);
	assert_true(outcome.totals.lines.count > 0);
	outcome_release(&outcome);
	launch_case_free(work);
	return true;
}

/* Places at a distance, shared, reversed, in no order; all lanes, and two of them. */
static void test_patterns(void **context)
{
	const struct kernel *kernel = kernel_find("patterns");

	(void)context;
	for (size_t v = 0; v < kernel->variant_count; v++)
		for (int way = 0; way < 64; way++) {
			const struct axis_setting axes[] = {
				{"block", way & 1 ? 96 : 64},
				{"n", way & 1 ? 1000 : 31},
				{"stride", way & 2 ? 3 : 1},
				{"share", way & 4 ? 8 : 1},
				{"flip", way & 8 ? 20 : 1},
				{"order", way & 16 ? 2 : 1},
				{"mask", way & 32 ? 0x10000002 : UINT32_MAX},
				{"start", 1 + way % 3},
				{0}};

			assert_true(verify("patterns", kernel->variants[v].name, axes));
		}
}

/* Module variables begin anew in each case: last_block counts its blocks in one. */
static void test_a_case_does_not_see_the_one_before(void **context)
{
	const struct axis_setting axes[] = {{"block", 64}, {"n", 1000}, {0}};
	struct launch_case *work = built_in_case("reduce", "last_block", axes);
	struct outcome first = outcome_of(&runner, work);

	(void)context;
	for (int again = 0; again < 3; again++) {
		struct outcome next = outcome_of(&runner, work);

		assert_int_equal(next.status, TRIAL_OK);
		assert_same_counts(&first.totals, &next.totals);
		outcome_release(&next);
	}
	outcome_release(&first);
	launch_case_free(work);
}

/* What the launches of a copy do, reckoned by hand. */
static void test_counts_of_a_copy(void **context)
{
	const struct axis_setting axes[] = {{"block", 256}, {"n", 4096}, {0}};
	struct launch_case *work = built_in_case("stream", "copy_scalar", axes);
	struct outcome copy = outcome_of(&runner, work);
	const struct emulated_counts *counts = &copy.totals.counts;

	(void)context;
	assert_int_equal(copy.status, TRIAL_OK);
	assert_int_equal(copy.totals.blocks_total, 16);
	assert_int_equal(counts->global_load_requests, 128);
	assert_int_equal(counts->global_load_sectors, 512);
	assert_int_equal(counts->global_load_bytes, 16384);
	assert_int_equal(counts->global_store_sectors, 512);
	assert_int_equal(counts->f32_flop, 0);
	assert_int_equal(counts->divergent_branches, 0);
	assert_int_equal(copy.totals.touched.read, 16384);
	assert_int_equal(copy.totals.touched.written, 16384);
	outcome_release(&copy);
	launch_case_free(work);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_patterns),
		cmocka_unit_test(test_a_case_does_not_see_the_one_before),
		cmocka_unit_test(test_counts_of_a_copy),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
