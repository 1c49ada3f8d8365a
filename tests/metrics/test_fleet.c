#include "metrics/analysis/fleet.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/random.h"

#define DAY_NS (24 * INT64_C(3600000000000))
#define FIRST_NS (INT64_C(1795229445) * 1000000000)
#define CASES 4

/* ---- simulated fleets ---- */

struct simulated {
	uint64_t state; /* of the random numbers */
	size_t gpus, nights;
	double scatter, noise; /* between GPUs, and of a run */
	bool no_power;
	struct fleet fleet;
	struct fleet_judgement judgement;
};

static double uniform(struct simulated *made)
{
	return ((double)(random_next(&made->state) >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(struct simulated *made)
{
	double radius = sqrt(-2 * log(uniform(made)));

	return radius * cos(2 * M_PI * uniform(made));
}

/* Run NIGHT * gpus + GPU is that of a GPU in a night; its trials follow those of the run before. */
static void simulate(struct simulated *made)
{
	struct fleet *fleet = &made->fleet;
	double *level = xcalloc(made->gpus, sizeof(*level));

	fleet->gpus = xcalloc(made->gpus, sizeof(*fleet->gpus));
	fleet->runs = xcalloc(made->gpus * made->nights, sizeof(*fleet->runs));
	fleet->trials = xcalloc(made->gpus * made->nights * CASES, sizeof(*fleet->trials));
	for (size_t gpu = 0; gpu < made->gpus; gpu++) {
		fleet->gpus[fleet->gpu_count++] = (struct fleet_gpu){.name = xstrdup("GPU"),
								     .uuid = xasprintf("%zu", gpu),
								     .cc_major = 9,
								     .sm_count = 132};
		level[gpu] = made->scatter * normal(made);
	}
	for (size_t night = 0; night < made->nights; night++) {
		double of_night[CASES];

		for (size_t i = 0; i < CASES; i++)
			of_night[i] = 0.02 * normal(made);
		for (size_t gpu = 0; gpu < made->gpus; gpu++) {
			const double of_run = level[gpu] + made->noise * normal(made);
			const double watts = 500 * exp(0.01 * normal(made));

			for (uint32_t i = 0; i < CASES; i++)
				fleet->trials[fleet->trial_count++] = (struct fleet_trial){
					.run = (uint32_t)fleet->run_count,
					.key = i,
					.value = {1e5 * (1 + i) *
							  exp(of_night[i] + of_run +
							      made->noise / 4 * normal(made)),
						  1.7e9, NAN, made->no_power ? NAN : watts}};
			fleet->runs[fleet->run_count++] =
				(struct fleet_run){.id = (int64_t)(100 + night * made->gpus + gpu),
						   .started_ns = FIRST_NS + (int64_t)night * DAY_NS,
						   .gpu = gpu};
		}
	}
	free(level);
}

/* Changes a measure of a GPU in the nights from `first` to before `end`. */
static void plant(struct simulated *made, enum fleet_measure measure, size_t gpu, size_t first,
		  size_t end, double factor)
{
	for (size_t i = 0; i < made->fleet.trial_count; i++) {
		struct fleet_trial *trial = &made->fleet.trials[i];
		const size_t night = trial->run / made->gpus;

		if (made->fleet.runs[trial->run].gpu == gpu && night >= first && night < end)
			trial->value[measure] *= factor;
	}
}

static void judge(struct simulated *made)
{
	fleet_judge(&made->judgement, &made->fleet, &fleet_limits_default);
}

static void judge_with(struct simulated *made, size_t last, double smallest)
{
	struct fleet_limits limits = fleet_limits_default;

	limits.last = last;
	limits.smallest = smallest;
	fleet_judge(&made->judgement, &made->fleet, &limits);
}

static const struct fleet_level *level(const struct simulated *made, size_t gpu, size_t quantity)
{
	return fleet_level_at(&made->judgement, gpu, quantity);
}

static void release(struct simulated *made)
{
	fleet_judgement_release(&made->judgement);
	fleet_release(&made->fleet);
}

#define USUAL                                                                           \
	{                                                                               \
		.state = 11, .gpus = 40, .nights = 20, .scatter = 0.001, .noise = 0.003 \
	}

/* ---- what is an outlier ---- */

static void slow_and_fast_gpus_are_outliers(void **state)
{
	struct simulated made = USUAL;

	(void)state;
	simulate(&made);
	plant(&made, FLEET_TIME, 7, 0, 20, 1.02);
	plant(&made, FLEET_TIME, 9, 0, 20, 0.97);
	judge(&made);
	assert_int_equal(made.judgement.outliers, 2);
	assert_true(level(&made, 7, FLEET_TIME)->is_outlier);
	assert_true(level(&made, 9, FLEET_TIME)->is_outlier);
	assert_true(fabs(level(&made, 7, FLEET_TIME)->change - 0.02) < 0.005);
	assert_true(fabs(level(&made, 9, FLEET_TIME)->change + 0.03) < 0.005);
	/* the largest difference comes first */
	assert_int_equal(made.judgement.order[0], 9);
	assert_int_equal(made.judgement.order[1], 7);
	assert_int_equal(level(&made, 7, FLEET_TIME)->cases, CASES);
	assert_int_equal(level(&made, 7, FLEET_TIME)->runs, 14);
	assert_int_equal(level(&made, 7, FLEET_TIME)->nights, 14);
	/* it has always been so */
	assert_false(level(&made, 7, FLEET_TIME)->since_change);
	assert_int_equal(level(&made, 7, FLEET_TIME)->since_run, 100 + 7);
	release(&made);
}

/* Without night levels, 2 % of scatter between nights would hide 1 %. */
static void nights_of_few_gpus_are_compared_too(void **state)
{
	struct simulated made = USUAL;

	(void)state;
	made.noise = 0.001;
	simulate(&made);
	plant(&made, FLEET_TIME, 3, 0, 20, 1.01);
	/* each GPU runs on every third night only */
	for (size_t i = 0; i < made.fleet.trial_count; i++) {
		struct fleet_trial *trial = &made.fleet.trials[i];
		const size_t night = trial->run / made.gpus, gpu = trial->run % made.gpus;

		if (night % 3 != gpu % 3)
			trial->value[FLEET_TIME] = NAN;
	}
	judge(&made);
	assert_int_equal(made.judgement.outliers, 1);
	assert_true(level(&made, 3, FLEET_TIME)->is_outlier);
	assert_in_range(level(&made, 3, FLEET_TIME)->runs, 6, 7);
	release(&made);
}

static void intervals_contain_the_planted_difference(void **state)
{
	size_t inside = 0, all = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= 40; seed++) {
		struct simulated made = {
			.state = seed, .gpus = 30, .nights = 14, .scatter = 0, .noise = 0.003};

		simulate(&made);
		judge(&made);
		for (size_t gpu = 0; gpu < made.gpus; gpu++, all++)
			inside += level(&made, gpu, FLEET_TIME)->low < 0 &&
				  level(&made, gpu, FLEET_TIME)->high > 0;
		release(&made);
	}
	/* 95 % of 1200, and three standard deviations; the levels share the median GPU */
	assert_in_range(inside, (size_t)(0.92 * (double)all), (size_t)(0.985 * (double)all));
}

static void the_run_of_a_change_is_named(void **state)
{
	struct simulated made = USUAL;
	const struct fleet_level *found;

	(void)state;
	made.nights = 40;
	simulate(&made);
	plant(&made, FLEET_TIME, 5, 22, 40, 1.03);
	judge(&made);
	found = level(&made, 5, FLEET_TIME);
	assert_true(found->is_outlier && found->since_change);
	assert_int_equal(found->since_run, 100 + 22 * 40 + 5);
	assert_true(found->since_ns == FIRST_NS + 22 * DAY_NS);
	release(&made);
}

/* 1.5 % in one of four cases is less than 0.5 % in the mean. */
static void a_single_slow_case_is_found(void **state)
{
	struct simulated made = USUAL;
	const struct fleet_case *cases;
	size_t count;

	(void)state;
	simulate(&made);
	for (size_t i = 0; i < made.fleet.trial_count; i++) {
		struct fleet_trial *trial = &made.fleet.trials[i];

		if (made.fleet.runs[trial->run].gpu == 6 && trial->key == 2)
			trial->value[FLEET_TIME] *= 1.015;
	}
	judge(&made);
	assert_false(level(&made, 6, FLEET_TIME)->is_outlier);
	assert_int_equal(made.judgement.outliers, 1);
	assert_true(fleet_gpu_is_outlier(&made.judgement, 6));
	assert_int_equal(made.judgement.order[0], 6);
	cases = fleet_cases_of(&made.judgement, 6, &count);
	assert_int_equal(count, 1);
	assert_int_equal(cases->key, 2);
	assert_true(fabs(cases->level.change - 0.015) < 0.005);
	assert_int_equal(cases->level.since_run, 100 + 6);
	assert_null(fleet_cases_of(&made.judgement, 5, &count));
	release(&made);
}

static void old_runs_do_not_judge(void **state)
{
	struct simulated made = USUAL;

	(void)state;
	simulate(&made);
	plant(&made, FLEET_TIME, 5, 0, 12, 1.03);
	judge_with(&made, 8, 0.005);
	assert_int_equal(made.judgement.outliers, 0);
	assert_int_equal(level(&made, 5, FLEET_TIME)->runs, 8);
	fleet_judgement_release(&made.judgement);
	judge_with(&made, 0, 0.005);
	assert_true(level(&made, 5, FLEET_TIME)->is_outlier);
	assert_int_equal(level(&made, 5, FLEET_TIME)->runs, 20);
	release(&made);
}

static void wild_nights_move_nothing(void **state)
{
	struct simulated made = USUAL;

	(void)state;
	simulate(&made);
	plant(&made, FLEET_TIME, 5, 9, 11, 3);
	plant(&made, FLEET_TIME, 6, 12, 14, 0.1);
	judge(&made);
	assert_int_equal(made.judgement.outliers, 0);
	assert_true(fabs(level(&made, 5, FLEET_TIME)->change) < 0.005);
	release(&made);
}

static void other_quantities_are_judged_alike(void **state)
{
	struct simulated made = USUAL;

	(void)state;
	simulate(&made);
	plant(&made, FLEET_SM_CLOCK, 2, 0, 20, 0.98);
	plant(&made, FLEET_POWER, 4, 0, 20, 1.1);
	judge(&made);
	assert_int_equal(made.judgement.outliers, 2);
	assert_true(level(&made, 2, FLEET_SM_CLOCK)->is_outlier);
	assert_true(level(&made, 4, FLEET_POWER)->is_outlier);
	assert_false(level(&made, 4, FLEET_TIME)->is_outlier);
	/* nobody measured the memory clock */
	assert_int_equal(level(&made, 2, FLEET_MEMORY_CLOCK)->runs, 0);
	assert_true(isnan(level(&made, 2, FLEET_MEMORY_CLOCK)->change));
	release(&made);
}

/* Four GPUs hardly tell their scatter, and one that is slow must not hide itself. */
static void one_slow_gpu_of_few_is_found(void **state)
{
	static const struct {
		size_t gpus, nights;
		double factor;
		bool found;
	} rows[] = {{4, 3, 1.1, true},   {4, 3, 0.9, true},   {4, 14, 1.1, true},
		    {8, 3, 1.05, true},  {32, 3, 1.02, true}, {4, 3, 1.02, false},
		    {3, 14, 1.02, false}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct simulated made = {.state = 70 + i,
					 .gpus = rows[i].gpus,
					 .nights = rows[i].nights,
					 .scatter = 0.002,
					 .noise = 0.002};
		const struct fleet_model *model;
		const struct fleet_level *time;

		simulate(&made);
		plant(&made, FLEET_TIME, 1, 0, rows[i].nights, rows[i].factor);
		judge(&made);
		time = level(&made, 1, FLEET_TIME);
		model = made.judgement.models;
		assert_int_equal(time->is_outlier, rows[i].found);
		assert_int_equal(made.judgement.outliers, rows[i].found);
		/* what would not show is said, and agrees with what was found */
		assert_true(time->least >= 0.005);
		assert_true(rows[i].found ? fabs(time->change) > time->least
					  : fabs(time->change) < time->least);
		assert_true(model->least <= time->least && model->least_worst >= time->least);
		assert_int_equal(model->fewest_runs, rows[i].nights);
		assert_int_equal(model->most_runs, rows[i].nights);
		release(&made);
	}
}

static void ceilings_have_names_of_their_own(void **state)
{
	struct simulated made = USUAL;
	struct fleet_ceiling *ceiling;

	(void)state;
	simulate(&made);
	ceiling = made.fleet.ceilings = xcalloc(1, sizeof(*ceiling));
	made.fleet.ceiling_count = 1;
	*ceiling = (struct fleet_ceiling){.name = xstrdup("dram_copy"), .count = made.gpus};
	ceiling->trials = xcalloc(made.gpus, sizeof(*ceiling->trials));
	for (uint32_t gpu = 0; gpu < made.gpus; gpu++)
		ceiling->trials[gpu] = (struct fleet_trial){
			.run = gpu, .key = 50, .value = {gpu == 8 ? 3.8e12 : 4e12}};
	judge(&made);
	assert_int_equal(made.judgement.outliers, 1);
	assert_string_equal(fleet_quantity_name(&made.fleet, FLEET_MEASURES), "dram_copy");
	assert_true(level(&made, 8, FLEET_MEASURES)->is_outlier);
	assert_true(fabs(level(&made, 8, FLEET_MEASURES)->change + 0.05) < 1e-9);
	/* one run each does not show the noise, so there is no interval */
	assert_true(isnan(level(&made, 8, FLEET_MEASURES)->low));
	release(&made);
}

static void a_smaller_difference_than_the_smallest_is_no_outlier(void **state)
{
	struct simulated made = USUAL;

	(void)state;
	made.scatter = made.noise = 0;
	simulate(&made);
	plant(&made, FLEET_TIME, 1, 0, 20, 1.0049);
	plant(&made, FLEET_TIME, 2, 0, 20, 1.0051);
	judge(&made);
	assert_false(level(&made, 1, FLEET_TIME)->is_outlier);
	assert_true(level(&made, 2, FLEET_TIME)->is_outlier);
	fleet_judgement_release(&made.judgement);
	judge_with(&made, 14, 0.02);
	assert_int_equal(made.judgement.outliers, 0);
	release(&made);
}

/* ---- what is not compared ---- */

static void models_are_not_compared_with_each_other(void **state)
{
	struct simulated made = USUAL;

	(void)state;
	simulate(&made);
	for (size_t gpu = 0; gpu < made.gpus; gpu += 2) {
		made.fleet.gpus[gpu].sm_count = 114;
		plant(&made, FLEET_TIME, gpu, 0, 20, 1.4);
	}
	plant(&made, FLEET_TIME, 6, 0, 20, 1.03);
	judge(&made);
	assert_int_equal(made.judgement.model_count, 2);
	assert_int_equal(made.judgement.models[0].gpus, 20);
	assert_int_equal(made.judgement.models[0].outliers, 1);
	assert_int_equal(made.judgement.outliers, 1);
	assert_true(fabs(level(&made, 6, FLEET_TIME)->change - 0.03) < 0.005);
	release(&made);
}

static void few_gpus_are_not_compared(void **state)
{
	(void)state;
	for (size_t gpus = 1; gpus <= 3; gpus++) {
		struct simulated made = USUAL;

		made.gpus = gpus;
		simulate(&made);
		plant(&made, FLEET_TIME, 0, 0, 20, 2);
		judge(&made);
		if (gpus < 3) {
			assert_int_equal(made.judgement.models[0].compared, 0);
			assert_non_null(strstr(made.judgement.why_not[0], "fewer than 3 GPUs"));
			assert_int_equal(made.judgement.outliers, 0);
		} else {
			assert_int_equal(made.judgement.models[0].compared, 3);
			assert_null(made.judgement.why_not[0]);
		}
		release(&made);
	}
}

static void other_code_is_not_compared(void **state)
{
	struct simulated made = USUAL;

	(void)state;
	simulate(&made);
	for (size_t i = 0; i < made.fleet.trial_count; i++) {
		struct fleet_trial *trial = &made.fleet.trials[i];

		if (made.fleet.runs[trial->run].gpu == 4) {
			trial->key += 100;
			trial->value[FLEET_TIME] *= 1.5;
		}
	}
	judge(&made);
	assert_int_equal(made.judgement.outliers, 0);
	assert_non_null(strstr(made.judgement.why_not[4], "the same code"));
	assert_int_equal(made.judgement.models[0].compared, 39);
	release(&made);
}

static void numbers_of_a_damaged_database_are_left_out(void **state)
{
	struct simulated made = USUAL;
	const double damaged[] = {0, -1, INFINITY, -INFINITY, NAN};

	(void)state;
	simulate(&made);
	for (size_t i = 0; i < made.fleet.trial_count; i++) {
		const size_t gpu = made.fleet.trials[i].run % made.gpus;

		if (gpu < ARRAY_SIZE(damaged))
			made.fleet.trials[i].value[FLEET_TIME] = damaged[gpu];
	}
	made.fleet.runs[39].started_ns = INT64_MIN;
	made.fleet.runs[79].started_ns = INT64_MAX;
	judge(&made);
	assert_int_equal(made.judgement.outliers, 0);
	for (size_t gpu = 0; gpu < made.gpus; gpu++) {
		assert_int_equal(level(&made, gpu, FLEET_TIME)->runs,
				 gpu < ARRAY_SIZE(damaged) ? 0 : 14);
		assert_int_equal(isfinite(level(&made, gpu, FLEET_TIME)->change) != 0,
				 gpu >= ARRAY_SIZE(damaged));
	}
	release(&made);
}

static void an_empty_fleet_has_no_judgement(void **state)
{
	struct simulated made = {0};

	(void)state;
	judge(&made);
	assert_int_equal(made.judgement.model_count, 0);
	assert_int_equal(made.judgement.outliers, 0);
	release(&made);
}

/* ---- false alarms ---- */

/* Any false alarm among all GPUs and quantities of a fleet has a probability of 5 %, also if few
 * GPUs tell their scatter. */
static void fleets_without_a_difference_are_quiet(void **state)
{
	static const size_t sizes[] = {3, 4, 5, 6, 8, 12, 20, 60};
	const size_t fleets = 200;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		size_t alarms = 0;

		for (uint64_t seed = 1; seed <= fleets; seed++) {
			struct simulated made = {.state = 1000 * i + seed,
						 .gpus = sizes[i],
						 .nights = 5,
						 .scatter = 0.01,
						 .noise = 0.005};

			simulate(&made);
			judge(&made);
			alarms += made.judgement.outliers > 0;
			release(&made);
		}
		/* 5 % of 200 and three standard deviations */
		if (alarms > 19)
			fail_msg("%zu GPUs: %zu of %zu fleets", sizes[i], alarms, fleets);
	}
}

/* One run tells less than the 14 of the others, so it may lie farther away. */
static void gpus_with_one_run_are_not_taken_for_outliers(void **state)
{
	const size_t fleets = 40;
	size_t alarms = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= fleets; seed++) {
		struct simulated made = {
			.state = seed, .gpus = 200, .nights = 14, .scatter = 0.001, .noise = 0.02};

		simulate(&made);
		for (size_t gpu = 0; gpu < 30; gpu++)
			plant(&made, FLEET_TIME, gpu, 0, 13, NAN);
		judge(&made);
		assert_int_equal(level(&made, 2, FLEET_TIME)->runs, 1);
		alarms += made.judgement.outliers > 0;
		release(&made);
	}
	/* 5 % of 40 and three standard deviations */
	assert_in_range(alarms, 0, 6);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(slow_and_fast_gpus_are_outliers),
		cmocka_unit_test(nights_of_few_gpus_are_compared_too),
		cmocka_unit_test(intervals_contain_the_planted_difference),
		cmocka_unit_test(the_run_of_a_change_is_named),
		cmocka_unit_test(a_single_slow_case_is_found),
		cmocka_unit_test(old_runs_do_not_judge),
		cmocka_unit_test(wild_nights_move_nothing),
		cmocka_unit_test(other_quantities_are_judged_alike),
		cmocka_unit_test(one_slow_gpu_of_few_is_found),
		cmocka_unit_test(ceilings_have_names_of_their_own),
		cmocka_unit_test(a_smaller_difference_than_the_smallest_is_no_outlier),
		cmocka_unit_test(models_are_not_compared_with_each_other),
		cmocka_unit_test(few_gpus_are_not_compared),
		cmocka_unit_test(other_code_is_not_compared),
		cmocka_unit_test(numbers_of_a_damaged_database_are_left_out),
		cmocka_unit_test(an_empty_fleet_has_no_judgement),
		cmocka_unit_test(fleets_without_a_difference_are_quiet),
		cmocka_unit_test(gpus_with_one_run_are_not_taken_for_outliers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
