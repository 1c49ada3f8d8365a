/*
 * Counting, in batches, because one pass of the counters runs over many cases.
 * A case that was timed stays ok or unverified whatever happens here; a counter
 * that could not be read is missing with the reason.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/sweep/data/preparation.h"
#include "harness/sweep/sweep_parts.h"
#include "metrics/catalogue/catalogue.h"

/* CUPTI takes 0.3 s to set up a batch (H200): docs/results/log.md. After a death, the cases of the
 * batch that were not answered are counted again. */
#define BATCH_MAX_CASES 1280
#define BATCH_MAX_BYTES (8u << 20)
#define BATCH_MAX_PASSES 65536
#define BATCH_MAX_SILENT_DEATHS 3

struct count_batch {
	struct sweep *sweep;
	size_t indices[BATCH_MAX_CASES]; /* into the plan */
	struct counter_list counters[BATCH_MAX_CASES];
	bool answered[BATCH_MAX_CASES], stored[BATCH_MAX_CASES];
	size_t count;
	size_t store_next; /* the position from which one that can be stored is looked for */
	int store_rc;      /* with which storing failed; store_error is set then */
	struct error store_error;
	int64_t next_pass[BATCH_MAX_CASES]; /* the least that a case may announce */
	size_t in_flight;                   /* position, or NO_CASE */
	struct text off;                    /* why the session has no counters; "": it has */
	bool busy;                          /* because another process holds them */
};

/* ---- results ---- */

/* Adds what the plan knows without counting: the operations of the work model, under the name of
 * their precision, the number of launches, and the blocks of the largest launch with their threads.
 */
static void set_planned(struct counter_list *counters, const struct launch_case *work)
{
	static const char why[] = "a library chooses what it launches";
	char *name = xasprintf("model_flop_%s", work->precision);
	const struct metric *metric = metric_find(name);
	double most_blocks = 0, threads = 0;

	if (work->has_flop && work->flop > 0 && metric)
		counter_list_set(counters, metric->name, metric->unit, metric->formula,
				 (double)work->flop);
	free(name);
	if (launch_case_library(work)) {
		counter_list_set_missing(counters, "launches", "launch", "plan", why);
		counter_list_set_missing(counters, "blocks", "block", "plan", why);
		counter_list_set_missing(counters, "threads_per_block", "thread/block", "plan",
					 why);
		return;
	}
	for (size_t i = 0; i < work->launch_count; i++) {
		const int64_t *grid = work->launches[i].grid, *block = work->launches[i].block;
		const double blocks = (double)grid[0] * (double)grid[1] * (double)grid[2];

		if (blocks <= most_blocks)
			continue;
		most_blocks = blocks;
		threads = (double)block[0] * (double)block[1] * (double)block[2];
	}
	counter_list_set(counters, "launches", "launch", "plan", (double)work->launch_count);
	counter_list_set(counters, "blocks", "block", "plan", most_blocks);
	counter_list_set(counters, "threads_per_block", "thread/block", "plan", threads);
}

/* Other clocks are read in the first round only, and kept until the counters are stored. */
static void set_clocks_lost(const struct sweep *sweep, struct counter_list *counters)
{
	const struct string_list *wanted = &sweep->settings->metrics;

	for (size_t i = 0; i < wanted->count; i++) {
		const struct metric *metric = metric_find(wanted->items[i]);

		if (metric && metric->sets & 1u << METRIC_SET_CLOCKS)
			counter_list_set_missing(counters, metric->name, metric->unit,
						 metric->formula,
						 "the sweep was resumed after the round in which "
						 "clocks are read");
	}
}

