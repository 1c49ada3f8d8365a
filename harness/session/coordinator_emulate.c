/*
 * Emulation: every case once, in several workers side by side. One thread
 * serves them all: it polls their sockets, so that the sink is never called
 * from two places at once, and a case is in one worker from its beginning to
 * its end.
 */
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/session/coordinator.h"

/* How long a wait may go on without a look at *stop. */
#define STOP_POLL_NS INT64_C(100000000)
#define NOT_A_GPU "an emulator counts what PTX does, and has no hardware counters"

/* One worker and the case that it has. */
struct sweep_lane {
	struct emulation *emulation;
	struct worker_process worker;
	bool closed; /* no worker can be started for it */
	bool busy;   /* the rest is about a case in flight */
	size_t index;
	struct exchange exchange;
	unsigned phases; /* bits: announced so far */
	int last_phase;  /* -1: none yet */
	bool counted;
	struct counter_list counters;
	struct line_count_list lines;
};

struct emulation {
	struct sweep *sweep;
	struct sweep_lane *lanes;
	struct pollfd *polls; /* of the lanes; -1 where nothing is awaited */
	size_t lane_count;
	size_t *pending, pending_count, next; /* into the plan, in its order */
	bool missing_said;
};

/* ---- replies ---- */

static int lane_phase(struct sweep_lane *lane, const json_t *message, struct error *err)
{
	const unsigned allowed =
		1u << WORKER_PHASE_PREPARE | 1u << WORKER_PHASE_EMULATE | 1u << WORKER_PHASE_VERIFY;
	const char *name;
	enum worker_phase phase;
	int rc = member_borrow(&name, message, "phase", false, err);

	if (rc)
		return rc;
	/* Each phase restarts the clock: a worker must not get time by saying one again. */
	if (!worker_phase_parse(&phase, name) || !(allowed & ~lane->phases & 1u << phase))
		return error_set(err, PL_EPROTOCOL,
				 "phase '%.40s' is none of 'emulate', or came "
				 "twice",
				 name);
	lane->phases |= 1u << phase;
	lane->last_phase = (int)phase;
	sweep_progress(lane->emulation->sweep, worker_phase_name(phase), lane->index);
	return 0;
}

static int lane_reply(void *context, const char *name, const json_t *message, struct error *err)
{
	struct sweep_lane *lane = context;
	int rc = answer_id_check(message, (int64_t)lane->index, err);

	if (rc)
		return rc;
	if (!strcmp(name, "phase"))
		return lane_phase(lane, message, err);
	if (!strcmp(name, "lines"))
		return lines_from_json(&lane->lines, json_object_get(message, "lines"), err);
	if (strcmp(name, "counters") || lane->counted)
		return error_set(err, PL_EPROTOCOL, "'%.40s' came as an answer to 'emulate'", name);
	rc = counters_from_json(&lane->counters, json_object_get(message, "counters"), err);
	lane->counted = !rc;
	return rc;
}

/* ---- one case in one lane ---- */

/* Metrics of a device may have been asked for: said once, and stored as missing. */
static void lane_complete(struct sweep_lane *lane)
{
	struct emulation *emulation = lane->emulation;

	if (counters_complete(emulation->sweep, &lane->counters, NOT_A_GPU) &&
	    !emulation->missing_said) {
		sweep_notice(
			emulation->sweep,
			"a GPU's counters that were asked for are stored as missing: " NOT_A_GPU);
		emulation->missing_said = true;
	}
}

/* What the worker told of a case that it ended itself. */
static int lane_store(struct sweep_lane *lane, struct error *err)
{
	struct sweep *sweep = lane->emulation->sweep;
	const struct sweep_sink *sink = sweep->sink;
	int rc;

	lane_complete(lane);
	rc = sink->counters(sink->context, lane->index, &lane->counters, err);
	if (!rc && lane->lines.count)
		rc = sink->lines(sink->context, lane->index, &lane->lines, err);
	if (!rc) {
		sweep->cases[lane->index].counted = true;
		sweep->steps_done++;
	}
	return rc;
}

static void lane_clear(struct sweep_lane *lane)
{
	counter_list_release(&lane->counters);
	line_count_list_release(&lane->lines);
	exchange_release(&lane->exchange);
	lane->phases = 0;
	lane->last_phase = -1;
	lane->counted = lane->busy = false;
}

