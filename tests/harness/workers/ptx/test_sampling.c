/* Counts of some blocks are those of all blocks, or the case is not sampled. */
#include "support_case.h"

#include <stdlib.h>
#include <string.h>

#include "harness/workers/ptx/emulated_case.h"

/* ---- classes ---- */

/* Every index of the axis is in one class, and samples are of their class. */
static void test_classes_share_out_an_axis(void **context)
{
	static const int64_t extents[] = {1, 2, 3, 4, 5, 7, 8, 33, 64, 65, 1000, 65537};
	static const int64_t periods[] = {1, 2, 4, 32, 128};

	(void)context;
	for (size_t e = 0; e < ARRAY_SIZE(extents); e++) {
		for (size_t p = 0; p < ARRAY_SIZE(periods); p++) {
			size_t count;
			struct axis_class *classes = axis_classes(extents[e], periods[p], &count);
			int64_t sum = 0;

			for (size_t c = 0; c < count; c++) {
				const struct axis_class *class = &classes[c];

				sum += class->count;
				assert_true(class->sample_count >= 1);
				assert_true((int64_t) class->sample_count <= class->count);
				assert_true(class->sample_count >= 3 || class->count < 3);
				for (size_t s = 0; s < class->sample_count; s++) {
					assert_in_range(class->samples[s], 0, extents[e] - 1);
					assert_true((class->samples[s] - class->samples[0]) %
							    periods[p] ==
						    0);
					assert_true(s == 0 ||
						    class->samples[s] > class->samples[s - 1]);
				}
			}
			assert_int_equal(sum, extents[e]);
			free(classes);
		}
	}
}

static void test_samples_are_spread_and_neighbours(void **context)
{
	static const int64_t expected[] = {1, 2, 500, 501, 997, 998};
	size_t count;
	struct axis_class *classes = axis_classes(1000, 1, &count);

	(void)context;
	assert_int_equal(count, 3);
	assert_int_equal(classes[1].sample_count, ARRAY_SIZE(expected));
	for (size_t s = 0; s < ARRAY_SIZE(expected); s++)
		assert_int_equal(classes[1].samples[s], expected[s]);
	free(classes);
}

/* ---- cases ---- */

/* A sampled case counts what the whole one does, and that none of its requests was checked for
 * races in global memory. */
static void assert_same_execution(struct outcome *sampled, const struct outcome *whole)
{
	assert_int_equal(whole->totals.counts.unchecked_requests, 0);
	if (sampled->status == TRIAL_SAMPLED) {
		assert_true(sampled->totals.counts.unchecked_requests > 0);
		sampled->totals.counts.unchecked_requests = 0;
	}
	assert_same_counts(&sampled->totals, &whole->totals);
}

static void assert_sampled_is_whole(const char *kernel, const char *variant, int64_t block,
				    int64_t n)
{
	const struct axis_setting axes[] = {{"block", block}, {"n", n}, {"ways", 8}, {0}};
	struct launch_case *work = built_in_case(kernel, variant, axes);
	struct case_runner runner;
	struct outcome sampled, whole;

	runner_open(&runner, NULL);
	runner.all_blocks = true;
	whole = outcome_of(&runner, work);
	runner.all_blocks = false;
	runner.sampled_beyond = whole.totals.counts.warp_instructions * 3 / 4;
	sampled = outcome_of(&runner, work);
	if (sampled.status != TRIAL_SAMPLED || whole.status != TRIAL_OK)
		fail_msg("%s/%s block=%d n=%d: %s: %s; %s: %s", kernel, variant, (int)block, (int)n,
			 trial_status_name(sampled.status), sampled.reason.data,
			 trial_status_name(whole.status), whole.reason.data);
	assert_same_execution(&sampled, &whole);
	assert_int_equal(sampled.totals.blocks_total, whole.totals.blocks_total);
	assert_true(sampled.totals.blocks_executed < whole.totals.blocks_total / 2);
	assert_false(sampled.totals.has_touched);
	assert_non_null(strstr(sampled.reason.data, "was not verified"));
	outcome_release(&sampled);
	outcome_release(&whole);
	case_runner_release(&runner);
	launch_case_free(work);
}

static void test_sampled_is_whole(void **context)
{
	static const char *const copies[] = {"copy_scalar", "copy_float4", "copy_unrolled",
					     "triad_float4"};
	static const char *const divergences[] = {"thread_parity_short", "thread_parity_long",
						  "warp_parity_short",   "block_parity_long",
						  "block_parity_short",  "if_else",
						  "switch_lane",         "switch_warp"};

	(void)context;
	if (SANITIZED)
		skip(); /* the next test runs the same code on smaller cases */
	for (size_t i = 0; i < ARRAY_SIZE(copies); i++) {
		assert_sampled_is_whole("stream", copies[i], 256, 2000003);
		assert_sampled_is_whole("stream", copies[i], 96, 1000000);
	}
	/* Blocks that do not begin at a sector. */
	assert_sampled_is_whole("stream", "copy_scalar", 100, 1000003);
	assert_sampled_is_whole("stream", "copy_scalar", 33, 1000003);
	for (size_t i = 0; i < ARRAY_SIZE(divergences); i++)
		assert_sampled_is_whole("divergence", divergences[i], 128, 500009);
	assert_sampled_is_whole("matmul", "naive", 256, 250);
	assert_sampled_is_whole("matmul", "tiled", 64, 250);
	assert_sampled_is_whole("matmul", "tiled", 256, 256);
	assert_sampled_is_whole("reduce", "shuffle", 128, 1000003);
	assert_sampled_is_whole("reduce", "interleaved", 256, 2000003);
}

