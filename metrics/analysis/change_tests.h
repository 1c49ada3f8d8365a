/*
 * change_tests: whether the runs before a proposed change point differ from the runs after it.
 * Private to metrics/analysis/.
 */
#ifndef METRICS_ANALYSIS_CHANGE_TESTS_H
#define METRICS_ANALYSIS_CHANGE_TESTS_H

#include "metrics/analysis/change_series.h"

/* The change from the runs begin to at to the runs at to end, with its p; without its interval,
 * which takes longer. */
struct effect change_test(const struct series *series, size_t begin, size_t at, size_t end);
/* Likewise, with the interval. */
struct effect change_effect(const struct series *series, size_t begin, size_t at, size_t end);
/* Whether the change is large enough, significant, and one of levels that no earlier or later run
 * of the other side has had. `effect` is that of change_test(). */
bool change_passes(const struct series *series, size_t begin, size_t at, size_t end,
		   const struct effect *effect);

#endif
