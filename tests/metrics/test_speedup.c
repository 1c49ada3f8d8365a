/*
 * Speed-ups over a base variant: the estimate of a round, the verdict over rounds, and simulated
 * runs in which the truth is known.
 */
#include "metrics/against.h"
#include "metrics/analysis/regress.h"
#include "metrics/analysis/speedup.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void assert_close(double value, double expected, double distance)
{
	if (!(fabs(value - expected) <= distance))
		fail_msg("%.12g is not %.12g", value, expected);
}

/* ---- one round ---- */

static void the_middle_half_decides(void **state)
{
	/* base / case is 2 in the middle; a fourth of the pairs lies anywhere on either side */
	const double time[] = {100, 100, 100, 100, 100, 100, 100, 100};
	const double base[] = {1, 50, 200, 200, 200, 200, 900, 90000};

	(void)state;
	assert_close(speedup_of_round(time, base, 8), 2, 1e-12);
	assert_close(round_speedup_of(time, base, 8).log_speedup, log(2), 1e-12);
}

static void drift_cancels(void **state)
{
	double time[40], base[40];

	(void)state;
	for (int i = 0; i < 40; i++) {
		time[i] = 20000 * (1 + 0.01 * i);
		base[i] = 1.005 * time[i];
	}
	assert_close(speedup_of_round(time, base, 40), 1.005, 1e-12);
	assert_true(round_speedup_of(time, base, 40).reach < 1e-9);
}

static void the_interval_is_that_of_a_trimmed_mean(void **state)
{
	double time[8], base[8];
	struct round_speedup estimate;

	(void)state;
	for (int i = 0; i < 8; i++) {
		time[i] = 1;
		base[i] = exp(0.01 * i);
	}
	estimate = round_speedup_of(time, base, 8);
	assert_close(estimate.log_speedup, 0.035, 1e-12);
	/* winsorised: 2 2 2 3 4 5 5 5 of 0.01: squares 14 about 3.5, over 7; 4 kept; t of 3 */
	assert_close(estimate.reach, 3.182446 * 0.01 * sqrt(14.0 / 7 * 8) / 4, 1e-7);
	assert_true(isinf(round_speedup_of(time, base, 5).reach));
}

static void what_is_no_time_is_no_pair(void **state)
{
	const double time[] = {0, 10, 10}, base[] = {10, 0, 20};

	(void)state;
	assert_close(speedup_of_round(time, base, 3), 2, 1e-12);
	assert_true(isnan(speedup_of_round(time, base, 2)));
	assert_true(isnan(speedup_of_round(time, base, 0)));
	assert_true(isnan(round_speedup_of(time, base, 0).log_speedup));
}

/* ---- rounds ---- */

#define ROUND(value)                                                      \
	{                                                                 \
		.median_ns = 100e3, .speedup = (value), .same_buffers = 1 \
	}

static enum speedup_verdict alone(const struct speedup_effect *effect)
{
	return speedup_effect_judge(effect, effect->p, &speedup_limits_default);
}

/* Rounds without spread have the known noise alone, with 6 of 8 degrees of freedom. */
static void rounds_have_the_known_noise(void **state)
{
	const struct round_summary rounds[] = {ROUND(1.01), ROUND(1.01), ROUND(1.01)};
	struct speedup_effect effect = speedup_effect_of(rounds, 3);
	const double step = 33 / sqrt(12) / 100e3;
	const double known = 1e-6 + step * step * (1 + 1 / (1.01 * 1.01));
	const double reach = 2.306004 * sqrt(0.75 * known / 3);

	(void)state;
	assert_close(effect.speedup, 1.01, 1e-12);
	assert_close(log(effect.high), log(1.01) + reach, 1e-8);
	assert_close(log(effect.low), log(1.01) - reach, 1e-8);
	assert_int_equal(effect.rounds, 3);
	assert_true(effect.agreed && effect.same_buffers);
	assert_int_equal(alone(&effect), SPEEDUP_FASTER);
}

static void a_short_case_has_the_steps_of_the_clock(void **state)
{
	struct round_summary rounds[] = {ROUND(1.01), ROUND(1.01), ROUND(1.01)};
	struct speedup_effect effect;

	(void)state;
	for (int i = 0; i < 3; i++)
		rounds[i].median_ns = 1500;
	effect = speedup_effect_of(rounds, 3);
	assert_true(effect.low < 1);
	assert_int_equal(alone(&effect), SPEEDUP_INCONCLUSIVE);
}

