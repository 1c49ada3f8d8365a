/*
 * cards: the same cases on two devices. A ratio of times says how the devices
 * differ; it is never a regression or an improvement, so nothing here judges.
 */
#ifndef METRICS_ANALYSIS_CARDS_H
#define METRICS_ANALYSIS_CARDS_H

#include "metrics/metrics.h"

/* A case that both runs measured, with the same work model. Borrowed. */
struct card_pair {
	const struct trial *here, *there;
	/* Time there / time here: above 1, `here` is faster. Of the geometric means of the rounds,
	 * with the 95 % interval of effect_of(); if that gives none, of the medians of all samples,
	 * with NAN for the interval. */
	double ratio, low, high;
};
struct card_pairs {
	struct card_pair *items; /* in the order of `there` */
	size_t count;
	size_t only_here, only_there; /* measured in one of the runs only */
	size_t other_work;            /* of the same name, but the work depends on the device */
};

/* Whether the runs are of different kinds of device: name, chip, multiprocessors or memory. */
bool cards_differ(const struct run *a, const struct run *b);
/* Both runs have the rounds of their trials. */
void card_pairs_of(struct card_pairs *out, const struct run *here, const struct run *there);
void card_pairs_release(struct card_pairs *pairs);

#endif