/* Whatever is sampled, of all that runs without being named, counts as the whole does. */
static void test_whatever_is_sampled_is_whole(void **context)
{
	static const int64_t blocks[] = {96, 256};
	/* Sanitizers look at one block size, and at fewer blocks. */
	const size_t block_count = SANITIZED ? 1 : ARRAY_SIZE(blocks);
	size_t sampled_count = 0, count;
	const struct kernel *const *all = kernel_all(&count);
	struct case_runner runner;

	(void)context;
	runner_open(&runner, NULL);
	for (size_t k = 0; k < count; k++)
		for (size_t v = 0; v < all[k]->variant_count * block_count; v++) {
			const bool matrix = !strcmp(all[k]->name, "matmul") ||
					    !strcmp(all[k]->name, "transpose");
			const int64_t n = matrix ? 132 : SANITIZED ? 20011 : 50021;
			const struct axis_setting axes[] = {{"block", blocks[v % block_count]},
							    {"n", n},
							    {"ways", 8},
							    {"steps", 64},
							    {0}};
			const char *variant = all[k]->variants[v / block_count].name;
			struct launch_case *work =
				all[k]->on_request ? NULL
						   : built_in_case(all[k]->name, variant, axes);
			struct outcome whole, sampled;

			if (!work)
				continue;
			runner.all_blocks = true;
			whole = outcome_of(&runner, work);
			if (whole.status ==
			    TRIAL_SKIPPED) { /* instructions that are not emulated */
				outcome_release(&whole);
				launch_case_free(work);
				continue;
			}
			runner.all_blocks = false;
			runner.sampled_beyond = whole.totals.counts.warp_instructions * 3 / 4;
			sampled = outcome_of(&runner, work);
			if (sampled.status != TRIAL_SAMPLED && sampled.status != TRIAL_OK)
				fail_msg("%s/%s: %s", all[k]->name, variant, sampled.reason.data);
			assert_same_execution(&sampled, &whole);
			sampled_count += sampled.status == TRIAL_SAMPLED;
			outcome_release(&sampled);
			outcome_release(&whole);
			launch_case_free(work);
		}
	case_runner_release(&runner);
	/* All but what decides by an atomic, strides over its data with few blocks, or is small. */
	assert_true(sampled_count > 50);
}

/* It runs whole, and where it is too large for that it is skipped, with the cause and a remedy. */
static void assert_not_sampled(const char *entry, const char *cause)
{
	struct launch_case *work = image_case("sampled", entry, 128 * 1500);
	struct case_runner runner;
	struct outcome outcome;

	runner_open(&runner, "tests/emulator/images");
	runner.sampled_beyond = 50000;
	outcome = outcome_of(&runner, work);
	if (outcome.status != TRIAL_OK)
		fail_msg("%s: %s: %s", entry, trial_status_name(outcome.status),
			 outcome.reason.data);
	assert_int_equal(outcome.totals.blocks_executed, 1500);
	outcome_release(&outcome);

	runner.whole_most = 60000;
	outcome = outcome_of(&runner, work);
	assert_int_equal(outcome.status, TRIAL_SKIPPED);
	if (!strstr(outcome.reason.data, cause) || !strstr(outcome.reason.data, "smaller size"))
		fail_msg("%s", outcome.reason.data);
	outcome_release(&outcome);

	runner.all_blocks = true;
	outcome = outcome_of(&runner, work);
	assert_int_equal(outcome.status, TRIAL_OK);
	outcome_release(&outcome);
	case_runner_release(&runner);
	launch_case_free(work);
}

static void test_what_depends_on_data_is_not_sampled(void **context)
{
	(void)context;
	assert_not_sampled("data_branch", "depend on its data");
	assert_not_sampled("ticket", "depend on the results of atomics");
}

static void test_blocks_that_differ_are_not_sampled(void **context)
{
	(void)context;
	assert_not_sampled("threshold", "have different counts");
}

/* A small case is verified, and the estimate leaves nothing behind. */
static void test_a_small_case_is_whole(void **context)
{
	const struct axis_setting axes[] = {{"block", 64}, {"n", 100000}, {0}};
	struct launch_case *work = built_in_case("reduce", "atomic_finish", axes);
	struct case_runner runner;
	struct outcome estimated, whole;

	(void)context;
	runner_open(&runner, NULL);
	estimated = outcome_of(&runner, work);
	runner.all_blocks = true;
	whole = outcome_of(&runner, work);
	assert_int_equal(estimated.status, TRIAL_OK);
	assert_int_equal(whole.status, TRIAL_OK);
	assert_same_counts(&estimated.totals, &whole.totals);
	assert_int_equal(estimated.totals.touched.read, whole.totals.touched.read);
	outcome_release(&estimated);
	outcome_release(&whole);
	case_runner_release(&runner);
	launch_case_free(work);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_classes_share_out_an_axis),
		cmocka_unit_test(test_samples_are_spread_and_neighbours),
		cmocka_unit_test(test_sampled_is_whole),
		cmocka_unit_test(test_whatever_is_sampled_is_whole),
		cmocka_unit_test(test_what_depends_on_data_is_not_sampled),
		cmocka_unit_test(test_blocks_that_differ_are_not_sampled),
		cmocka_unit_test(test_a_small_case_is_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