static void other_buffers_leave_small_differences_open(void **state)
{
	struct round_summary rounds[] = {ROUND(1.01), ROUND(1.01), ROUND(1.01)};
	struct speedup_effect effect;

	(void)state;
	rounds[1].same_buffers = 0;
	effect = speedup_effect_of(rounds, 3);
	assert_false(effect.same_buffers);
	assert_int_equal(alone(&effect), SPEEDUP_INCONCLUSIVE);
	for (int i = 0; i < 3; i++)
		rounds[i].speedup = 1.05;
	effect = speedup_effect_of(rounds, 3);
	assert_int_equal(alone(&effect), SPEEDUP_FASTER);
}

static void verdicts_follow_the_limits(void **state)
{
	static const struct {
		double rounds[3];
		enum speedup_verdict verdict;
	} rows[] = {
		{{1.02, 1.021, 1.019}, SPEEDUP_FASTER},
		{{0.98, 0.981, 0.979}, SPEEDUP_SLOWER},
		{{1.005, 1.0052, 1.0048}, SPEEDUP_FASTER},
		{{1.0001, 1.0, 0.9999}, SPEEDUP_SAME},
		/* certain, but below 0.2 % */
		{{1.0019, 1.0019, 1.0019}, SPEEDUP_SAME},
		/* one round disagrees */
		{{1.02, 1.02, 0.999}, SPEEDUP_INCONCLUSIVE},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct round_summary rounds[3];
		struct speedup_effect effect;

		for (int r = 0; r < 3; r++)
			rounds[r] = (struct round_summary)ROUND(rows[i].rounds[r]);
		effect = speedup_effect_of(rounds, 3);
		if (alone(&effect) != rows[i].verdict)
			fail_msg("row %zu is %s", i, speedup_verdict_name(alone(&effect)));
	}
}

static void one_round_never_decides(void **state)
{
	const struct round_summary round[] = {ROUND(1.5)};
	struct speedup_effect effect = speedup_effect_of(round, 1);

	(void)state;
	assert_close(effect.speedup, 1.5, 1e-12);
	assert_true(isnan(effect.low) && isnan(effect.high) && isnan(effect.p));
	assert_int_equal(alone(&effect), SPEEDUP_INCONCLUSIVE);
	/* not even that nothing changed */
	effect = speedup_effect_of((const struct round_summary[]){ROUND(1.0)}, 1);
	assert_int_equal(alone(&effect), SPEEDUP_INCONCLUSIVE);
	effect = speedup_effect_of(round, 0);
	assert_int_equal(alone(&effect), SPEEDUP_NOT_MEASURED);
}

/* 20 rounds about a clear difference: 3 on the other side are chance, 4 are not. */
static void many_rounds_need_not_all_agree(void **state)
{
	struct round_summary rounds[20];
	struct speedup_effect effect;

	(void)state;
	for (size_t others = 0; others < 6; others++) {
		for (size_t i = 0; i < ARRAY_SIZE(rounds); i++)
			rounds[i] = (struct round_summary)ROUND(i < others ? 0.999 : 1.01);
		effect = speedup_effect_of(rounds, ARRAY_SIZE(rounds));
		assert_int_equal(effect.agreed, others < 4);
	}
	rounds[0] = (struct round_summary)ROUND(0.999);
	effect = speedup_effect_of(rounds, 10); /* too few for the test */
	assert_false(effect.agreed);
}

/* ---- a run ---- */

static struct trial measured_trial(int64_t id, double speedup)
{
	struct trial trial = {
		.id = id,
		.status = TRIAL_OK,
		.speedup = trial_speedup_none,
		.rounds = xcalloc(3, sizeof(*trial.rounds)),
		.round_count = 3,
	};

	for (int r = 0; r < 3; r++)
		trial.rounds[r] = (struct round_summary)ROUND(speedup);
	trial.speedup.base_variant = xstrdup("base");
	trial.speedup.base_config = xstrdup("block=1");
	trial.speedup.base_trial_id = 1;
	return trial;
}

