/* Tests metrics/analysis/gpu_group.h: the facts of sentinels, the joined run and the differences.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "metrics/analysis/gpu_group.h"
#include "regress_fixture.h"

#define FIRST_MODEL "GPU A"

/* A group of two runs without cases. The GPU with the higher number comes first. */
static struct gpu_group *group_of_two(const char *mode)
{
	struct gpu_group *group = xcalloc(1, sizeof(*group));

	group->runs = xcalloc(2, sizeof(*group->runs));
	group->count = 2;
	for (int i = 0; i < 2; i++) {
		struct run *run = &group->runs[i];

		run->id = 10 + i;
		run->traits.timed = true;
		run->settings.device = 1 - i;
		run->state = RUN_FINISHED;
		run->started_ns = 100 * (i + 1);
		run->finished_ns = 1000 * (i + 1);
		strcpy(run->device.name, FIRST_MODEL);
		snprintf(run->device.uuid, sizeof(run->device.uuid), "GPU-%d", 1 - i);
		key_value_set(&run->environment, GPUS_MODE_KEY, mode);
		key_value_set(&run->environment, GPUS_COUNT_KEY, "2");
		key_value_set(&run->environment, "host", "node");
	}
	return group;
}

/* Adds a case to the run of a GPU: 1 is the first run. */
static struct trial *add_case(struct gpu_group *group, int gpu, int64_t position,
			      const char *variant, const double *median_ns, size_t rounds)
{
	struct run *run = &group->runs[1 - gpu];
	struct trial *trial = regress_add_trial(run, variant, median_ns, rounds);

	trial->id = 100 * run->id + position;
	trial->run_id = run->id;
	trial->position = position;
	return trial;
}

static void complete(struct gpu_group *group)
{
	struct error err = {0};

	if (gpu_group_complete(group, &err))
		fail_msg("%s", err.text);
}

static void give_back(struct gpu_group *group)
{
	gpu_group_release(group);
	free(group);
}

static void facts_of_sentinels_are_read(void **state)
{
	struct run run = {0};
	struct gpu_sentinel_fact fact;

	(void)state;
	key_value_set(&run.environment, GPUS_INTERFERENCE_KEY ".1",
		      "-1.5 % for a/b (95 % interval x)/n=1 (95 % interval -2.0 to +0.5 %)");
	key_value_set(&run.environment, GPUS_INTERFERENCE_KEY ".2", "something else");
	key_value_set(&run.environment, GPUS_INTERFERENCE_KEY ".3",
		      "+1.0 % for a/b (95 % interval what to ever %)");
	assert_true(gpu_sentinel_fact_of(&fact, &run, 1));
	assert_float_equal(fact.change, -0.015, 1e-12);
	assert_float_equal(fact.low, -0.02, 1e-12);
	assert_float_equal(fact.high, 0.005, 1e-12);
	/* a name may look like an interval */
	assert_int_equal(fact.name_length, strlen("a/b (95 % interval x)/n=1"));
	assert_memory_equal(fact.name, "a/b (95 % interval x)/n=1", fact.name_length);
	/* an unknown text is shown as it is, without a number */
	for (size_t i = 2; i <= 3; i++) {
		assert_true(gpu_sentinel_fact_of(&fact, &run, i));
		assert_true(isnan(fact.change) && isnan(fact.low) && isnan(fact.high));
		assert_null(fact.name);
		assert_non_null(fact.text);
	}
	assert_false(gpu_sentinel_fact_of(&fact, &run, 4));
	key_value_list_release(&run.environment);
}

/* The reader knows what the writer writes, with any name and reason. */
static void facts_that_are_written_are_read(void **state)
{
	static const char name[] = "a % for b/(95 % interval 0/n=1";
	const struct effect effect = {.change = -0.0149, .low = -0.02, .high = 0.005};
	struct run run = {0};
	struct gpu_sentinel_fact fact;
	struct gpu_absence absent;
	size_t at = 0;

	(void)state;
	assert_string_equal(gpu_sentinel_fact_add(&run.environment, 1, name, &effect),
			    "-1.5 % for a % for b/(95 % interval 0/n=1 (95 % interval -2.0 to "
			    "+0.5 %)");
	assert_true(gpu_sentinel_fact_of(&fact, &run, 1));
	assert_float_equal(fact.change, -0.015, 1e-12);
	assert_float_equal(fact.high, 0.005, 1e-12);
	assert_int_equal(fact.name_length, strlen(name));
	assert_memory_equal(fact.name, name, strlen(name));
	gpu_absence_add(&run.environment, 3, "GPU-3", "lost: it is gone");
	assert_true(gpu_absence_next(&absent, &run, &at));
	assert_int_equal(absent.number, 3);
	assert_int_equal(absent.uuid_length, strlen("GPU-3"));
	assert_string_equal(absent.reason, "lost: it is gone");
	key_value_list_release(&run.environment);
}