static int lane_end(struct sweep_lane *lane, enum exchange_end end, struct error *cause,
		    struct error *err)
{
	struct sweep *sweep = lane->emulation->sweep;
	const struct exchange *exchange = &lane->exchange;
	enum trial_status status = TRIAL_OK;
	struct text reason = TEXT_INIT;
	char where[32] = "its beginning";
	int rc;

	if (end == EXCHANGE_DONE && !lane->counted &&
	    (exchange->status == TRIAL_OK || exchange->status == TRIAL_SAMPLED)) {
		end = EXCHANGE_LIED;
		error_set(cause, PL_EPROTOCOL, "it emulated the case and gave no counters");
	}
	if (lane->last_phase >= 0)
		snprintf(where, sizeof(where), "phase %s",
			 worker_phase_name((enum worker_phase)lane->last_phase));
	rc = sweep_settle(&lane->worker, end, exchange, where, cause, &status, &reason, err);
	if (!rc && end == EXCHANGE_DONE && lane->counted)
		rc = lane_store(lane, err);
	if (!rc)
		rc = sweep_case_finished(sweep, lane->index, status,
					 status == TRIAL_OK ? NULL : reason.data, err);
	if (!rc)
		sweep_progress(sweep, worker_phase_name(WORKER_PHASE_EMULATE), lane->index);
	text_release(&reason);
	lane_clear(lane);
	return rc;
}

static int lane_begin(struct sweep_lane *lane, size_t index, struct error *err)
{
	const struct sweep *sweep = lane->emulation->sweep;
	enum exchange_end end = EXCHANGE_DONE;
	struct error cause = {0};

	lane->exchange =
		(struct exchange)EXCHANGE_INIT(lane_reply, lane, sweep->settings->timeout_ns);
	lane->index = index;
	lane->busy = true;
	if (exchange_begin(&lane->worker,
			   json_pack("{s:s, s:I, s:o}", "request", "emulate", "id",
				     (json_int_t)index, "case",
				     case_to_json(sweep->plan->cases[index].launch)),
			   &lane->exchange, &end, &cause))
		return lane_end(lane, end, &cause, err);
	return 0;
}

static int lane_go_on(struct sweep_lane *lane, struct error *err)
{
	enum exchange_end end = EXCHANGE_DONE;
	struct error cause = {0};

	if (exchange_go_on(&lane->worker, &lane->exchange, 0, &end, &cause))
		return lane_end(lane, end, &cause, err);
	return 0;
}

/* ---- all lanes ---- */

static size_t lanes_open(const struct emulation *emulation)
{
	size_t open = 0;

	for (size_t i = 0; i < emulation->lane_count; i++)
		open += !emulation->lanes[i].closed;
	return open;
}

/* A lane whose worker cannot be started is given up, as long as another is left. */
static int lane_worker(struct sweep_lane *lane, struct error *err)
{
	struct sweep *sweep = lane->emulation->sweep;
	struct error cause = {0};
	int rc = sweep_worker(sweep, &lane->worker, &cause);
	char *line;

	if (!rc)
		return 0;
	if (rc == PL_EINTERRUPTED || lanes_open(lane->emulation) == 1)
		return error_set(err, rc, "%s", cause.text);
	lane->closed = true;
	line = xasprintf("one worker less: %s", cause.text);
	sweep_notice(sweep, line);
	free(line);
	return 0;
}

/* Gives cases to idle lanes. One worker is started at most, for the others are to be heard
 * meanwhile; *again: there is more to start. */
static int lanes_fill(struct emulation *emulation, bool *again, struct error *err)
{
	bool started = false;
	int rc = 0;

	*again = false;
	for (size_t i = 0; i < emulation->lane_count && !rc; i++) {
		struct sweep_lane *lane = &emulation->lanes[i];

		if (lane->busy || lane->closed || emulation->next == emulation->pending_count)
			continue;
		if (!lane->worker.pid && started) {
			*again = true;
			continue;
		}
		if (!lane->worker.pid) {
			started = true;
			rc = lane_worker(lane, err);
		}
		if (!rc && !lane->closed)
			rc = lane_begin(lane, emulation->pending[emulation->next++], err);
		/* It may have ended at once, and its worker with it. */
		*again |= !lane->busy;
	}
	return rc;
}

