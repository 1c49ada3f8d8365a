/* The shares of lines, and how often their intervals cover another sampling. */
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

/* A profile whose line i has all[i] samples, first[i] of them in the first half. */
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
 * t sqrt(10 * 0.6 * 0.4 * 2 / 10000). */
static void the_interval_is_that_of_the_formula(void **state)
{
	static const int64_t all[] = {6000, 3000, 1000}, first[] = {3100, 1450, 450};
	struct profile *profile = profile_of(all, first, 3);
	const struct profile_frame *frames = profile->frames;

	(void)state;
	line_shares(profile);
	assert_int_equal(frames[0].samples, 6000);
	assert_near(frames[0].share, 0.6);
	assert_near(frames[0].low, 0.6 - 0.0942663);
	assert_near(frames[0].high, 0.6 + 0.0942663);
	assert_near(frames[1].share, 0.3);
	assert_near(frames[1].high - frames[1].share, 0.0881780);
	assert_near(frames[2].share, 0.1);
	assert_near(frames[2].share - frames[2].low, 0.0577261);
	profile_free(profile);
}

/* Halves that agree by chance do not make a share surer than independent samples. */
static void equal_halves_have_dispersion_1(void **state)
{
	static const int64_t all[] = {6000, 3000, 1000}, first[] = {3000, 1500, 500};
	struct profile *profile = profile_of(all, first, 3);

	(void)state;
	line_shares(profile);
	assert_near(profile->frames[0].high - 0.6, 4.302653 * sqrt(0.24 * 2 / 10000));
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
	assert_near(profile->frames[1].high, 0.006 + 12.706205 * sqrt(0.006 * 0.994 * 2 / 1000));
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
#define WAITS 1500     /* in each half */
#define WAIT_SAMPLES 5 /* a warp that waits is sampled so often in one place */

static double random_number(uint64_t *state)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (double)(*state >> 11) * 0x1p-53;
}

static void draw_half(int64_t samples[LINES], uint64_t *state)
{
	static const double below[LINES] = {0.3, 0.5, 0.65, 0.78, 0.86, 0.92, 0.97, 1};

	for (size_t i = 0; i < LINES; i++)
		samples[i] = 0;
	for (int wait = 0; wait < WAITS; wait++) {
		const double at = random_number(state);
		size_t line = 0;

		while (line < LINES - 1 && at >= below[line])
			line++;
		samples[line] += WAIT_SAMPLES;
	}
}

static void intervals_cover_another_sampling(void **state)
{
	const double total = 2.0 * WAITS * WAIT_SAMPLES;
	uint64_t seed = 20;
	size_t covered = 0;
	double percent;

	(void)state;
	for (int repetition = 0; repetition < REPETITIONS; repetition++) {
		int64_t first[LINES], all[LINES], other[LINES];
		struct profile *profile;

		draw_half(first, &seed);
		draw_half(all, &seed);
		for (size_t i = 0; i < LINES; i++)
			all[i] += first[i];
		profile = profile_of(all, first, LINES);
		line_shares(profile);
		draw_half(first, &seed);
		draw_half(other, &seed);
		for (size_t i = 0; i < LINES; i++) {
			const double share = (double)(first[i] + other[i]) / total;

			covered +=
				share >= profile->frames[i].low && share <= profile->frames[i].high;
		}
		profile_free(profile);
	}
	percent = 100.0 * (double)covered / (LINES * REPETITIONS);
	if (percent < 93 || percent > 97)
		fail_msg("%.2f %% of the intervals cover another sampling", percent);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_interval_is_that_of_the_formula),
		cmocka_unit_test(equal_halves_have_dispersion_1),
		cmocka_unit_test(lines_with_few_samples_are_one),
		cmocka_unit_test(a_single_line_has_no_interval),
		cmocka_unit_test(too_little_to_tell_gives_no_interval),
		cmocka_unit_test(without_samples_nothing_is_known),
		cmocka_unit_test(shares_are_of_all_samples),
		cmocka_unit_test(intervals_cover_another_sampling),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
