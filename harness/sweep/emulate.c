/*
 * Emulation: every case once, in several workers side by side. One thread polls
 * the sockets of all workers, so the writer is never called concurrently. A case
 * stays in one worker slot from its beginning to its end.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/sweep/data/preparation.h"
#include "harness/sweep/sweep_state.h"

/* The longest wait between two checks of *stop. */
#define STOP_POLL_NS INT64_C(100000000)
#define NOT_A_GPU "an emulator counts PTX instructions and has no hardware counters"

/* One worker and its case. */
struct worker_slot {
	struct emulation *emulation;
	struct worker_process worker;
	bool closed; /* no worker can be started here */
	bool busy;   /* a case is in flight; the members below describe it */
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
	struct worker_slot *slots;
	/* one per slot for its replies, fd -1 where none is expected, then one per slot for what
	 * its worker prints, and one for the workers that prepare data */
	struct pollfd *polls;
	size_t slot_count;
	size_t *pending, pending_count, next; /* indices into the plan, ascending */
	bool missing_reported;
};

/* ---- replies ---- */

static int slot_phase(struct worker_slot *slot, const json_t *message, struct error *err)
{
	const unsigned allowed =
		1u << WORKER_PHASE_PREPARE | 1u << WORKER_PHASE_EMULATE | 1u << WORKER_PHASE_VERIFY;
	const char *name;
	enum worker_phase phase;
	int rc = member_borrow(&name, message, "phase", false, err);

	if (rc)
		return rc;
	/* Each phase restarts the timeout, so a worker must not gain time by repeating one. */
	if (!worker_phase_parse(&phase, name) || !(allowed & ~slot->phases & 1u << phase))
		return error_set(err, PL_EPROTOCOL,
				 "phase '%.40s' is none of 'emulate', or came "
				 "twice",
				 name);
	slot->phases |= 1u << phase;
	slot->last_phase = (int)phase;
	sweep_show_progress(slot->emulation->sweep, worker_phase_name(phase), slot->index);
	return 0;
}

static int slot_reply(void *context, const char *name, const json_t *message, struct error *err)
{
	struct worker_slot *slot = context;
	int rc;

	if (!strcmp(name, "filled"))
		return preparation_take_filled(slot->emulation->sweep->preparation, message, err);
	rc = reply_check_id(message, (int64_t)slot->index, err);
	if (rc)
		return rc;
	if (!strcmp(name, "phase"))
		return slot_phase(slot, message, err);
	if (!strcmp(name, "lines"))
		return lines_from_json(&slot->lines, json_object_get(message, "lines"), err);
	if (strcmp(name, "counters") || slot->counted)
		return error_set(err, PL_EPROTOCOL, "'%.40s' came as an answer to 'emulate'", name);
	rc = counters_from_json(&slot->counters, json_object_get(message, "counters"), err);
	/* an emulator counts exactly, so a share of what it counted is at most all of it */
	for (size_t i = 0; i < slot->counters.count && !rc; i++) {
		const struct counter_value *counter = &slot->counters.items[i];

		if (counter->has_value && counter->value > 100 &&
		    strcmp(counter->unit, "percent") == 0)
			rc = error_set(err, PL_EPROTOCOL, "'%.80s' is %g percent", counter->metric,
				       counter->value);
	}
	slot->counted = !rc;
	return rc;
}

/* ---- one case in one worker slot ---- */

/* Stores the counters and lines of a case that the worker ended itself; hardware counters that were
 * requested as missing, which is reported once. */
static int slot_store(struct worker_slot *slot, struct error *err)
{
	struct sweep *sweep = slot->emulation->sweep;
	const struct result_writer *writer = sweep->writer;
	int rc;

	if (case_add_missing(sweep, &slot->counters, NOT_A_GPU) &&
	    !slot->emulation->missing_reported) {
		tell_observer(
			sweep->observer, NOTICE_WARNING, "%s",
			"the hardware counters of --metrics are stored as missing: " NOT_A_GPU);
		slot->emulation->missing_reported = true;
	}
	rc = writer->counters(writer->context, slot->index, &slot->counters, err);
	if (!rc && slot->lines.count)
		rc = writer->lines(writer->context, slot->index, &slot->lines, err);
	if (!rc) {
		sweep->cases[slot->index].counted = true;
		sweep->steps_done++;
	}
	return rc;
}

static void slot_clear(struct worker_slot *slot)
{
	counter_list_release(&slot->counters);
	line_count_list_release(&slot->lines);
	exchange_release(&slot->exchange);
	slot->phases = 0;
	slot->last_phase = -1;
	slot->counted = slot->busy = false;
}

static int slot_end(struct worker_slot *slot, enum exchange_end end, struct error *cause,
		    struct error *err)
{
	struct sweep *sweep = slot->emulation->sweep;
	const struct exchange *exchange = &slot->exchange;
	enum trial_status status = TRIAL_OK;
	struct text reason = TEXT_INIT;
	char where[32] = "its beginning";
	int rc;

