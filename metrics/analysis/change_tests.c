/* Tests of change points: of the means of the runs, of their ranks, and of outliers that come back.
 */
#include "metrics/analysis/change_tests.h"

#include <math.h>
#include <stdlib.h>

/* A drift looks like a correlation, and more than this would hide it. */
#define CORRELATION_MOST 0.5
#define NEWEST_RUNS 3
#define OUTLIERS_USUAL 10 /* one in so many runs */

/* ---- the rank test ---- */

struct ranked {
	double value;
	size_t at;
};

static int by_value(const void *left, const void *right)
{
	const struct ranked *a = left, *b = right;

	return a->value != b->value ? (a->value > b->value) - (a->value < b->value)
				    : (a->at > b->at) - (a->at < b->at);
}

/* Returns the ranks of runs begin to end, from 1; malloc'd. Equal levels share the mean of their
 * ranks. *ties is the sum of t^3 - t over the groups of t equal levels. */
static double *ranks_of(const struct series *series, size_t begin, size_t end, double *ties)
{
	size_t count = end - begin, next;
	struct ranked *sorted = xcalloc(count, sizeof(*sorted));
	double *ranks = xcalloc(count, sizeof(*ranks));

	*ties = 0;
	for (size_t i = 0; i < count; i++)
		sorted[i] = (struct ranked){series->level[begin + i], i};
	qsort(sorted, count, sizeof(*sorted), by_value);
	for (size_t i = 0; i < count; i = next) {
		double equal;

		for (next = i + 1; next < count && sorted[next].value == sorted[i].value;)
			next++;
		equal = (double)(next - i);
		*ties += equal * equal * equal - equal;
		for (size_t j = i; j < next; j++)
			ranks[sorted[j].at] = (double)(i + 1 + next) / 2;
	}
	free(sorted);
	return ranks;
}

/* What a p is multiplied by: a change could be at each run. Half of what false alarms there may be
 * is for the newest runs, where a change matters most. */
static double places_of(const struct series *series, size_t at, size_t end)
{
	const double runs = (double)series->runs;

	return end == series->runs && end - at <= NEWEST_RUNS ? fmin(runs, 2 * NEWEST_RUNS) : runs;
}

static bool ranks_differ(const struct series *series, size_t begin, size_t at, size_t end,
			 double inflation)
{
	const double n = (double)(end - begin), left = (double)(at - begin), right = n - left;
	double ties, variance, distance, sum = 0, score;
	double *ranks = ranks_of(series, begin, end, &ties);

	for (size_t i = begin; i < at; i++)
		sum += ranks[i - begin];
	free(ranks);
	/* Wilcoxon's rank sum, standardised; 1/2 is the continuity correction */
	variance = inflation * left * right / 12 * (n + 1 - ties / (n * (n - 1)));
	distance = fabs(sum - left * (n + 1) / 2);
	score = variance > 0 ? fmax(0, distance - 0.5) / sqrt(variance) : 0;
	return erfc(score * M_SQRT1_2) * places_of(series, at, end) < series->limits->false_alarms;
}

/* ---- the means ---- */

/*
 * The factor by which neighbours that are like each other make the variance of a mean larger. The
 * correlation is estimated about the means of both sides, which makes it too small by (1 + 3 r) /
 * runs (Kendall, Biometrika 41, 1954).
 */
static double inflation_of(const struct series *series, size_t begin, size_t at, size_t end,
			   const struct spread *before, const struct spread *after)
{
	const double squares = before->squares + after->squares;
	const double count = (double)(before->count + after->count);
	double r;

	if (!(squares > 0))
		return 1;
	r = (change_lag_products(series, before, begin, at) +
	     change_lag_products(series, after, at, end)) /
	    squares;
	r = (r + 1 / count) / (1 - 3 / count);
	r = fmin(fmax(r, 0), CORRELATION_MOST);
	return (1 + r) / (1 - r);
}