/* Stores the counters of a case and ends it. `reason` is for every metric that `counters` lacks. */
static int case_counted(struct sweep *sweep, size_t index, struct counter_list *counters,
			const char *reason, struct error *err)
{
	const struct result_writer *writer = sweep->writer;
	struct case_state *state = &sweep->cases[index];
	const double occupancy = state->facts.theoretical_occupancy_pct;
	const struct metric *error = metric_find("relative_error");
	int rc;

	counter_list_copy(counters, &state->clocks);
	if (sweep->plan->cases[index].rounds_done && !state->clocks.count)
		set_clocks_lost(sweep, counters);
	counter_list_copy(counters, &state->taken);
	case_add_missing(sweep, counters, reason);
	if (state->taken.count) {
		sweep->cases_taken++;
		metric_derive(counters, &sweep->settings->metrics);
	}
	if (isfinite(occupancy))
		counter_list_set(counters, "theoretical_occupancy_pct", "percent",
				 "occupancy calculator", occupancy);
	else
		counter_list_set_missing(counters, "theoretical_occupancy_pct", "percent",
					 "occupancy calculator",
					 "the occupancy calculator gave no value");
	set_planned(counters, sweep->plan->cases[index].launch);
	if (isfinite(state->relative_error))
		counter_list_set(counters, error->name, error->unit, error->formula,
				 state->relative_error);
	else
		counter_list_set_missing(counters, error->name, error->unit, error->formula,
					 state->unverified ? state->unverified
					 : state->no_accuracy[0]
						 ? state->no_accuracy
						 : "the worker that verified it did "
						   "not say");
	rc = writer->counters(writer->context, index, counters, err);
	if (rc)
		return rc;
	state->counted = true;
	sweep->steps_done++;
	return case_finish_measured(sweep, index, err);
}

int case_uncounted(struct sweep *sweep, size_t index, const char *reason, struct error *err)
{
	struct counter_list counters = {0};
	int rc;

	sweep->cases[index].uncounted = true;
	rc = case_counted(sweep, index, &counters, reason, err);
	counter_list_release(&counters);
	return rc;
}

/* Stores the counters that came of one case. */
static int batch_store(struct count_batch *batch, size_t position, struct error *err)
{
	struct sweep *sweep = batch->sweep;
	struct counter_list *counters = &batch->counters[position];

	batch->stored[position] = true;
	sweep->cases_answered++;
	metric_derive(counters, &sweep->settings->metrics);
	return case_counted(sweep, batch->indices[position], counters, "the worker gave no value",
			    err);
}

/* Stores an answer, if there is one, while the worker executes another case. */
static int batch_store_one(struct count_batch *batch, struct error *err)
{
	for (size_t tried = 0; tried < batch->count; tried++) {
		const size_t at = batch->store_next;

		batch->store_next = (at + 1) % batch->count;
		if (!batch->answered[at] || batch->stored[at])
			continue;
		batch->sweep->times.meter.held = true;
		batch->store_rc = batch_store(batch, at, &batch->store_error);
		batch->sweep->times.meter.held = false;
		sweep_show_progress(batch->sweep, "count", batch->indices[at]);
		if (batch->store_rc)
			*err = batch->store_error;
		return batch->store_rc;
	}
	return 0;
}

/* ---- replies ---- */

static int batch_position(size_t *out, const struct count_batch *batch, const json_t *message,
			  struct error *err)
{
	int64_t id;
	int rc = member_int64(&id, message, "id", 0, INT64_MAX, err);

	if (rc)
		return rc;
	for (size_t i = 0; i < batch->count; i++)
		if (batch->indices[i] == (size_t)id) {
			*out = i;
			return 0;
		}
	return error_set(err, PL_EPROTOCOL, "a reply is about case %lld, which is not in the batch",
			 (long long)id);
}

static int batch_phase(struct count_batch *batch, size_t position, const json_t *message,
		       struct error *err)
{
	const char *name;
	enum worker_phase phase;
	int64_t pass = 0;
	int rc = member_borrow(&name, message, "phase", false, err);

	/* Each phase restarts the timeout, so a worker must not gain time by repeating one. */
	if (!rc)
		rc = member_int64(&pass, message, "pass", batch->next_pass[position],
				  BATCH_MAX_PASSES, err);
	if (rc)
		return rc;
	if (!worker_phase_parse(&phase, name) || phase != WORKER_PHASE_COUNT)
		return error_set(err, PL_EPROTOCOL, "phase '%.40s' came while counting", name);
	batch->next_pass[position] = pass + 1;
	batch->in_flight = position;
	sweep_show_progress(batch->sweep, worker_phase_name(phase), batch->indices[position]);
	return batch_store_one(batch, err);
}

