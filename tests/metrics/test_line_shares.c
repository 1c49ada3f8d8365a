/* The shares of lines, and how often their intervals cover a third period. */
#include "metrics/analysis/line_shares.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "profile_support.h"

static void assert_near(double found, double wanted)
{
	if (!(fabs(found - wanted) < 1e-6))
		fail_msg("%.9f, not %.9f", found, wanted);
}

/* A profile whose line i has all[i] samples, first[i] of them with the first period. */
static struct profile *profile_of(const int64_t *all, const int64_t *first, size_t count)
{
	struct profile *profile = profile_new();

	for (size_t i = 0; i < count; i++)
		sampled_instruction(profile,
				    profile_frame_add(profile, "a.cu", (int64_t)i + 1, NULL, -1),
				    "wait", all[i], first[i]);
	return profile;
}

/* dispersion = (6.667 + 3.333 + 10) / 2 = 10; t(2) = 4.302653; half of line 1:
 * t sqrt(10 * 0.6 * 0.4 * 3/4 * 2/5000). */
static void the_interval_is_that_of_the_formula(void **state)
{
	static const int64_t all[] = {6000, 3000, 1000}, first[] = {3100, 1450, 450};
	struct profile *profile = profile_of(all, first, 3);
	const struct profile_frame *frames = profile->frames;

	(void)state;
	line_shares(profile);
	assert_int_equal(frames[0].samples, 6000);
	assert_near(frames[0].share, 0.6);
	assert_near(frames[0].low, 0.6 - 0.1154522);
	assert_near(frames[0].high, 0.6 + 0.1154522);
	assert_near(frames[1].share, 0.3);
	assert_near(frames[1].high - frames[1].share, 0.1079956);
	assert_near(frames[2].share, 0.1);
	assert_near(frames[2].share - frames[2].low, 0.0706997);
	profile_free(profile);
}

/* t(2) sqrt(0.7 * 0.3 * (1/800 + 1/200) / 2 * (1 + 0.8^2 + 0.2^2)) */
static void a_longer_period_has_fewer_samples(void **state)
{
	static const int64_t all[] = {700, 200, 100}, first[] = {560, 160, 80};
	struct profile *profile = profile_of(all, first, 3);

	(void)state;
	line_shares(profile);
	assert_near(profile->frames[0].share, 0.7);
	assert_near(profile->frames[0].high, 0.7 + 4.302653 * sqrt(0.7 * 0.3 * 0.003125 * 1.68));
	profile_free(profile);
}

/* Halves that agree by chance do not make a share surer than independent samples. */
static void equal_halves_have_dispersion_1(void **state)
{
	static const int64_t all[] = {6000, 3000, 1000}, first[] = {3000, 1500, 500};
	struct profile *profile = profile_of(all, first, 3);

	(void)state;
	line_shares(profile);
	assert_near(profile->frames[0].high - 0.6, 4.302653 * sqrt(0.24 * 3 / 10000));
	profile_free(profile);
}

/* Two lines with 6 samples each are one of 12, so m is 2 and not 3 or 1. */
static void lines_with_few_samples_are_one(void **state)
{
	static const int64_t all[] = {988, 6, 6}, first[] = {494, 3, 3};
	struct profile *profile = profile_of(all, first, 3);

	(void)state;
	line_shares(profile);
	assert_near(profile->frames[1].share, 0.006);
	assert_near(profile->frames[1].low, 0);
	assert_near(profile->frames[1].high, 0.006 + 12.706205 * sqrt(0.006 * 0.994 * 3 / 1000));
	profile_free(profile);
}

static void a_single_line_has_no_interval(void **state)
{
	static const int64_t all[] = {100}, first[] = {50};
	struct profile *profile = profile_of(all, first, 1);

	(void)state;
	line_shares(profile);
	assert_near(profile->frames[0].share, 1);
	assert_true(isnan(profile->frames[0].low) && isnan(profile->frames[0].high));
	profile_free(profile);
}

