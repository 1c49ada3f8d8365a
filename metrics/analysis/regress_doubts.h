/*
 * regress_doubts: reasons not to trust times that differ by more than they scatter: rounds of two
 * modes, and rounds that are like those before them. Private to metrics/analysis/.
 */
#ifndef METRICS_ANALYSIS_REGRESS_DOUBTS_H
#define METRICS_ANALYSIS_REGRESS_DOUBTS_H

#include "metrics/analysis/compare.h"

/* Whether a run has rounds in two groups of at least two, much farther apart than the rounds in
 * each; the groups may be of both runs together. Then a difference may be that of the modes. */
bool rounds_have_two_modes(struct process_medians base, struct process_medians head);
/* Whether most rounds show such a change, and not a few outliers among them. */
bool most_rounds_agree(struct process_medians base, struct process_medians head, double change);

/* ---- rounds that are like those before them ---- */

/* The rounds of the cases of one run, in the order of measurement. */
struct round_series {
	struct process_medians *cases;
	size_t count;
};
/*
 * The correlation of rounds that follow each other, estimated from all series together; 0: no more
 * than chance explains. What all cases of a run share from round to round does not count: the
 * control cases of --decide show it.
 *
 * For one series, (sum of squared differences of neighbours) / (sum of squares about the mean) is 2
 * in the mean if every order of the rounds is equally likely, whatever their distribution (von
 * Neumann, Ann. Math. Statist. 12, 1941). So few rounds per case bias nothing.
 */
double rounds_correlation(const struct round_series *runs, size_t run_count);
/* By how much a mean of `count` such rounds varies more than their own scatter says: a factor of
 * the variance. */
double correlation_factor(double correlation, size_t count);
/* Widens an effect of so many rounds, at the share of effect_of(), for that correlation. */
void effect_widen(struct effect *effect, size_t base, size_t head, double share,
		  double correlation);

#endif
