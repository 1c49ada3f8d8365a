/* Measures the cases of a plan that has been inspected. */
#include <stdlib.h>

#include "harness/sweep/data/preparation.h"
#include "harness/sweep/sweep_state.h"

int sweep_begin(struct sweep *sweep, const struct result_writer *writer, struct error *err)
{
	int rc = 0;

	sweep->writer = writer;
	sweep_tell_counters_off(sweep);
	for (size_t i = 0; i < sweep->plan->count && !rc; i++) {
		const struct case_state *state = &sweep->cases[i];

		sweep->outcome.skipped += !sweep->plan->cases[i].launch;
		if (state->inspected)
			rc = writer->facts(writer->context, i, &state->facts, err);
		sweep->steps_total += case_steps_left(sweep, i);
		if (!rc && state->early_status != TRIAL_OK && case_take(sweep, i))
			rc = case_finish(sweep, i, state->early_status, state->early_reason, err);
	}
	sweep->started_ns = monotonic_ns();
	return rc;
}

int sweep_measure(struct sweep *sweep, struct error *err)
{
	const bool timed = sweep->info.traits.timed;
	int64_t begun_ns = monotonic_ns(), measured_ns;
	int rc = sweep->hooks.prepare ? sweep->hooks.prepare(sweep, err) : 0;

	/* a profiler would attach to the workers that prepare, too */
	if (!rc && !sweep->info.profiler[0])
		rc = preparation_begin(&sweep->preparation, sweep, err);

	sweep->worker.channel.sides[1] = preparation_side(sweep->preparation);
	if (!timed)
		meter_enter(&sweep->times.meter, RUN_PART_EMULATING);
	if (!rc)
		rc = timed ? sweep_rounds(sweep, err) : sweep_emulate(sweep, err);
	if (!rc && timed && sweep->hooks.add_rounds)
		rc = sweep->hooks.add_rounds(sweep, err);
	measured_ns = monotonic_ns();
	sweep->times.measure_ns = measured_ns - begun_ns;
	meter_enter(&sweep->times.meter, timed ? RUN_PART_COUNTING : RUN_PART_OTHER);
	if (!rc && timed)
		rc = sweep_count(sweep, err);
	meter_enter(&sweep->times.meter, RUN_PART_OTHER);
	sweep->times.count_ns = monotonic_ns() - measured_ns;
	sweep->worker.channel.sides[1] = NULL;
	preparation_end(sweep->preparation);
	sweep->preparation = NULL;
	if (!rc)
		sweep_show_progress(sweep, timed ? "count" : "emulate", NO_CASE);
	return rc;
}