static void split_cases_become_one_run(void **state)
{
	struct gpu_group *group = group_of_two("split");
	const struct run *all = &group->all;

	(void)state;
	add_case(group, 0, 2, "c", USUAL);
	add_case(group, 0, 0, "a", USUAL);
	add_case(group, 1, 1, "b", USUAL);
	key_value_set(&group->runs[0].environment, "counters_off", "no permission");
	key_value_set(&group->runs[1].environment, "process", "7");
	complete(group);
	assert_false(group->spread);
	assert_int_equal(group->difference_count, 0);
	/* by the number of the GPU */
	assert_int_equal(group->runs[0].settings.device, 0);
	assert_int_equal(all->id, 0);
	assert_int_equal(all->trial_count, 3);
	assert_string_equal(all->trials[0].variant, "a");
	assert_string_equal(all->trials[1].variant, "b");
	assert_string_equal(all->trials[2].variant, "c");
	assert_int_equal(trial_gpu(all, &all->trials[0])->number, 0);
	assert_int_equal(trial_gpu(all, &all->trials[1])->number, 1);
	assert_string_equal(trial_gpu(all, &all->trials[1])->uuid, "GPU-1");
	/* an ordinary run has no GPUs */
	assert_null(trial_gpu(&group->runs[0], &group->runs[0].trials[0]));
	assert_int_equal(all->started_ns, 100);
	assert_int_equal(all->finished_ns, 2000);
	assert_int_equal(all->state, RUN_FINISHED);
	/* facts of all, and what is off on one */
	assert_string_equal(key_value_get(&all->environment, "host"), "node");
	assert_null(key_value_get(&all->environment, "process"));
	assert_string_equal(key_value_get(&all->environment, "counters_off"),
			    "GPU 1: no permission");
	give_back(group);
}

/* Interrupts the run of a GPU: 1 is the first run. Of a GPU that failed, with the reason. */
static void interrupt(struct gpu_group *group, int gpu, const char *failed)
{
	struct run *run = &group->runs[1 - gpu];

	run->state = RUN_INTERRUPTED;
	if (failed)
		key_value_set(&run->environment, GPUS_FAILED_KEY, failed);
}

static void a_sweep_is_finished_without_a_gpu_that_was_replaced(void **state)
{
	static const struct {
		const char *mode, *failed;
		bool pending;
		enum run_state expected;
	} sweeps[] = {{"split", NULL, false, RUN_INTERRUPTED},
		      {"split", "gone", false, RUN_FINISHED},
		      /* nobody was left to take over, or takes over in a spread */
		      {"split", "gone", true, RUN_INTERRUPTED},
		      {"spread", "gone", true, RUN_INTERRUPTED}};

	(void)state;
	for (size_t i = 0; i < 2 * ARRAY_SIZE(sweeps); i++) {
		struct gpu_group *group = group_of_two(sweeps[i / 2].mode);
		const int gpu = i % 2; /* also the first one */

		interrupt(group, gpu, sweeps[i / 2].failed);
		add_case(group, 1 - gpu, 0, "a", USUAL);
		if (sweeps[i / 2].pending)
			add_case(group, gpu, 1, "b", USUAL)->status = TRIAL_PENDING;
		complete(group);
		assert_int_equal(group->all.state, sweeps[i / 2].expected);
		give_back(group);
	}
}

static void a_gpu_is_failed_until_its_run_is_finished(void **state)
{
	struct gpu_group *group = group_of_two("split");

	(void)state;
	interrupt(group, 1, "gone");
	/* it was resumed */
	key_value_set(&group->runs[1].environment, GPUS_FAILED_KEY, "gone, too");
	complete(group);
	assert_null(gpu_group_failure(group, 0));
	assert_string_equal(gpu_group_failure(group, 1), "gone");
	give_back(group);
}