static void a_run_says_why_there_is_no_speedup(void **state)
{
	struct run run = {.trials = xcalloc(6, sizeof(*run.trials)), .trial_count = 6};
	struct trial *trials = run.trials;

	(void)state;
	trials[0] = (struct trial){.id = 1,
				   .status = TRIAL_SKIPPED,
				   .reason = xstrdup("too big"),
				   .speedup = trial_speedup_none};
	trials[1] = measured_trial(2, 1.02);
	trials[2] = measured_trial(3, 1.02);
	trials[2].speedup.base_trial_id = 0; /* in another shard */
	trials[3] = measured_trial(4, 1.02);
	trials[3].speedup.base_trial_id = 2;
	trials[3].status = TRIAL_CRASHED;
	trials[4] = measured_trial(5, 1.02);
	trials[4].speedup.base_trial_id = 2;
	trials[4].speedup.why = xstrdup("stays");
	trials[5] = measured_trial(6, 1.02);
	trials[5].speedup.base_trial_id = 2;
	trials[5].status = TRIAL_UNVERIFIED;
	speedups_judge(&run);
	assert_null(trials[0].speedup.why);
	assert_string_equal(trials[1].speedup.why, "its base case is skipped: too big");
	assert_int_equal(trials[1].speedup.verdict, SPEEDUP_NOT_MEASURED);
	assert_true(isnan(trials[1].speedup.speedup));
	assert_int_equal(trials[1].speedup.same_buffers, -1);
	assert_int_equal(trials[2].speedup.verdict, SPEEDUP_FASTER);
	assert_int_equal(trials[2].speedup.rounds, 3);
	assert_string_equal(trials[3].speedup.why, "the case is crashed");
	assert_string_equal(trials[4].speedup.why, "stays");
	assert_int_equal(trials[4].speedup.verdict, SPEEDUP_NOT_MEASURED);
	assert_int_equal(trials[5].speedup.verdict, SPEEDUP_FASTER);
	run_release(&run);
}

static void the_p_of_all_pairs_are_adjusted(void **state)
{
	struct run run = {.trials = xcalloc(3, sizeof(*run.trials)), .trial_count = 3};
	struct speedup_effect effect;

	(void)state;
	for (int i = 0; i < 3; i++) {
		run.trials[i] = measured_trial(i + 1, i ? 1.0001 : 1.01);
		run.trials[i].speedup.base_trial_id = 0;
	}
	effect = speedup_effect_of(run.trials[0].rounds, 3);
	speedups_judge(&run);
	assert_close(run.trials[0].speedup.p, 3 * effect.p, 1e-12);
	assert_int_equal(run.trials[1].speedup.verdict, SPEEDUP_SAME);
	run_release(&run);
}

/* What the first interim analysis of 3 rounds decides stays so, and its p are divided by its share.
 * Without --against, all rounds count. */
static void rounds_that_were_added_are_judged_in_steps(void **state)
{
	struct run run = {.trials = xcalloc(1, sizeof(*run.trials)), .trial_count = 1};
	struct trial *trial = run.trials;
	struct speedup_effect first;

	(void)state;
	*trial = measured_trial(1, 1.01);
	trial->speedup.base_trial_id = 0;
	first = speedup_effect_of(trial->rounds, 3);
	trial->rounds = xrealloc(trial->rounds, 8 * sizeof(*trial->rounds));
	for (int r = 0; r < 8; r++) {
		trial->rounds[r] = (struct round_summary)ROUND(r < 3 ? 1.01 : 0.9);
		trial->rounds[r].round = r;
	}
	trial->round_count = 8;
	key_value_set(&run.environment, SEQUENTIAL_FIRST_KEY, "3");
	speedups_judge(&run);
	assert_int_equal(trial->speedup.rounds, 8);
	key_value_set(&run.environment, AGAINST_COMMIT_KEY, "1a2b3c4d");
	speedups_judge(&run);
	assert_int_equal(trial->speedup.rounds, 3);
	assert_int_equal(trial->speedup.verdict, SPEEDUP_FASTER);
	assert_close(trial->speedup.p, first.p / interim_share(0), 1e-12);
	for (int r = 0; r < 8; r++) /* undecided at first, and slower in the end */
		trial->rounds[r].speedup = r == 1 ? 0.985 : r < 3 ? 0.998 : 0.96;
	speedups_judge(&run);
	assert_int_equal(trial->speedup.rounds, 8);
	assert_int_equal(trial->speedup.verdict, SPEEDUP_SLOWER);
	run_release(&run);
}

/* ---- simulated runs ---- */

static uint64_t random_state;

