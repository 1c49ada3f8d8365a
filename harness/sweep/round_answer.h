/*
 * round_answer: what a worker replies to `measure`, the request for one round of a case.
 * Internal to sweep/.
 */
#ifndef HARNESS_SWEEP_ROUND_ANSWER_H
#define HARNESS_SWEEP_ROUND_ANSWER_H

#include "harness/sweep/sweep_state.h"

struct round_answer {
	struct sweep *sweep;
	size_t index;
	int last_phase; /* -1: none yet */
	bool has_accuracy;
	double relative_error;
	char no_accuracy[96];
	struct round_result result;
	bool beside; /* the worker was asked to measure it beside its base case */
	struct meter times;
	size_t base_count;
	struct text alone;   /* why it did not; "": it did */
	struct text unmoved; /* why the data has fewer placements than it should; "": it has all */
};

/* An answer without any reply. base: the case beside which it is measured; NO_CASE: none. */
struct round_answer round_answer_begin(struct sweep *sweep, size_t index, int round, size_t base);
/* Takes one reply; the function of an exchange, whose context is the answer. PL_EPROTOCOL. */
int round_answer_reply(void *context, const char *name, const json_t *message, struct error *err);
/* What the replies lack, although the measurement succeeded; NULL: nothing. */
const char *round_answer_missing(const struct round_answer *answer);
void round_answer_release(struct round_answer *answer);

#endif