	if (end == EXCHANGE_DONE && !slot->counted && trial_status_counted(exchange->status)) {
		end = EXCHANGE_LIED;
		error_set(cause, PL_EPROTOCOL, "it emulated the case and gave no counters");
	}
	if (slot->last_phase >= 0)
		snprintf(where, sizeof(where), "phase %s",
			 worker_phase_name((enum worker_phase)slot->last_phase));
	rc = exchange_settle(&slot->worker, end, exchange, where, cause, &status, &reason, err);
	if (!rc && end == EXCHANGE_DONE && slot->counted)
		rc = slot_store(slot, err);
	if (!rc)
		rc = case_finish(sweep, slot->index, status,
				 status == TRIAL_OK ? NULL : reason.data, err);
	if (!rc)
		sweep_show_progress(sweep, worker_phase_name(WORKER_PHASE_EMULATE), slot->index);
	text_release(&reason);
	preparation_release(sweep->preparation, &slot->index, 1);
	slot_clear(slot);
	return rc;
}

static int slot_begin(struct worker_slot *slot, size_t index, struct error *err)
{
	struct sweep *sweep = slot->emulation->sweep;
	enum exchange_end end = EXCHANGE_DONE;
	struct text request = TEXT_INIT;
	struct error cause = {0};
	bool over;

	slot->exchange =
		(struct exchange)EXCHANGE_INIT(slot_reply, slot, sweep->settings->timeout_ns);
	slot->index = index;
	slot->busy = true;
	case_request(&request, sweep, "emulate", index, -1, NO_CASE);
	over = exchange_begin(&slot->worker, &request, &slot->exchange, &end, &cause);
	text_release(&request);
	return over ? slot_end(slot, end, &cause, err) : 0;
}

/* ---- all worker slots ---- */

/* Starts the worker of a slot. If it cannot start, closes the slot, unless it is the last one. */
static int slot_worker(struct worker_slot *slot, struct error *err)
{
	struct sweep *sweep = slot->emulation->sweep;
	struct error cause = {0};
	const struct emulation *emulation = slot->emulation;
	size_t open = 0;
	int rc = sweep_open_worker(sweep, &slot->worker, &cause);

	if (!rc)
		return 0;
	for (size_t i = 0; i < emulation->slot_count; i++)
		open += !emulation->slots[i].closed;
	if (rc == PL_EINTERRUPTED || open == 1)
		return error_set(err, rc, "%s", cause.text);
	slot->closed = true;
	tell_observer(sweep->observer, NOTICE_WARNING, "one worker fewer: %s", cause.text);
	return 0;
}

/* Gives cases to idle slots. Starts at most one worker, so that the replies of the others do not
 * wait. *again: more slots could be filled. */
static int slots_fill(struct emulation *emulation, bool *again, struct error *err)
{
	bool started = false;
	int rc = 0;

	*again = false;
	for (size_t i = 0; i < emulation->slot_count && !rc; i++) {
		struct worker_slot *slot = &emulation->slots[i];

		if (slot->busy || slot->closed || emulation->next == emulation->pending_count)
			continue;
		if (!preparation_is_ready(emulation->sweep->preparation,
					  emulation->pending[emulation->next]))
			break;
		if (!slot->worker.pid && started) {
			*again = true;
			continue;
		}
		if (!slot->worker.pid) {
			started = true;
			rc = slot_worker(slot, err);
		}
		if (!rc && !slot->closed)
			rc = slot_begin(slot, emulation->pending[emulation->next++], err);
		/* The case may have ended immediately, and its worker with it. */
		*again |= !slot->busy;
	}
	return rc;
}

/* How long poll() may wait for the busy slots. */
static int wait_ms(const struct emulation *emulation)
{
	int64_t now_ns = monotonic_ns();
	int64_t wait_ns = STOP_POLL_NS;

	for (size_t i = 0; i < emulation->slot_count; i++) {
		const struct worker_slot *slot = &emulation->slots[i];

		if (slot->busy && slot->exchange.deadline_ns - now_ns < wait_ns)
			wait_ns = slot->exchange.deadline_ns - now_ns;
	}
	return wait_ns <= 0 ? 0 : (int)(wait_ns / 1000000 + 1);
}

static bool slots_busy(const struct emulation *emulation)
{
	for (size_t i = 0; i < emulation->slot_count; i++)
		if (emulation->slots[i].busy)
			return true;
	return false;
}