/* All of one half, or fewer than ten: nothing tells how much shares vary. */
static void too_little_to_tell_gives_no_interval(void **state)
{
	static const int64_t all[] = {60, 40}, first[] = {60, 40}, few[] = {5, 4}, none[] = {2, 2};
	struct profile *profile = profile_of(all, first, 2);

	(void)state;
	line_shares(profile);
	assert_near(profile->frames[0].share, 0.6);
	assert_true(isnan(profile->frames[0].low));
	profile_free(profile);
	profile = profile_of(few, none, 2);
	line_shares(profile);
	assert_near(profile->frames[0].share, 5.0 / 9);
	assert_true(isnan(profile->frames[0].low));
	profile_free(profile);
}

static void without_samples_nothing_is_known(void **state)
{
	static const int64_t none[] = {0, 0};
	struct profile *profile = profile_of(none, none, 2), *empty = profile_new();

	(void)state;
	line_shares(profile);
	assert_int_equal(profile->frames[0].samples, -1);
	assert_true(isnan(profile->frames[0].share));
	line_shares(empty);
	profile_free(profile);
	profile_free(empty);
}

/* Instructions of no line are in the total. */
static void shares_are_of_all_samples(void **state)
{
	static const int64_t all[] = {30}, first[] = {15};
	struct profile *profile = profile_of(all, first, 1);

	(void)state;
	sampled_instruction(profile, -1, "wait", 70, 35);
	line_shares(profile);
	assert_near(profile->frames[0].share, 0.3);
	assert_true(isfinite(profile->frames[0].low));
	profile_free(profile);
}

/* ---- coverage ---- */

#define LINES 8
#define REPETITIONS 2000
#define WAITS 4000     /* in each half */
#define WAIT_SAMPLES 5 /* a warp that waits is sampled so often in one place */
#define FAVOUR 0.5     /* a period changes the shares of the loop by up to this part of it */

static double random_number(uint64_t *state)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (double)(*state >> 11) * 0x1p-53;
}

/* Draws the samples of executions with one period, which favours a loop of some of the lines. */
static void draw_half(int64_t samples[LINES], uint64_t *state)
{
	static const double shares[LINES] = {0.3, 0.2, 0.15, 0.13, 0.08, 0.06, 0.05, 0.03};
	const double favour = FAVOUR * (random_number(state) - random_number(state));
	double below[LINES], sum = 0;

	for (size_t i = 0; i < LINES; i++) {
		samples[i] = 0;
		sum += shares[i] * (i % 3 ? 1 : 1 + favour);
		below[i] = sum;
	}
	for (int wait = 0; wait < WAITS; wait++) {
		const double at = random_number(state) * sum;
		size_t line = 0;

		while (line < LINES - 1 && at >= below[line])
			line++;
		samples[line] += WAIT_SAMPLES;
	}
}

static void intervals_cover_a_third_period(void **state)
{
	const double total = WAITS * WAIT_SAMPLES;
	uint64_t seed = 20;
	size_t covered = 0;
	double percent;

	(void)state;
	for (int repetition = 0; repetition < REPETITIONS; repetition++) {
		int64_t first[LINES], all[LINES], third[LINES];
		struct profile *profile;

		draw_half(first, &seed);
		draw_half(all, &seed);
		draw_half(third, &seed);
		for (size_t i = 0; i < LINES; i++)
			all[i] += first[i];
		profile = profile_of(all, first, LINES);
		line_shares(profile);
		for (size_t i = 0; i < LINES; i++) {
			const double share = (double)third[i] / total;

			covered +=
				share >= profile->frames[i].low && share <= profile->frames[i].high;
		}
		profile_free(profile);
	}
	percent = 100.0 * (double)covered / (LINES * REPETITIONS);
	if (percent < 93 || percent > 97)
		fail_msg("%.2f %% of the intervals cover the share with a third period", percent);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_interval_is_that_of_the_formula),
		cmocka_unit_test(a_longer_period_has_fewer_samples),
		cmocka_unit_test(equal_halves_have_dispersion_1),
		cmocka_unit_test(lines_with_few_samples_are_one),
		cmocka_unit_test(a_single_line_has_no_interval),
		cmocka_unit_test(too_little_to_tell_gives_no_interval),
		cmocka_unit_test(without_samples_nothing_is_known),
		cmocka_unit_test(shares_are_of_all_samples),
		cmocka_unit_test(intervals_cover_a_third_period),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
