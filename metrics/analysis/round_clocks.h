/* round_clocks: clocks and throttling while rounds were timed. Internal to metrics/analysis/. */
#ifndef METRICS_ANALYSIS_ROUND_CLOCKS_H
#define METRICS_ANALYSIS_ROUND_CLOCKS_H

#include "metrics/metrics.h"

struct round_clocks {
	double sm_hz, memory_hz; /* means over the rounds that measured them; NAN: none did */
	size_t throttled, count; /* of the rounds that recorded throttling, and their number */
};
struct round_clocks round_clocks_of(const struct round_summary *rounds, size_t count);

#endif
