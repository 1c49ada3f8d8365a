/* speedup_text: the speed-ups of a run in words, as reports and messages show them. */
#ifndef METRICS_ANALYSIS_SPEEDUP_TEXT_H
#define METRICS_ANALYSIS_SPEEDUP_TEXT_H

#include "metrics/metrics.h"

/* Adds the speed-up with as many decimals as its interval justifies: "1.042". It must be measured.
 */
void speedup_number_text(struct text *out, const struct trial_speedup *speedup);
/* Why a trial has no speed-up, of a run that has ended. Borrowed. */
const char *speedup_refusal_text(const struct trial_speedup *speedup);
/* Adds "new is 1.042 times as fast as old (1.040 to 1.044): faster", or "new: not measured: "
 * and the reason. The trial must have a base case. */
void speedup_text(struct text *out, const struct trial *trial);
/* Adds the sentence of the only speed-up, or how many there are of each verdict: "3 faster, 1
 * inconclusive, 2 not measured". Adds nothing if no trial has a base case, or if the backend
 * measures no times. */
void speedups_text(struct text *out, const struct run *run);

#endif
