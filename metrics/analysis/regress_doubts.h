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

/* Widens an effect of so many rounds, at the share of effect_of(), for that correlation. */
void effect_widen(struct effect *effect, size_t base, size_t head, double share,
		  double correlation);

#endif
