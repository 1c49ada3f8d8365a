/*
 * How often a history of equal runs shows a change point, and how often a step is found within two
 * runs, for many kinds of noise. PERFLAB_SIMULATIONS=2000 build/tests/unit_metrics
 * metrics_simulated_histories prints the table of docs/results/simulation-history-fleet.md.
 */
#include "metrics/analysis/change_points.h"
#include "simulated_noise.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SEED 36
#define ROUNDS_MOST 3
#define RUNS_MOST 100
#define SCATTER 0.003
#define SMALL_SCATTER 0.001
#define IMPORT_SCATTER 0.02 /* of runs with one set of samples each */

static const size_t lengths[] = {4, 6, 10, 20, 30, 100};
#define LENGTHS ARRAY_SIZE(lengths)

struct times {
	double rounds[RUNS_MOST * ROUNDS_MOST];
	struct process_medians runs[RUNS_MOST];
};

/* Runs at 100 us, from `step_at` on longer by `step`. */
static void make_times(struct times *times, struct simulated_noise *noise, size_t runs,
		       size_t rounds, size_t step_at, double step)
{
	noise_begin(noise);
	for (size_t run = 0; run < runs; run++) {
		const double of_run = noise_of_run(noise) + (run >= step_at ? log1p(step) : 0);
		double *first = &times->rounds[run * rounds];

		for (size_t round = 0; round < rounds; round++)
			first[round] = 100e3 * exp(of_run + noise_of_round(noise));
		times->runs[run] = (struct process_medians){first, rounds};
	}
}

/* Whether a change point lies at a place, or one beside it; without a place: anywhere. */
static bool has_point(const struct times *times, size_t runs, size_t place)
{
	struct change_point *found;
	const size_t count = change_points_find(&found, times->runs, runs, &change_point_limits);
	bool has = false;

	for (size_t i = 0; i < count; i++)
		has |= !place || (found[i].at + 1 >= place && found[i].at <= place + 1);
	free(found);
	return has;
}

static double false_points(struct simulated_noise *noise, size_t runs, size_t rounds,
			   size_t histories)
{
	struct times times;
	size_t with = 0;

	for (size_t i = 0; i < histories; i++) {
		make_times(&times, noise, runs, rounds, runs, 0);
		with += has_point(&times, runs, 0);
	}
	return (double)with / (double)histories;
}

/* How often a step is found when one or two runs are behind it. */
static double found_steps(struct simulated_noise *noise, size_t before, double step,
			  size_t histories)
{
	struct times times;
	size_t found = 0;

	for (size_t i = 0; i < histories; i++) {
		make_times(&times, noise, before + 2, ROUNDS_MOST, before, step);
		found += has_point(&times, before + 1, before) ||
			 has_point(&times, before + 2, before);
	}
	return (double)found / (double)histories;
}

static struct simulated_noise noise_of(enum noise_model model, double scale, uint64_t seed)
{
	return (struct simulated_noise){
		.model = model, .scale = scale, .state = SEED + (seed << 32)};
}

static void print_row(const char *name, const double *rates, size_t count)
{
	printf("| %s |", name);
	for (size_t i = 0; i < count; i++)
		printf(" %.1f %% |", 100 * rates[i]);
	putchar('\n');
}

/* The limit and three standard deviations of what is counted. */
static double rate_limit(double limit, size_t count)
{
	return limit + 3 * sqrt(limit * (1 - limit) / (double)count);
}