static void a_gpu_without_a_run_is_a_fact_of_the_others(void **state)
{
	struct gpu_group *group = group_of_two("split");
	struct gpu_absence absent;
	size_t at = 0;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct key_value_list *facts = &group->runs[i].environment;

		key_value_set(facts, "gpus.absent.2", "GPU-2: gone: away");
		key_value_set(facts, "gpus.absent.x", "GPU-3: no number");
		key_value_set(facts, "gpus.absent.-1", "GPU-4: no number");
		key_value_set(facts, "gpus.absent.12", "no UUID");
	}
	complete(group);
	assert_true(gpu_absence_next(&absent, &group->all, &at));
	assert_int_equal(absent.number, 2);
	assert_int_equal(absent.uuid_length, strlen("GPU-2"));
	assert_memory_equal(absent.uuid, "GPU-2", absent.uuid_length);
	assert_string_equal(absent.reason, "gone: away");
	assert_true(gpu_absence_next(&absent, &group->all, &at));
	assert_int_equal(absent.number, 12);
	assert_int_equal(absent.uuid_length, 0);
	assert_string_equal(absent.reason, "no UUID");
	assert_false(gpu_absence_next(&absent, &group->all, &at));
	give_back(group);
}

/* What a GPU measured that fell off the bus says little. */
static void a_spread_compares_with_the_first_gpu_that_finished(void **state)
{
	struct gpu_group *group = group_of_two("spread");

	(void)state;
	interrupt(group, 0, "gone");
	add_case(group, 0, 0, "a", SLOW);
	add_case(group, 1, 0, "a", USUAL);
	complete(group);
	assert_int_equal(group->runs[group->base].settings.device, 1);
	assert_int_equal(group->difference_count, 1);
	assert_int_equal(group->differences[0].run->settings.device, 0);
	assert_int_equal(group->differences[0].regress.tally[CHANGE_REGRESSED], 1);
	give_back(group);
	/* none finished */
	group = group_of_two("spread");
	interrupt(group, 0, NULL);
	interrupt(group, 1, NULL);
	complete(group);
	assert_int_equal(group->base, 0);
	assert_int_equal(group->differences[0].run->settings.device, 1);
	give_back(group);
}

static void other_models_have_no_common_device(void **state)
{
	struct gpu_group *group = group_of_two("spread");

	(void)state;
	strcpy(group->runs[1].device.name, "GPU B");
	complete(group);
	assert_false(group->one_model);
	assert_string_equal(group->all.device.name, "");
	give_back(group);
	group = group_of_two("spread");
	complete(group);
	assert_true(group->one_model);
	assert_string_equal(group->all.device.name, FIRST_MODEL);
	/* not that of one of them */
	assert_string_equal(group->all.device.uuid, "");
	give_back(group);
}

static void a_spread_compares_each_gpu_with_the_first(void **state)
{
	struct gpu_group *group = group_of_two("spread");
	const struct gpu_difference *difference;

	(void)state;
	add_case(group, 0, 0, "same", USUAL);
	add_case(group, 0, 1, "slow", USUAL);
	add_case(group, 0, 2, "here", USUAL);
	add_case(group, 1, 0, "same", USUAL);
	add_case(group, 1, 1, "slow", SLOW);
	add_case(group, 1, 2, "there", SLOW);
	complete(group);
	assert_true(group->spread);
	assert_int_equal(group->all.trial_count, 6);
	assert_int_equal(group->difference_count, 1);
	difference = &group->differences[0];
	assert_int_equal(difference->run->settings.device, 1);
	assert_int_equal(difference->regress.tally[CHANGE_REGRESSED], 1);
	assert_string_equal(difference->largest->base->variant, "slow");
	/* the mean of two cases, one of which takes 2 % longer */
	assert_int_equal(difference->mean.cases, 2);
	assert_float_equal(difference->mean.change, sqrt(1.02) - 1, 2e-4);
	assert_true(difference->mean.low < difference->mean.change);
	assert_true(difference->mean.change < difference->mean.high);
	give_back(group);
}