/* The standard error of the change, from the scatter of the runs. The noise between processes that
 * is known beforehand keeps few runs that are alike by chance from an error of 0. It never makes
 * the error smaller, because other machines have another noise. */
static double error_of(const struct spread *before, const struct spread *after, double inflation)
{
	const double known = noise_variance(&noise_of_h200, exp(before->mean));
	const double squares = before->squares + after->squares;
	const double freedom = (double)(before->count + after->count - 2);
	const double moderated =
		(noise_of_h200.weight * known + squares) / (noise_of_h200.weight + freedom);

	return sqrt(inflation * fmax(squares / freedom, moderated) *
		    (1 / (double)before->count + 1 / (double)after->count));
}

struct difference {
	struct spread before, after;
	double change, error, freedom, inflation;
};

/* error is NAN if the runs that are no outliers are too few. */
static struct difference difference_of(const struct series *series, size_t begin, size_t at,
				       size_t end)
{
	struct difference out = {.before = change_spread(series, begin, at),
				 .after = change_spread(series, at, end),
				 .error = NAN};

	if (!out.before.count || !out.after.count || out.before.count + out.after.count < 3)
		return out;
	out.change = out.after.mean - out.before.mean;
	out.freedom = (double)(out.before.count + out.after.count - 2);
	out.inflation = inflation_of(series, begin, at, end, &out.before, &out.after);
	out.error = error_of(&out.before, &out.after, out.inflation);
	return out;
}

struct effect change_test(const struct series *series, size_t begin, size_t at, size_t end)
{
	const struct difference found = difference_of(series, begin, at, end);
	struct effect effect = EFFECT_UNKNOWN;

	if (isnan(found.error))
		return effect;
	effect.change = expm1(found.change);
	effect.p = student_two_sided(found.change / found.error, found.freedom);
	effect.separated = found.after.lowest > found.before.highest ||
			   found.after.highest < found.before.lowest;
	return effect;
}

struct effect change_effect(const struct series *series, size_t begin, size_t at, size_t end)
{
	const struct difference found = difference_of(series, begin, at, end);
	struct effect effect = change_test(series, begin, at, end);
	double half;

	if (isnan(found.error))
		return effect;
	half = student_quantile(EFFECT_LEVEL, found.freedom) * found.error;
	effect.low = expm1(found.change - half);
	effect.high = expm1(found.change + half);
	return effect;
}

/* ---- outliers that come back ---- */

/* Whether runs that were taken for outliers lie on the other side of a change, about as far away as
 * the change: the case has been at that level before, or comes back to the old one. One in ten runs
 * may be an outlier. A newest run alone may be any outlier, so there each one counts that lies as
 * far or farther. */
static bool level_recurs(const struct series *series, size_t begin, size_t at, size_t end)
{
	const bool alone = end - at == 1;
	const double before = change_spread(series, begin, at).mean;
	const double after = change_spread(series, at, end).mean;
	const double change = after - before;
	size_t like_after = 0, like_before = 0;

	for (size_t i = begin; i < end; i++) {
		double moved;

		if (!series->outlier[i])
			continue;
		moved = (i < at ? series->level[i] - before : after - series->level[i]) / change;
		if (moved >= 0.5 && (moved <= 2 || alone))
			*(i < at ? &like_after : &like_before) += 1;
	}
	return like_after > (alone ? 0 : (at - begin) / OUTLIERS_USUAL) ||
	       like_before > (end - at) / OUTLIERS_USUAL;
}

/* ---- both tests ---- */

bool change_passes(const struct series *series, size_t begin, size_t at, size_t end,
		   const struct effect *effect)
{
	const struct difference found = difference_of(series, begin, at, end);

	if (!(fabs(effect->change) >= series->limits->smallest) ||
	    !(effect->p * places_of(series, at, end) < series->limits->false_alarms))
		return false;
	if (effect->separated && !level_recurs(series, begin, at, end))
		return true;
	return ranks_differ(series, begin, at, end, found.inflation);
}