/* Prints a table; returns whether a rate is too high. */
static bool count_false_points(double scatter)
{
	const size_t histories = simulation_count(100);
	bool too_many = false;

	printf("\n| noise of %.1f %% | 4 runs | 6 | 10 | 20 | 30 | 100 |\n"
	       "|---|--:|--:|--:|--:|--:|--:|\n",
	       100 * scatter);
	for (int model = 0; model <= NOISE_MODELS; model++) {
		const bool imports = model == NOISE_MODELS;
		double rates[LENGTHS];

		for (size_t i = 0; i < LENGTHS; i++) {
			struct simulated_noise noise = noise_of(
				imports ? NOISE_NORMAL : (enum noise_model)model,
				imports ? IMPORT_SCATTER : scatter, (uint64_t)model * LENGTHS + i);

			rates[i] = false_points(&noise, lengths[i], imports ? 1 : ROUNDS_MOST,
						histories);
			too_many |= model != NOISE_DRIFT && model != NOISE_LASTING_MODE &&
				    rates[i] > rate_limit(0.05, histories);
		}
		print_row(imports ? "imports: one set of samples, 2 %"
				  : noise_name((enum noise_model)model),
			  rates, LENGTHS);
	}
	return too_many;
}

static void equal_runs_show_no_change(void **state)
{
	const bool too_many = count_false_points(SCATTER) | count_false_points(SMALL_SCATTER);

	(void)state;
	assert_false(too_many);
}

static void steps_are_found_within_two_runs(void **state)
{
	static const double steps[] = {0.005, 0.01, 0.02, 0.05};
	const size_t histories = simulation_count(100);
	double found = 0;

	(void)state;
	printf("\n| noise of %.1f %%, step after 20 runs | 0.5 %% | 1 %% | 2 %% | 5 %% |\n"
	       "|---|--:|--:|--:|--:|\n",
	       100 * SCATTER);
	for (int model = 0; model < NOISE_MODELS; model++) {
		double rates[ARRAY_SIZE(steps)];

		for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
			struct simulated_noise noise =
				noise_of((enum noise_model)model, SCATTER,
					 1000 + (uint64_t)model * ARRAY_SIZE(steps) + i);

			rates[i] = found_steps(&noise, 20, steps[i], histories);
		}
		print_row(noise_name(model), rates, ARRAY_SIZE(steps));
		found = model == NOISE_NORMAL ? rates[1] : found;
	}
	assert_true(found > 0.9);
}

static double named_modes(struct simulated_noise *noise, size_t runs, size_t histories)
{
	struct times times;
	struct change_mode mode;
	size_t named = 0;

	for (size_t i = 0; i < histories; i++) {
		make_times(&times, noise, runs, ROUNDS_MOST, runs, 0);
		named += change_mode_find(&mode, times.runs, runs, &change_point_limits);
	}
	return (double)named / (double)histories;
}

static void modes_are_named_where_there_are_two(void **state)
{
	static const size_t of_runs[] = {10, 20, 30, 100};
	const size_t histories = simulation_count(150);
	double least_found = 1, most_false = 0;

	(void)state;
	printf("\n| noise of %.1f %% | 10 runs | 20 | 30 | 100 |\n|---|--:|--:|--:|--:|\n",
	       100 * SCATTER);
	for (int model = 0; model < NOISE_MODELS; model++) {
		double rates[ARRAY_SIZE(of_runs)];

		for (size_t i = 0; i < ARRAY_SIZE(of_runs); i++) {
			struct simulated_noise noise =
				noise_of((enum noise_model)model, SCATTER,
					 2000 + (uint64_t)model * ARRAY_SIZE(of_runs) + i);

			rates[i] = named_modes(&noise, of_runs[i], histories);
			/* a slow round makes a slow run */
			if (model < NOISE_MODE && model != NOISE_MODE_OF_ROUND)
				most_false = fmax(most_false, rates[i]);
		}
		print_row(noise_name((enum noise_model)model), rates, ARRAY_SIZE(of_runs));
		if (model == NOISE_MODE)
			least_found = rates[2];
	}
	assert_true(least_found > 0.5);
	assert_true(most_false <= rate_limit(0.1, histories));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_runs_show_no_change),
		cmocka_unit_test(steps_are_found_within_two_runs),
		cmocka_unit_test(modes_are_named_where_there_are_two),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