/* How long a wait for the busy lanes may be. */
static int wait_ms(const struct emulation *emulation)
{
	int64_t now_ns = monotonic_ns();
	int64_t wait_ns = STOP_POLL_NS;

	for (size_t i = 0; i < emulation->lane_count; i++) {
		const struct sweep_lane *lane = &emulation->lanes[i];

		if (lane->busy && lane->exchange.deadline_ns - now_ns < wait_ns)
			wait_ns = lane->exchange.deadline_ns - now_ns;
	}
	return wait_ns <= 0 ? 0 : (int)(wait_ns / 1000000 + 1);
}

/* Waits for a reply or a deadline, and hears every lane that has one. */
static int lanes_hear(struct emulation *emulation, bool wait, struct error *err)
{
	const struct sweep *sweep = emulation->sweep;
	int rc = 0;

	for (size_t i = 0; i < emulation->lane_count; i++) {
		const struct sweep_lane *lane = &emulation->lanes[i];

		emulation->polls[i] = (struct pollfd){
			.fd = lane->busy ? lane->worker.channel.fd : -1, .events = POLLIN};
	}
	if (poll(emulation->polls, (nfds_t)emulation->lane_count, wait ? wait_ms(emulation) : 0) <
		    0 &&
	    errno != EINTR)
		return error_set(err, PL_EIO, "waiting for the workers: %s", strerror(errno));
	if (sweep->stop && *sweep->stop)
		return error_set(err, PL_EINTERRUPTED, "interrupted");
	for (size_t i = 0; i < emulation->lane_count && !rc; i++) {
		struct sweep_lane *lane = &emulation->lanes[i];

		if (lane->busy &&
		    (emulation->polls[i].revents || monotonic_ns() >= lane->exchange.deadline_ns))
			rc = lane_go_on(lane, err);
	}
	return rc;
}

static bool lanes_busy(const struct emulation *emulation)
{
	for (size_t i = 0; i < emulation->lane_count; i++)
		if (emulation->lanes[i].busy)
			return true;
	return false;
}

static int emulate_pending(struct emulation *emulation, struct error *err)
{
	int rc = 0;

	while (!rc && (emulation->next < emulation->pending_count || lanes_busy(emulation))) {
		bool again = false;

		rc = lanes_fill(emulation, &again, err);
		if (!rc)
			rc = lanes_hear(emulation, !again, err);
	}
	return rc;
}

/* Processors that this process may use. */
static size_t processors(void)
{
	cpu_set_t set;
	long online;

	if (!sched_getaffinity(0, sizeof(set), &set))
		return (size_t)CPU_COUNT(&set);
	online = sysconf(_SC_NPROCESSORS_ONLN); /* more of them than a cpu_set_t holds */
	return online > 0 ? (size_t)online : 1;
}

static void lanes_begin(struct emulation *emulation)
{
	struct sweep *sweep = emulation->sweep;
	size_t wanted = sweep->settings->jobs ? (size_t)sweep->settings->jobs : processors();

	emulation->lane_count =
		wanted < emulation->pending_count ? wanted : emulation->pending_count;
	emulation->lanes = xcalloc(emulation->lane_count + 1, sizeof(*emulation->lanes));
	emulation->polls = xcalloc(emulation->lane_count + 1, sizeof(*emulation->polls));
	for (size_t i = 0; i < emulation->lane_count; i++) {
		emulation->lanes[i].emulation = emulation;
		emulation->lanes[i].last_phase = -1;
	}
	/* The worker that inspected goes on as the first. */
	if (emulation->lane_count) {
		emulation->lanes[0].worker = sweep->worker;
		sweep->worker = (struct worker_process){0};
	}
}

static void lanes_end(struct emulation *emulation, bool at_once)
{
	for (size_t i = 0; i < emulation->lane_count; i++) {
		struct sweep_lane *lane = &emulation->lanes[i];

		if (at_once)
			worker_kill(&lane->worker);
		else
			worker_end(&lane->worker);
		lane_clear(lane);
	}
	free(emulation->lanes);
	free(emulation->polls);
}

int sweep_emulate(struct sweep *sweep, struct error *err)
{
	struct emulation emulation = {.sweep = sweep};
	int rc;

	emulation.pending = xcalloc(sweep->plan->count + 1, sizeof(*emulation.pending));
	for (size_t i = 0; i < sweep->plan->count; i++)
		if (!sweep->cases[i].ended)
			emulation.pending[emulation.pending_count++] = i;
	lanes_begin(&emulation);
	rc = emulate_pending(&emulation, err);
	lanes_end(&emulation, rc != 0);
	free(emulation.pending);
	return rc;
}