/* Without a case in flight, what is waited for is data. */
static int slots_poll(const struct emulation *emulation, bool wait, struct error *err)
{
	struct meter *meter = &emulation->sweep->times.meter;
	const enum run_part before =
		meter_enter(meter, slots_busy(emulation) ? RUN_PART_EMULATING : RUN_PART_WAITING);
	int rc = 0;

	if (poll(emulation->polls, (nfds_t)emulation->slot_count * 2 + 1,
		 wait ? wait_ms(emulation) : 0) < 0 &&
	    errno != EINTR)
		rc = error_set(err, PL_EIO, "waiting for the workers: %s", strerror(errno));
	meter_enter(meter, before);
	return rc;
}

/* Waits for a reply or a deadline, and serves every slot that has one. */
static int slots_serve(struct emulation *emulation, bool wait, struct error *err)
{
	const struct sweep *sweep = emulation->sweep;
	struct channel_side *side = preparation_side(sweep->preparation);
	int rc = 0;

	for (size_t i = 0; i < emulation->slot_count; i++) {
		const struct worker_slot *slot = &emulation->slots[i];

		emulation->polls[i] = (struct pollfd){
			.fd = slot->busy ? slot->worker.channel.fd : -1, .events = POLLIN};
		emulation->polls[emulation->slot_count + i] = (struct pollfd){
			.fd = slot->worker.pid ? slot->worker.channel.sides[0]->fd : -1,
			.events = POLLIN};
	}
	emulation->polls[emulation->slot_count * 2] =
		(struct pollfd){.fd = side ? side->fd : -1, .events = POLLIN};
	rc = slots_poll(emulation, wait, err);
	if (rc)
		return rc;
	if (sweep->stop && *sweep->stop)
		return error_set(err, PL_EINTERRUPTED, "interrupted");
	if (emulation->polls[emulation->slot_count * 2].revents)
		side->serve(side);
	for (size_t i = 0; i < emulation->slot_count && !rc; i++) {
		struct worker_slot *slot = &emulation->slots[i];
		enum exchange_end end = EXCHANGE_DONE;
		struct error cause = {0};

		if (slot->worker.pid && emulation->polls[emulation->slot_count + i].revents)
			worker_pipe_serve(slot->worker.printed);
		if (!slot->busy)
			continue;
		if (!emulation->polls[i].revents && monotonic_ns() < slot->exchange.deadline_ns) {
			if (worker_is_halted(&slot->worker, &cause))
				rc = slot_end(slot, EXCHANGE_HALTED, &cause, err);
		} else if (exchange_continue(&slot->worker, &slot->exchange, 0, &end, &cause)) {
			rc = slot_end(slot, end, &cause, err);
		}
	}
	return rc;
}

static void slots_begin(struct emulation *emulation)
{
	struct sweep *sweep = emulation->sweep;
	size_t wanted =
		(size_t)(sweep->settings->jobs ? sweep->settings->jobs : usable_processors());

	emulation->slot_count =
		wanted < emulation->pending_count ? wanted : emulation->pending_count;
	emulation->slots = xcalloc(emulation->slot_count + 1, sizeof(*emulation->slots));
	emulation->polls = xcalloc(emulation->slot_count * 2 + 1, sizeof(*emulation->polls));
	for (size_t i = 0; i < emulation->slot_count; i++) {
		emulation->slots[i].emulation = emulation;
		emulation->slots[i].last_phase = -1;
	}
	/* The worker that inspected takes the first slot. */
	if (emulation->slot_count) {
		emulation->slots[0].worker = sweep->worker;
		sweep->worker = (struct worker_process){0};
	}
}

static void slots_end(struct emulation *emulation, bool immediately)
{
	struct meter *meter = &emulation->sweep->times.meter;
	const enum run_part before = meter_enter(meter, RUN_PART_STARTING);

	for (size_t i = 0; i < emulation->slot_count && immediately; i++)
		worker_ask_to_end(&emulation->slots[i].worker); /* all at once */
	for (size_t i = 0; i < emulation->slot_count; i++) {
		struct worker_slot *slot = &emulation->slots[i];

		if (immediately)
			worker_kill(&slot->worker);
		else
			worker_end(&slot->worker);
		slot_clear(slot);
	}
	free(emulation->slots);
	free(emulation->polls);
	meter_enter(meter, before);
}

int sweep_emulate(struct sweep *sweep, struct error *err)
{
	struct emulation emulation = {.sweep = sweep};
	int rc = 0;

	emulation.pending = xcalloc(sweep->plan->count + 1, sizeof(*emulation.pending));
	for (size_t i = 0; i < sweep->plan->count; i++)
		if (!sweep->cases[i].ended)
			emulation.pending[emulation.pending_count++] = i;
	slots_begin(&emulation);
	preparation_set_order(sweep->preparation, emulation.pending, emulation.pending_count);
	while (!rc && (emulation.next < emulation.pending_count || slots_busy(&emulation))) {
		bool again = false;

		rc = slots_fill(&emulation, &again, err);
		if (!rc)
			rc = slots_serve(&emulation, !again, err);
	}
	slots_end(&emulation, rc != 0);
	free(emulation.pending);
	return rc;
}
