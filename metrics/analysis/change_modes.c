/* Two modes of the time of a case; see change_points.h. */
#include "metrics/analysis/change_points.h"
#include "metrics/analysis/statistics.h"

#include <math.h>
#include <stdlib.h>

#define MODE_RUNS_LEAST 3
#define MODE_STAYS_LEAST 2
/* The distance of two modes, in standard deviations of one, and the part of it without any run. */
#define MODE_DISTANCE 5.0
#define MODE_GAP 0.25
#define NORMAL_MAD 0.6744897501960817 /* median absolute deviation of the standard normal */

/* The median of sorted values. */
static double sorted_middle(const double *values, size_t count)
{
	return values[(count - 1) / 2] / 2 + values[count / 2] / 2;
}

/* The standard deviation of sorted values, of which a few may be outliers. */
static double deviation_of(const double *values, size_t count)
{
	const double middle = sorted_middle(values, count);
	double *apart = xcalloc(count, sizeof(*apart)), deviation;

	for (size_t i = 0; i < count; i++)
		apart[i] = fabs(values[i] - middle);
	sort_numbers(apart, count);
	deviation = sorted_middle(apart, count) / NORMAL_MAD;
	free(apart);
	return fmax(deviation, noise_of_h200.relative);
}

/* Where two groups of sorted values have the least squares about their means. Outliers count as no
 * farther than the middle four fifths reach from the median, three times: else they would be a
 * group. */
static size_t best_division(const double *sorted, size_t count)
{
	const double middle = sorted_middle(sorted, count);
	const double reach = 3 * (sorted[count - 1 - count / 10] - sorted[count / 10]);
	double all = 0, left = 0, most = -1;
	size_t best = MODE_RUNS_LEAST;

	for (size_t i = 0; i < count; i++)
		all += fmin(fmax(sorted[i] - middle, -reach), reach);
	for (size_t i = 1; i + MODE_RUNS_LEAST <= count; i++) {
		double right, between;

		left += fmin(fmax(sorted[i - 1] - middle, -reach), reach);
		right = all - left;
		between = left * left / (double)i + right * right / (double)(count - i);
		if (i >= MODE_RUNS_LEAST && between > most) {
			most = between;
			best = i;
		}
	}
	return best;
}

/* How often the runs beyond `division` were entered. */
static size_t stays_of(const double *level, size_t count, double division, bool above)
{
	size_t stays = 0;

	for (size_t i = 0; i < count; i++) {
		if ((level[i] > division) == above &&
		    (i == 0 || (level[i - 1] > division) != above))
			stays++;
	}
	return stays;
}

static bool find_mode(struct change_mode *out, const double *level, double *sorted, size_t count,
		      const struct change_limits *limits)
{
	size_t low, high;
	double division, distance, scatter;
	bool above;

	sort_numbers(sorted, count);
	low = best_division(sorted, count);
	high = count - low;
	above = high <= low;
	division = sorted[low - 1] / 2 + sorted[low] / 2;
	distance = sorted_middle(sorted + low, high) - sorted_middle(sorted, low);
	scatter = fmax(deviation_of(sorted, low), deviation_of(sorted + low, high));
	if (!(distance >= log1p(limits->smallest)) || !(distance >= MODE_DISTANCE * scatter) ||
	    !(sorted[low] - sorted[low - 1] >= MODE_GAP * distance) ||
	    stays_of(level, count, division, above) < MODE_STAYS_LEAST ||
	    stays_of(level, count, division, !above) < MODE_STAYS_LEAST)
		return false;
	*out = (struct change_mode){
		.runs = above ? high : low,
		.of = count,
		.usual_ns =
			exp(above ? sorted_middle(sorted, low) : sorted_middle(sorted + low, high)),
		.other_ns =
			exp(above ? sorted_middle(sorted + low, high) : sorted_middle(sorted, low)),
	};
	for (size_t i = 0; i < count; i++) {
		if ((level[i] > division) == above)
			out->newest = i;
	}
	return true;
}

bool change_mode_find(struct change_mode *out, const struct process_medians *runs, size_t count,
		      const struct change_limits *limits)
{
	double *level, *sorted;
	bool found;

	if (count < 2 * MODE_RUNS_LEAST)
		return false;
	level = xcalloc(count, sizeof(*level));
	sorted = xcalloc(count, sizeof(*sorted));
	for (size_t i = 0; i < count; i++) {
		for (size_t j = 0; j < runs[i].count; j++)
			level[i] += log(runs[i].time_ns[j]) / (double)runs[i].count;
		sorted[i] = level[i];
	}
	found = find_mode(out, level, sorted, count, limits);
	free(level);
	free(sorted);
	return found;
}
