/* Means of clocks over rounds, and how many rounds were throttled. */
#include "metrics/analysis/round_clocks.h"

#include <math.h>

/* NVML's reasons that reduce a clock because of power or heat: software power cap, hardware
 * slow-down, software and hardware thermal slow-down, power brake. An idle device and a clock that
 * the user set do not count as throttled. */
#define THROTTLE_MASK 0xec

struct round_clocks round_clocks_of(const struct round_summary *rounds, size_t count)
{
	struct round_clocks clocks = {0, 0, 0, 0};
	size_t sm = 0, memory = 0;

	for (size_t i = 0; i < count; i++) {
		const struct device_state *state = &rounds[i].state;

		if (state->sm_clock_hz > 0) {
			clocks.sm_hz += state->sm_clock_hz;
			sm++;
		}
		if (state->memory_clock_hz > 0) {
			clocks.memory_hz += state->memory_clock_hz;
			memory++;
		}
		if (state->throttle_reasons >= 0) {
			clocks.throttled += (state->throttle_reasons & THROTTLE_MASK) != 0;
			clocks.count++;
		}
	}
	clocks.sm_hz = sm ? clocks.sm_hz / (double)sm : NAN;
	clocks.memory_hz = memory ? clocks.memory_hz / (double)memory : NAN;
	return clocks;
}