/* Rounds that drift together tell the GPUs apart; rounds that do not, widen the interval. */
static void the_mean_is_of_pairs_of_rounds(void **state)
{
	struct gpu_group *group = group_of_two("spread");

	(void)state;
	add_case(group, 0, 0, "a", MEDIANS(1e6, 1.1e6, 1.2e6));
	add_case(group, 1, 0, "a", MEDIANS(1.010e6, 1.1e6 * 1.011, 1.2e6 * 1.012));
	complete(group);
	/* the mean of 1.0, 1.1 and 1.2 %, t = 4.303 with 2 degrees of freedom, s = 0.1 % / 1.011 */
	assert_float_equal(group->differences[0].mean.change, 0.011, 1e-6);
	assert_float_equal(group->differences[0].mean.high, 0.011 + 4.303 * 0.001 / sqrt(3), 2e-5);
	assert_float_equal(group->differences[0].mean.low, 0.011 - 4.303 * 0.001 / sqrt(3), 2e-5);
	give_back(group);
	/* one round has no interval */
	group = group_of_two("spread");
	add_case(group, 0, 0, "a", MEDIANS(1e6));
	add_case(group, 1, 0, "a", MEDIANS(2e6));
	complete(group);
	assert_float_equal(group->differences[0].mean.change, 1, 1e-9);
	assert_true(isnan(group->differences[0].mean.low));
	give_back(group);
}

/* With cases of other numbers of rounds, the mean is over the rounds that all have. */
static void the_mean_is_over_common_rounds(void **state)
{
	struct gpu_group *group = group_of_two("spread");

	(void)state;
	add_case(group, 0, 0, "long", MEDIANS(1e6, 1e6, 9e6));
	add_case(group, 1, 0, "long", MEDIANS(2e6, 2e6, 9e6));
	add_case(group, 0, 1, "short", MEDIANS(1e6, 1e6));
	add_case(group, 1, 1, "short", MEDIANS(2e6, 2e6));
	complete(group);
	assert_int_equal(group->differences[0].mean.cases, 2);
	assert_float_equal(group->differences[0].mean.change, 1, 1e-9);
	give_back(group);
	/* no case in common */
	group = group_of_two("spread");
	add_case(group, 0, 0, "a", USUAL);
	add_case(group, 1, 1, "b", USUAL);
	complete(group);
	assert_int_equal(group->differences[0].mean.cases, 0);
	assert_true(isnan(group->differences[0].mean.change));
	assert_null(group->differences[0].largest);
	give_back(group);
}

static void a_gpu_with_two_runs_took_over(void **state)
{
	struct gpu_group *group = group_of_two("split");

	(void)state;
	group->runs[0].settings.device = group->runs[1].settings.device;
	strcpy(group->runs[0].device.uuid, group->runs[1].device.uuid);
	complete(group);
	assert_false(gpu_group_took_over(group, 0));
	assert_true(gpu_group_took_over(group, 1));
	assert_int_equal(group->runs[0].id, 10);
	give_back(group);
}

static void there_are_at_least_the_gpus_of_the_runs(void **state)
{
	static const char *const stored[] = {"-5", "1", "many", "2", "8"};
	static const int64_t expected[] = {2, 2, 2, 2, 8};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(stored); i++) {
		struct gpu_group *group = group_of_two("split");

		for (size_t k = 0; k < 2; k++)
			key_value_set(&group->runs[k].environment, GPUS_COUNT_KEY, stored[i]);
		complete(group);
		assert_int_equal(group->gpus, expected[i]);
		give_back(group);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(facts_of_sentinels_are_read),
		cmocka_unit_test(facts_that_are_written_are_read),
		cmocka_unit_test(split_cases_become_one_run),
		cmocka_unit_test(a_sweep_is_finished_without_a_gpu_that_was_replaced),
		cmocka_unit_test(a_gpu_is_failed_until_its_run_is_finished),
		cmocka_unit_test(a_gpu_without_a_run_is_a_fact_of_the_others),
		cmocka_unit_test(a_spread_compares_with_the_first_gpu_that_finished),
		cmocka_unit_test(other_models_have_no_common_device),
		cmocka_unit_test(a_spread_compares_each_gpu_with_the_first),
		cmocka_unit_test(the_mean_is_of_pairs_of_rounds),
		cmocka_unit_test(the_mean_is_over_common_rounds),
		cmocka_unit_test(a_gpu_with_two_runs_took_over),
		cmocka_unit_test(there_are_at_least_the_gpus_of_the_runs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
