/*
 * How often a fleet of equal GPUs has an outlier, and how often one slow GPU is found, for many
 * kinds of noise. PERFLAB_SIMULATIONS=1000 build/tests/unit_metrics metrics_simulated_fleets prints
 * the tables of docs/results/simulation-history-fleet.md.
 */
#include "metrics/analysis/fleet.h"
#include "simulated_noise.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SEED 36
#define CASES 4
#define SCATTER 0.002 /* between GPUs, and between the runs of one */
#define DAY_NS (24 * INT64_C(3600000000000))

/* One run of each GPU in each night; the first GPU is slower. */
static void make_fleet(struct fleet *fleet, struct simulated_noise *noise, size_t gpus,
		       size_t nights, double slower)
{
	*fleet = (struct fleet){.gpus = xcalloc(gpus, sizeof(*fleet->gpus)),
				.runs = xcalloc(gpus * nights, sizeof(*fleet->runs)),
				.trials = xcalloc(gpus * nights * CASES, sizeof(*fleet->trials))};
	for (size_t gpu = 0; gpu < gpus; gpu++) {
		const double level = SCATTER * noise_normal(noise) + (gpu ? 0 : log1p(slower));

		fleet->gpus[fleet->gpu_count++] = (struct fleet_gpu){
			.name = xstrdup("GPU"), .uuid = xasprintf("%zu", gpu), .cc_major = 9};
		noise_begin(noise);
		for (size_t night = 0; night < nights; night++) {
			const double of_run = level + noise_of_run(noise);

			for (uint32_t i = 0; i < CASES; i++)
				fleet->trials[fleet->trial_count++] = (struct fleet_trial){
					.run = (uint32_t)fleet->run_count,
					.key = i,
					.value = {1e5 * exp(of_run + noise_of_round(noise)), NAN,
						  NAN, NAN}};
			fleet->runs[fleet->run_count++] =
				(struct fleet_run){.id = (int64_t)fleet->run_count,
						   .started_ns = (int64_t)night * DAY_NS,
						   .gpu = gpu};
		}
	}
}

static struct simulated_noise noise_of(int model, uint64_t seed)
{
	return (struct simulated_noise){
		.model = (enum noise_model)model, .scale = SCATTER, .state = SEED + (seed << 32)};
}

/* How often the first GPU is an outlier, or without a slower one any GPU. */
static double outliers(struct simulated_noise *noise, size_t gpus, size_t nights, double slower,
		       size_t fleets)
{
	size_t with = 0;

	for (size_t i = 0; i < fleets; i++) {
		struct fleet fleet;
		struct fleet_judgement judgement;

		make_fleet(&fleet, noise, gpus, nights, slower);
		fleet_judge(&judgement, &fleet, &fleet_limits_default);
		with += slower > 0 ? fleet_gpu_is_outlier(&judgement, 0) : judgement.outliers > 0;
		fleet_judgement_release(&judgement);
		fleet_release(&fleet);
	}
	return (double)with / (double)fleets;
}

static void print_row(int model, const double *rates, size_t count)
{
	printf("| %s |", noise_name((enum noise_model)model));
	for (size_t i = 0; i < count; i++)
		printf(" %.1f %% |", 100 * rates[i]);
	putchar('\n');
}

static void equal_gpus_are_no_outliers(void **state)
{
	static const struct {
		size_t gpus, nights;
	} sizes[] = {{3, 3}, {4, 3}, {8, 3}, {32, 3}, {4, 14}, {8, 14}, {32, 14}};
	const size_t fleets = simulation_count(25);
	const double most = 0.05 + 3 * sqrt(0.05 * 0.95 / (double)fleets);
	bool too_many = false;

	(void)state;
	printf("\n| fleet: runs x GPUs | 3 x 3 | 3 x 4 | 3 x 8 | 3 x 32 | 14 x 4 | 14 x 8 | 14 x "
	       "32 "
	       "|\n|---|--:|--:|--:|--:|--:|--:|--:|\n");
	for (int model = 0; model < NOISE_MODELS; model++) {
		double rates[ARRAY_SIZE(sizes)];

		for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
			struct simulated_noise noise = noise_of(model, (uint64_t)model * 100 + i);

			rates[i] = outliers(&noise, sizes[i].gpus, sizes[i].nights, 0, fleets);
			too_many |= model != NOISE_LASTING_MODE && rates[i] > most;
		}
		print_row(model, rates, ARRAY_SIZE(sizes));
	}
	assert_false(too_many);
}

static void one_slow_gpu_is_found(void **state)
{
	static const struct {
		size_t gpus, nights;
		double slower;
	} rows[] = {{4, 1, 0.1},  {4, 3, 0.05},  {4, 3, 0.1},  {8, 3, 0.02},
		    {8, 3, 0.05}, {32, 3, 0.01}, {32, 3, 0.02}};
	const size_t fleets = simulation_count(25);
	double least = 1;

	(void)state;
	printf("\n| fleet: runs x GPUs, slower | 1 x 4, 10 %% | 3 x 4, 5 %% | 3 x 4, 10 %% | 3 x "
	       "8, 2 %% "
	       "| 3 x 8, 5 %% | 3 x 32, 1 %% | 3 x 32, 2 %% "
	       "|\n|---|--:|--:|--:|--:|--:|--:|--:|\n");
	for (int model = 0; model < NOISE_MODELS; model++) {
		double rates[ARRAY_SIZE(rows)];

		for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
			struct simulated_noise noise =
				noise_of(model, 5000 + (uint64_t)model * 100 + i);

			rates[i] = outliers(&noise, rows[i].gpus, rows[i].nights, rows[i].slower,
					    fleets);
		}
		print_row(model, rates, ARRAY_SIZE(rows));
		if (model == NOISE_NORMAL || model == NOISE_RUNS)
			least = fmin(least, fmin(rates[2], fmin(rates[4], rates[6])));
	}
	assert_true(least >= 0.9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_gpus_are_no_outliers),
		cmocka_unit_test(one_slow_gpu_is_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
