/* The times of the cases of two runs, judged together. */
#include "metrics/analysis/regress_time.h"

#include <math.h>
#include <stdlib.h>

#include "metrics/metrics.h"

/* What another program measured may be a median without samples, which came from one process. */
static bool has_median_only(const struct trial *trial)
{
	return trial->round_count == 0 && isfinite(trial->summary.median_ns) &&
	       trial->summary.median_ns > 0;
}

/* The medians above 0 of the rounds with a number below `limit`. *held is malloc'd and holds them.
 */
static struct process_medians medians_below(const struct trial *trial, int limit, double **held)
{
	double *medians = xcalloc(trial->round_count + 1, sizeof(*medians));
	size_t count = 0;

	for (size_t i = 0; i < trial->round_count; i++) {
		const struct round_summary *round = &trial->rounds[i];

		if (round->round < limit && isfinite(round->median_ns) && round->median_ns > 0)
			medians[count++] = round->median_ns;
	}
	if (has_median_only(trial))
		medians[count++] = trial->summary.median_ns;
	*held = medians;
	return (struct process_medians){medians, count};
}

static bool has_round_times(const struct trial *trial)
{
	for (size_t i = 0; i < trial->round_count; i++)
		if (isfinite(trial->rounds[i].median_ns) && trial->rounds[i].median_ns > 0)
			return true;
	return has_median_only(trial);
}

void regress_find_times(struct regress_case *item, const struct regress_options *options)
{
	const struct threshold *said =
		options->thresholds
			? thresholds_find(options->thresholds, item->name, THRESHOLDS_TIME)
			: NULL;

	item->limits = options->limits;
	if (said && !said->ignore) {
		item->limits.smallest = said->limit;
		item->limits.resolution = fmax(item->limits.resolution, said->limit);
	}
	item->timed = has_round_times(item->base) && has_round_times(item->head) &&
		      !(said && said->ignore);
}

/* The share of the errors that the comparison at this interim analysis of the head may spend. */
static double share_at(const struct regress_case *item, int interim)
{
	return interim_share_of(&item->base_test, interim_last(&item->base_test, item->base)) *
	       interim_share_of(&item->head_test, interim);
}

/* The share of the last interim analysis that --decide would add. */
static double share_of_decision(const struct regress_case *item)
{
	return interim_share_of(&item->base_test, interim_last(&item->base_test, item->base)) *
	       interim_share(INTERIM_COUNT - 1);
}

static void compare_at(struct regress_case *item, int interim)
{
	const int base_interim = interim_last(&item->base_test, item->base);
	double *base, *head, before = item->effect.p;
	struct process_medians of_base =
		medians_below(item->base, interim_limit(&item->base_test, base_interim), &base);
	struct process_medians of_head =
		medians_below(item->head, interim_limit(&item->head_test, interim), &head);

	item->effect = effect_with_share(of_base, of_head, share_at(item, interim));
	item->effect.p = fmin(item->effect.p, before); /* fmin() ignores NAN */
	item->base_rounds = of_base.count;
	item->head_rounds = of_head.count;
	free(base);
	free(head);
}

static size_t adjust_p_values(struct regress *regress)
{
	double *p = xcalloc(regress->count ? regress->count : 1, sizeof(*p));
	size_t timed = 0;

	for (size_t i = 0; i < regress->count; i++) {
		p[i] = regress->cases[i].timed ? regress->cases[i].effect.p : NAN;
		timed += regress->cases[i].timed;
	}
	effects_adjust(p, regress->count);
	for (size_t i = 0; i < regress->count; i++)
		regress->cases[i].adjusted_p = p[i];
	free(p);
	return timed;
}

/* Compares the cases that are not decided yet and have rounds for this interim analysis. Returns
 * their number.
 */
static size_t compare_all_at(struct regress *regress, int interim)
{
	size_t compared = 0;

	for (size_t i = 0; i < regress->count; i++) {
		struct regress_case *item = &regress->cases[i];

		if (!item->timed || item->time != CHANGE_INCONCLUSIVE ||
		    interim > interim_last(&item->head_test, item->head))
			continue;
		compare_at(item, interim);
		compared++;
	}
	return compared;
}

void regress_judge_times(struct regress *regress)
{
	size_t timed = 0;

	for (int interim = 0; interim < INTERIM_COUNT && compare_all_at(regress, interim);
	     interim++) {
		timed = adjust_p_values(regress);
		for (size_t i = 0; i < regress->count; i++) {
			struct regress_case *item = &regress->cases[i];

			if (item->timed && item->time == CHANGE_INCONCLUSIVE)
				item->time = effect_judge(&item->effect, item->adjusted_p,
							  &item->limits);
		}
	}
	for (size_t i = 0; i < regress->count; i++) {
		struct regress_case *item = &regress->cases[i];

		item->undecided = item->timed && item->time == CHANGE_INCONCLUSIVE;
		if (item->undecided)
			item->needed = rounds_needed_for(&item->effect, item->base_rounds,
							 item->head_rounds, &item->limits,
							 share_of_decision(item), timed);
	}
}
