/* Counters that another process holds. */
#include <poll.h>

#include "harness/sweep/sweep_parts.h"

#define LOOK_MS 100
#define TRY_EVERY_NS INT64_C(1000000000)
#define NAMES_SHOWN 5

bool sweep_waits_for_counters(const struct sweep *sweep)
{
	return sweep->counters_busy && monotonic_ns() < sweep->counters_deadline_ns;
}

static void tell_waiting(struct sweep *sweep)
{
	char limit[32];

	if (sweep->counters_wait_shown)
		return;
	sweep->counters_wait_shown = true;
	format_duration(limit, (double)sweep->wait_counters_ns);
	tell_observer(sweep->observer, NOTICE_WARNING,
		      "waiting up to %s for the counters (--wait-counters): %s", limit,
		      sweep->counters_reason);
}

static int wait_a_while(const struct sweep *sweep, struct error *err)
{
	const int64_t end_ns = monotonic_ns() + TRY_EVERY_NS;

	while (monotonic_ns() < end_ns && sweep_waits_for_counters(sweep)) {
		if (sweep->stop && *sweep->stop)
			return error_set(err, PL_EINTERRUPTED, "interrupted");
		poll(NULL, 0, LOOK_MS);
	}
	return 0;
}

void sweep_begin_to_wait_for_counters(struct sweep *sweep)
{
	if (!sweep->counters_deadline_ns)
		sweep->counters_deadline_ns = monotonic_ns() + sweep->wait_counters_ns;
}

int sweep_have_counters(struct sweep *sweep, struct error *err)
{
	int rc = 0;

	if (sweep->counters_reason && !sweep->counters_busy)
		return 0;
	do {
		if (sweep->counters_reason) {
			sweep_begin_to_wait_for_counters(sweep);
			if (sweep_waits_for_counters(sweep)) {
				tell_waiting(sweep);
				rc = wait_a_while(sweep, err);
			}
			sweep_end_worker(sweep);
		}
		if (!rc)
			rc = sweep_have_worker(sweep, err);
	} while (!rc && sweep->counters_reason && sweep_waits_for_counters(sweep));
	return rc;
}

void sweep_tell_counted(const struct sweep *sweep, size_t counted, size_t count)
{
	struct text line = TEXT_INIT;
	size_t named = 0;

	if (!sweep->counters_off_shown || !count || (!counted && !sweep->counters_busy))
		return;
	if (!counted)
		text_addf(&line, "the counters stayed busy: none of %zu cases was counted", count);
	else
		text_addf(&line, "another worker had counters: %zu of %zu cases were counted",
			  counted, count);
	for (size_t i = 0; i < sweep->plan->count && counted && counted < count; i++) {
		const struct plan_case *planned = &sweep->plan->cases[i];

		if (!sweep->cases[i].uncounted)
			continue;
		if (named++ < NAMES_SHOWN)
			text_addf(&line, "%s%s/%s/%s", named == 1 ? "; without counters: " : ", ",
				  planned->kernel, planned->variant, planned->config);
	}
	if (named > NAMES_SHOWN)
		text_addf(&line, " and %zu more", named - NAMES_SHOWN);
	tell_observer(sweep->observer, NOTICE_WARNING, "%s", line.data);
	text_release(&line);
}