/* The worker did not have to try this before. */
static int batch_off(struct count_batch *batch, const json_t *message, struct error *err)
{
	const char *reason;
	int rc = member_borrow(&reason, message, "reason", false, err);

	if (!rc && json_object_get(message, "busy"))
		rc = member_bool(&batch->busy, message, "busy", err);
	if (rc)
		return rc;
	/* another process can take the counters between two passes */
	if (batch->off.length || (batch->in_flight != NO_CASE && !batch->busy) || !*reason)
		return error_set(err, PL_EPROTOCOL, "'counters_off' came %s",
				 *reason ? "twice, or after counting began" : "without a reason");
	batch->in_flight = NO_CASE;
	text_add(&batch->off, reason);
	return 0;
}

static int count_reply(void *context, const char *name, const json_t *message, struct error *err)
{
	struct count_batch *batch = context;
	size_t position = 0;
	int rc;

	if (!strcmp(name, "filled"))
		return preparation_take_filled(batch->sweep->preparation, message, err);
	if (!strcmp(name, "counters_off"))
		return batch_off(batch, message, err);
	rc = batch_position(&position, batch, message, err);
	if (rc)
		return rc;
	if (!strcmp(name, "phase"))
		return batch_phase(batch, position, message, err);
	if (strcmp(name, "counters") || batch->answered[position])
		return error_set(err, PL_EPROTOCOL, "'%.40s' came as an answer to 'count'", name);
	rc = counters_from_json(&batch->counters[position], json_object_get(message, "counters"),
				err);
	batch->answered[position] = !rc;
	return rc;
}

/* ---- batches ---- */

/* Adds what is left to count in a batch whose exact counters were taken over. */
static void batch_add_metrics(struct text *request, const struct sweep *sweep)
{
	struct string_list left = {0};
	json_t *list;
	char *names;

	counters_left_to_count(&left, sweep);
	list = json_strings(&left);
	names = json_dumps(list, JSON_COMPACT);
	text_addf(request, ",\"metrics\":%s", names);
	free(names);
	json_decref(list);
	string_list_release(&left);
}

/* Takes cases from the front of `pending`, all with counters that were taken over or all without,
 * until the batch or the line is full, waits for their data, and writes their request.
 * PL_EINTERRUPTED. */
static int batch_fill(struct text *request, struct count_batch *batch, const size_t *pending,
		      size_t count, struct error *err)
{
	struct preparation *preparation = batch->sweep->preparation;
	const struct case_state *cases = batch->sweep->cases;
	const bool taken = cases[pending[0]].taken.count > 0;
	struct text item = TEXT_INIT;
	size_t bytes = 0;
	int rc = 0;

	text_add(request, "{\"request\":\"count\",\"cases\":[");
	while (batch->count < count && batch->count < BATCH_MAX_CASES && !rc) {
		size_t index = pending[batch->count];

		if ((cases[index].taken.count > 0) != taken)
			break;
		text_clear(&item);
		text_addf(&item, "{\"id\":%zu,\"case\":", index);
		case_add_json(&item, batch->sweep, index);
		text_add_char(&item, '}');
		bytes += item.length;
		if (batch->count && bytes > BATCH_MAX_BYTES)
			break;
		if (batch->count)
			text_add_char(request, ',');
		text_add_bytes(request, item.data, item.length);
		batch->indices[batch->count++] = index;
		rc = sweep_await_data(batch->sweep, index, err);
		preparation_hold(preparation, &index, 1); /* the next one must not displace it */
	}
	text_add_char(request, ']');
	if (taken)
		batch_add_metrics(request, batch->sweep);
	preparation_add_data(request, preparation, batch->indices, batch->count);
	text_add_char(request, '}');
	text_release(&item);
	return rc;
}

/* Until cases_together_end(), what is stored takes effect together: a commit takes longer than what
 * it stores. Meanwhile no other process can write to the database, so nothing is printed. */
