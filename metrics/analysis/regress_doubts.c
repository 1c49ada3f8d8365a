#include "metrics/analysis/regress_doubts.h"

#include <math.h>
#include <stdlib.h>

#include "metrics/analysis/statistics.h"

/* ---- two modes ---- */

/* How much of a change the median round has at least. */
#define MOST_ROUNDS_PART 0.5
/* How much farther apart than the standard deviation within them the groups are. */
#define MODES_APART 6
#define MODE_ROUNDS_LEAST 2
#define MODE_ROUNDS_ALL 5
#define MODE_SCATTER_LEAST 0.001 /* that few rounds are taken to have */

/* Whether the first `low` of sorted logarithms are one mode, and the others another. */
static bool modes_part(const double *sorted, size_t count, size_t low)
{
	const size_t high = count - low;
	const struct spread below = spread_of(sorted, low), above = spread_of(sorted + low, high);
	const double within = sqrt((below.squares + above.squares) / (double)(count - 2));

	/* few rounds may agree by chance */
	return above.lowest - below.highest > MODES_APART * fmax(within, MODE_SCATTER_LEAST);
}

/* Whether a run has rounds on both sides of this limit. */
static bool has_both(struct process_medians medians, double limit)
{
	size_t below = 0;

	for (size_t i = 0; i < medians.count; i++)
		below += log(medians.time_ns[i]) < limit;
	return below > 0 && below < medians.count;
}

/* Whether the rounds of both runs together have two modes, and one of the runs was in both. */
static bool have_modes(struct process_medians base, struct process_medians head)
{
	const size_t count = base.count + head.count;
	double *sorted = xcalloc(count + 1, sizeof(*sorted)), limit;
	bool found = false;

	for (size_t i = 0; i < count; i++)
		sorted[i] = log(i < base.count ? base.time_ns[i] : head.time_ns[i - base.count]);
	sort_numbers(sorted, count);
	for (size_t low = MODE_ROUNDS_LEAST;
	     count >= MODE_ROUNDS_ALL && low + MODE_ROUNDS_LEAST <= count && !found; low++) {
		limit = (sorted[low - 1] + sorted[low]) / 2;
		found = modes_part(sorted, count, low) &&
			(has_both(base, limit) || has_both(head, limit));
	}
	free(sorted);
	return found;
}

bool rounds_have_two_modes(struct process_medians base, struct process_medians head)
{
	const struct process_medians none = {NULL, 0};

	return have_modes(base, head) || have_modes(base, none) || have_modes(head, none);
}

/* ---- a few rounds ---- */

static double median_of_rounds(struct process_medians medians)
{
	return summarise(medians.time_ns, medians.count).median_ns;
}

bool most_rounds_agree(struct process_medians base, struct process_medians head, double change)
{
	const double of_most = log(median_of_rounds(head) / median_of_rounds(base)),
		     of_all = log1p(change);

	return of_most / of_all >= MOST_ROUNDS_PART;
}

/* ---- rounds that are like those before them ---- */

void effect_widen(struct effect *effect, size_t base, size_t head, double share, double correlation)
{
	const double n = (double)base, m = (double)head;

	if (!(correlation > 0) || isnan(effect->p))
		return;
	effect->variance *= (correlation_factor(correlation, base) / n +
			     correlation_factor(correlation, head) / m) /
			    (1 / n + 1 / m);
	effect_set_interval(effect, base, head, share);
}