static double uniform(void)
{
	random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return ((double)(random_state >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(void)
{
	return sqrt(-2 * log(uniform())) * cos(2 * M_PI * uniform());
}

/* As event times on an H200 are: steps of 32 ns, and now and then a sample that takes far longer.
 */
static double sample_of(double time_ns, double spread)
{
	double sample = time_ns * (1 + spread * normal());

	if (uniform() < 0.02)
		sample *= 1.05 + 0.3 * uniform();
	return 32 * round(sample / 32);
}

/* A round of a case of `time_ns` whose true speed-up is `speedup`: samples spread by `spread`, the
 * device drifts, and each process makes the two differ by 0.07 % (standard deviation). */
static struct round_summary simulated_round(double time_ns, double speedup, double spread)
{
	enum { PAIRS = 120 };
	double time[PAIRS], base[PAIRS];
	double apart = speedup * (1 + 0.0007 * normal());
	double drift = 0.0001 * normal();

	for (int i = 0; i < PAIRS; i++) {
		double now = time_ns * (1 + drift * i);

		time[i] = sample_of(now, spread);
		base[i] = sample_of(now * apart, spread);
	}
	return (struct round_summary){.median_ns = time_ns,
				      .speedup = speedup_of_round(time, base, PAIRS),
				      .same_buffers = 1};
}

/* Simulates runs of `pairs` pairs. Returns how many pairs were called different, in the direction
 * of the speed-up; if there is none, in any. */
static size_t called(size_t runs, size_t pairs, double speedup)
{
	struct run run = {.trials = xcalloc(pairs, sizeof(*run.trials)), .trial_count = pairs};
	size_t found = 0;

	for (size_t i = 0; i < pairs; i++) {
		run.trials[i] = measured_trial((int64_t)i + 1, 1);
		run.trials[i].speedup.base_trial_id = 0;
	}
	for (size_t k = 0; k < runs; k++) {
		for (size_t i = 0; i < pairs; i++) {
			const double time_ns = 20e3 * pow(5, uniform());
			const double spread = 0.002 + 0.008 * uniform();

			for (int r = 0; r < 3; r++)
				run.trials[i].rounds[r] = simulated_round(time_ns, speedup, spread);
		}
		speedups_judge(&run);
		for (size_t i = 0; i < pairs; i++) {
			const enum speedup_verdict verdict = run.trials[i].speedup.verdict;

			found += (verdict == SPEEDUP_FASTER && speedup >= 1) ||
				 (verdict == SPEEDUP_SLOWER && speedup <= 1);
		}
	}
	run_release(&run);
	return found;
}

static void equal_operations_are_seldom_called_different(void **state)
{
	size_t alarms;

	(void)state;
	random_state = 1;
	alarms = called(40, 100, 1) + called(400, 3, 1);
	/* of 5,200 pairs; Holm allows one in every twentieth run at most */
	if (alarms > 10)
		fail_msg("%zu of 5200 equal pairs are called different", alarms);
}

static void planted_differences_are_found(void **state)
{
	size_t found;

	(void)state;
	random_state = 2;
	found = called(10, 20, 1.01) + called(10, 20, 1 / 1.01);
	if (found < 396) /* 99 % of 400 */
		fail_msg("1 %% is found in %zu of 400 pairs", found);
	found = called(10, 20, 1.005) + called(10, 20, 1 / 1.005);
	if (found < 380) /* 95 % */
		fail_msg("0.5 %% is found in %zu of 400 pairs", found);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_middle_half_decides),
		cmocka_unit_test(drift_cancels),
		cmocka_unit_test(the_interval_is_that_of_a_trimmed_mean),
		cmocka_unit_test(what_is_no_time_is_no_pair),
		cmocka_unit_test(rounds_have_the_known_noise),
		cmocka_unit_test(a_short_case_has_the_steps_of_the_clock),
		cmocka_unit_test(other_buffers_leave_small_differences_open),
		cmocka_unit_test(verdicts_follow_the_limits),
		cmocka_unit_test(one_round_never_decides),
		cmocka_unit_test(a_run_says_why_there_is_no_speedup),
		cmocka_unit_test(the_p_of_all_pairs_are_adjusted),
		cmocka_unit_test(many_rounds_need_not_all_agree),
		cmocka_unit_test(rounds_that_were_added_are_judged_in_steps),
		cmocka_unit_test(equal_operations_are_seldom_called_different),
		cmocka_unit_test(planted_differences_are_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
