/* Keeps the meter of a sweep. */
#include "harness/sweep/data/preparation.h"
#include "harness/sweep/sweep_state.h"

void sweep_take_times(struct sweep *sweep, const struct meter *parts)
{
	struct meter *meter = &sweep->times.meter;

	if (!meter->since_ns)
		return;
	meter_read(meter);
	for (int part = 0; part < RUN_PART_COUNT; part++)
		if (part != (int)meter->current)
			meter_move(meter, meter->current, (enum run_part)part, parts->ns[part]);
}

int sweep_await_data(struct sweep *sweep, size_t index, struct error *err)
{
	const enum run_part before = meter_enter(&sweep->times.meter, RUN_PART_WAITING);
	int rc = preparation_await(sweep->preparation, index, err);

	meter_enter(&sweep->times.meter, before);
	return rc;
}
