#include "metrics/meter.h"

void meter_start(struct meter *meter)
{
	*meter = (struct meter){.current = RUN_PART_OTHER, .since_ns = monotonic_ns()};
}

enum run_part meter_enter(struct meter *meter, enum run_part part)
{
	enum run_part before;

	if (!meter || !meter->since_ns || meter->held)
		return part;
	before = meter->current;
	meter_read(meter);
	meter->current = part;
	return before;
}

void meter_move(struct meter *meter, enum run_part from, enum run_part to, int64_t ns)
{
	const int64_t most = meter->ns[from];

	if (ns > most)
		ns = most;
	if (ns <= 0)
		return;
	meter->ns[from] -= ns;
	meter->ns[to] += ns;
}

void meter_read(struct meter *meter)
{
	const int64_t now_ns = monotonic_ns();

	meter->ns[meter->current] += now_ns - meter->since_ns;
	meter->since_ns = now_ns;
}