static int cases_together_begin(struct sweep *sweep, struct error *err)
{
	int rc = sweep->writer->begin(sweep->writer->context, err);

	sweep->together = !rc;
	return rc;
}

static int cases_together_end(struct sweep *sweep, int rc, struct error *err)
{
	rc = sweep->writer->end(sweep->writer->context, rc, err);
	sweep->together = false;
	if (sweep->hooks.committed)
		sweep->hooks.committed(sweep, !rc);
	sweep_show_progress(sweep, "count", NO_CASE);
	return rc;
}

/*
 * Stores the counters that came, ends the cases that will not be counted, and
 * leaves in `pending` (at most batch->count) the cases to try again in a fresh
 * worker.
 */
static int batch_deliver(struct count_batch *batch, bool try_again, const char *reason,
			 size_t *pending, size_t *left, struct error *err)
{
	struct sweep *sweep = batch->sweep;
	int rc = cases_together_begin(sweep, err);

	*left = 0;
	if (rc)
		return rc;
	for (size_t i = 0; i < batch->count && !rc; i++) {
		if (batch->stored[i])
			continue;
		if (batch->answered[i]) {
			rc = batch_store(batch, i, err);
		} else if (try_again && i != batch->in_flight) {
			pending[(*left)++] = batch->indices[i];
		} else if (i == batch->in_flight && !sweep->worker.pid) {
			/* the next worker shows whether the device was lost with it */
			free(sweep->uncounted_reason);
			sweep->uncounted = batch->indices[i];
			sweep->uncounted_reason = xstrdup(reason);
		} else {
			rc = case_uncounted(sweep, batch->indices[i], reason, err);
		}
	}
	return cases_together_end(sweep, rc, err);
}

/* Counts a batch from the front of `pending`. The first *settled of it are done; the cases to try
 * again follow them. */
static int batch_count(struct sweep *sweep, size_t *pending, size_t count, size_t *settled,
		       int *silent_deaths, struct error *err)
{
	struct count_batch *batch = xcalloc(1, sizeof(*batch));
	struct exchange exchange = EXCHANGE_INIT(count_reply, batch, sweep->settings->timeout_ns);
	size_t again[BATCH_MAX_CASES];
	enum trial_status status = TRIAL_OK;
	struct text request = TEXT_INIT, reason = TEXT_INIT;
	struct error cause = {0};
	bool try_again = false;
	size_t left = 0;
	enum exchange_end end = EXCHANGE_DONE;
	int rc;

	batch->sweep = sweep;
	batch->in_flight = NO_CASE;
	batch->off = (struct text)TEXT_INIT;
	/* The worker sets the counters up before the first pass; that is not the time of a case. */
	if (exchange.timeout_ns < WORKER_START_TIMEOUT_NS)
		exchange.first_timeout_ns = WORKER_START_TIMEOUT_NS;
	rc = batch_fill(&request, batch, pending, count, err);
	if (!rc)
		end = worker_ask_line(&sweep->worker, &request, &exchange, &cause);
	text_release(&request);
	if (rc)
		goto out;
	rc = exchange_settle(&sweep->worker, end, &exchange, "counting", &cause, &status, &reason,
			     err);
	if (rc)
		goto out;
	if (status == TRIAL_OK)
		text_add(&reason, batch->off.length ? batch->off.data
						    : "the worker gave no counters for this case");
	if (status == TRIAL_OK && batch->off.length) {
		free(sweep->counters_reason);
		sweep->counters_reason = xstrdup(batch->off.data);
		sweep->counters_busy = batch->busy;
		sweep_tell_counters_off(sweep);
	}
	/* No case is to blame for a death before the first phase or after the last answer. */
	if (batch->in_flight != NO_CASE && batch->answered[batch->in_flight])
		batch->in_flight = NO_CASE;
	if (batch->in_flight != NO_CASE)
		try_again = !sweep->worker.pid || status == TRIAL_OUT_OF_MEMORY;
	else if (!sweep->worker.pid)
		try_again = ++*silent_deaths < BATCH_MAX_SILENT_DEATHS;
	if (status == TRIAL_OK && batch->busy) {
		sweep_begin_to_wait_for_counters(sweep);
		try_again = sweep_waits_for_counters(sweep);
	}
	/* it ends while the counters are stored */
	if (batch->count == count && !try_again && !sweep_profiles(sweep))
		worker_dismiss(&sweep->worker);
	rc = batch_deliver(batch, try_again, reason.data, again, &left, err);
	*settled = batch->count - left;
	memcpy(pending + *settled, again, left * sizeof(*again));
out:
	preparation_release(sweep->preparation, batch->indices, batch->count);
	for (size_t i = 0; i < batch->count; i++)
		counter_list_release(&batch->counters[i]);
	exchange_release(&exchange);
	text_release(&reason);
	text_release(&batch->off);
	free(batch);
	return rc;
}

