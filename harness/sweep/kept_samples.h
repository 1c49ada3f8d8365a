/*
 * kept_samples: the samples of the trials that have not ended, for their summaries. Keeps at most
 * 8 Mi samples of all trials (the default settings of 1,000 cases need fewer); a trial beyond that
 * is dropped, and its samples are in the database only. Trials have the indices of their cases in
 * the plan. Internal to sweep/.
 */
#ifndef HARNESS_SWEEP_KEPT_SAMPLES_H
#define HARNESS_SWEEP_KEPT_SAMPLES_H

#include "metrics/metrics.h"

struct kept_trial;
/* All zeroes: there are no trials. */
struct kept_samples {
	struct kept_trial *trials;
	size_t trial_count;
	size_t count; /* samples of all trials */
};

void kept_samples_init(struct kept_samples *kept, size_t trial_count);
void kept_samples_release(struct kept_samples *kept);
/* Whether no more samples are kept. */
bool kept_samples_are_full(const struct kept_samples *kept);
/* Adds a round. One with the same number is replaced. */
void kept_samples_add(struct kept_samples *kept, size_t index, const struct round_result *round);
/* Takes over malloc'd samples as those of a trial that has none. */
void kept_samples_load(struct kept_samples *kept, size_t index, struct sample *samples,
		       size_t count);
/* Forgets the rounds from number `first` on. */
void kept_samples_forget(struct kept_samples *kept, size_t index, int first);
/* Drops a trial: it has ended, or is not kept. */
void kept_samples_drop(struct kept_samples *kept, size_t index);
/* Returns false if the trial was dropped. */
bool kept_samples_summary(const struct kept_samples *kept, size_t index, struct summary *out);

#endif