/* Ends a batch without counters. Those that another process holds are tried again after it. */
static int leave_uncounted(struct sweep *sweep, const size_t *pending, size_t count,
			   size_t *settled, struct error *err)
{
	int rc = cases_together_begin(sweep, err);

	*settled = 0;
	if (rc)
		return rc;
	for (; *settled < count && *settled < BATCH_MAX_CASES && !rc; ++*settled)
		rc = case_uncounted(sweep, pending[*settled],
				    sweep->counters_reason ? sweep->counters_reason : "", err);
	return cases_together_end(sweep, rc, err);
}

static int count_pending(struct sweep *sweep, size_t *pending, size_t count, struct error *err)
{
	int silent_deaths = 0;
	int rc = 0;

	if (!sweep->settings->metrics.count || (sweep->counters_reason && !sweep->counters_busy))
		worker_dismiss(&sweep->worker);
	while ((count || sweep->uncounted != NO_CASE) && !rc) {
		size_t settled = 0;

		if (!count)
			rc = lost_device_check(sweep, err);
		else if (sweep->settings->metrics.count)
			rc = sweep_have_counters(sweep, err);
		if (!rc && sweep->uncounted != NO_CASE) {
			/* a worker has opened the device since */
			const size_t index = sweep->uncounted;

			sweep->uncounted = NO_CASE;
			rc = case_uncounted(sweep, index, sweep->uncounted_reason, err);
		}
		if (rc || !count)
			break;
		if (sweep->settings->metrics.count && !sweep->counters_reason)
			rc = batch_count(sweep, pending, count, &settled, &silent_deaths, err);
		else
			rc = leave_uncounted(sweep, pending, count, &settled, err);
		pending += settled;
		count -= settled;
	}
	return rc;
}

int sweep_count(struct sweep *sweep, struct error *err)
{
	size_t *pending = xcalloc(sweep->plan->count + 1, sizeof(*pending));
	const bool counts = sweep->settings->metrics.count && !sweep->counters_reason;
	size_t count = 0;
	int rc = 0;

	sweep->rounds_over = true;
	if (sweep->hooks.reclaim)
		sweep->hooks.reclaim(sweep, false);
	for (size_t i = 0; i < sweep->plan->count && !rc; i++) {
		const char *refusal = case_refusal(sweep, i, false);

		if (sweep->cases[i].ended)
			continue;
		/* A resumed run may have been killed between counters and the final status. */
		if (sweep->cases[i].counted)
			rc = case_finish_measured(sweep, i, err);
		else if (refusal)
			rc = case_uncounted(sweep, i, refusal, err);
		else
			pending[count++] = i;
	}
	if (!rc && sweep->settings->metrics.count && sweep->takes_counters)
		rc = sweep_take_counters(sweep, pending, count, err);
	preparation_set_order(sweep->preparation, pending, counts ? count : 0);
	sweep->counts_next = true;
	if (!rc)
		rc = count_pending(sweep, pending, count, err);
	if (!rc)
		sweep_tell_counted(sweep, sweep->cases_answered, count);
	if (!rc && sweep->takes_counters && count)
		tell_observer(sweep->observer, NOTICE_REMARK,
			      "exact counters of %zu of %zu cases are those of earlier runs",
			      sweep->cases_taken, count);
	free(pending);
	return rc;
}
