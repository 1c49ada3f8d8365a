/*
 * Counting: batches of cases, because a pass of the counters goes around many
 * cases at once. A case that was verified and timed stays ok whatever happens
 * here; what could not be counted is missing with the reason.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/session/coordinator.h"
#include "metrics/catalogue/catalogue.h"

#define BATCH_MAX_CASES 256
#define BATCH_MAX_BYTES (8u << 20)
#define BATCH_MAX_PASSES 65536
#define BATCH_MAX_SILENT_DEATHS 3
#define NOBODY SIZE_MAX

struct count_batch {
	struct sweep *sweep;
	size_t indices[BATCH_MAX_CASES]; /* into the plan */
	struct counter_list counters[BATCH_MAX_CASES];
	bool answered[BATCH_MAX_CASES];
	size_t count;
	int64_t next_pass[BATCH_MAX_CASES]; /* the least that a case may announce */
	size_t in_flight;                   /* position, or NOBODY */
};

/* ---- results ---- */

static void missing_set(struct counter_list *counters, const char *name, const char *chip,
			const char *reason)
{
	const struct metric *metric = metric_find(name);
	const char *counter = metric ? metric_counter_on(metric, chip) : name;
	char *source = metric && metric->formula ? xasprintf("derived: %s", metric->formula)
						 : xstrdup(counter ? counter : "");

	counter_list_set_missing(counters, name, metric ? metric->unit : "", source, reason);
	free(source);
}

size_t counters_complete(const struct sweep *sweep, struct counter_list *counters,
			 const char *reason)
{
	const struct string_list *wanted = &sweep->settings->metrics;
	size_t missing = 0;

	for (size_t i = 0; i < wanted->count; i++)
		if (!counter_list_find(counters, wanted->items[i])) {
			missing_set(counters, wanted->items[i], sweep->info.device.chip, reason);
			missing++;
		}
	return missing;
}

/* What is known without counting: how often the operation launches, and the blocks of the launch
 * with the most. */
static void set_launches(struct counter_list *counters, const struct launch_case *work)
{
	static const char why[] = "a library chooses what it launches";
	double most_blocks = 0;

	if (launch_case_library(work)) {
		counter_list_set_missing(counters, "launches", "launch", "plan", why);
		counter_list_set_missing(counters, "blocks", "block", "plan", why);
		return;
	}
	for (size_t i = 0; i < work->launch_count; i++) {
		const int64_t *grid = work->launches[i].grid;

		most_blocks =
			fmax(most_blocks, (double)grid[0] * (double)grid[1] * (double)grid[2]);
	}
	counter_list_set(counters, "launches", "launch", "plan", (double)work->launch_count);
	counter_list_set(counters, "blocks", "block", "plan", most_blocks);
}

/* What verification found, before anything was timed. */
static void set_accuracy(struct counter_list *counters, const struct case_state *state)
{
	const struct metric *metric = metric_find("relative_error");

	if (isfinite(state->relative_error))
		counter_list_set(counters, metric->name, metric->unit, metric->formula,
				 state->relative_error);
	else
		counter_list_set_missing(counters, metric->name, metric->unit, metric->formula,
					 state->no_accuracy[0]
						 ? state->no_accuracy
						 : "the worker that verified it did not say");
}

/* `reason` stands for what `counters` lacks. */
static int case_counted(struct sweep *sweep, size_t index, struct counter_list *counters,
			const char *reason, struct error *err)
{
	const struct sweep_sink *sink = sweep->sink;
	const double occupancy = sweep->cases[index].facts.theoretical_occupancy_pct;
	int rc;

	counters_complete(sweep, counters, reason);
	if (isfinite(occupancy))
		counter_list_set(counters, "theoretical_occupancy_pct", "percent",
				 "occupancy calculator", occupancy);
	else
		counter_list_set_missing(counters, "theoretical_occupancy_pct", "percent",
					 "occupancy calculator",
					 "the occupancy calculator gave no value");
	set_launches(counters, sweep->plan->cases[index].launch);
	set_accuracy(counters, &sweep->cases[index]);
	rc = sink->counters(sink->context, index, counters, err);
	if (rc)
		return rc;
	sweep->cases[index].counted = true;
	sweep->steps_done++;
	rc = sweep_case_finished(sweep, index, TRIAL_OK, NULL, err);
	sweep_progress(sweep, "count", index);
	return rc;
}

static int case_uncounted(struct sweep *sweep, size_t index, const char *reason, struct error *err)
{
	struct counter_list counters = {0};
	int rc = case_counted(sweep, index, &counters, reason, err);

	counter_list_release(&counters);
	return rc;
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

	/* Each phase restarts the clock: a worker must not get time by saying one again. */
	if (!rc)
		rc = member_int64(&pass, message, "pass", batch->next_pass[position],
				  BATCH_MAX_PASSES, err);
	if (rc)
		return rc;
	if (!worker_phase_parse(&phase, name) || phase != WORKER_PHASE_COUNT)
		return error_set(err, PL_EPROTOCOL, "phase '%.40s' came while counting", name);
	batch->next_pass[position] = pass + 1;
	batch->in_flight = position;
	sweep_progress(batch->sweep, worker_phase_name(phase), batch->indices[position]);
	return 0;
}

static int count_reply(void *context, const char *name, const json_t *message, struct error *err)
{
	struct count_batch *batch = context;
	size_t position = 0;
	int rc = batch_position(&position, batch, message, err);

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

/* Takes cases from the front of `pending` until the batch or the line is full. */
static json_t *batch_fill(struct count_batch *batch, const size_t *pending, size_t count)
{
	json_t *array = json_array();
	size_t bytes = 0;

	while (batch->count < count && batch->count < BATCH_MAX_CASES) {
		size_t index = pending[batch->count];
		json_t *item = json_pack("{s:I, s:o}", "id", (json_int_t)index, "case",
					 case_to_json(batch->sweep->plan->cases[index].launch));

		bytes += json_dumpb(item, NULL, 0, JSON_COMPACT);
		if (batch->count && bytes > BATCH_MAX_BYTES) {
			json_decref(item);
			break;
		}
		json_array_append_new(array, item);
		batch->indices[batch->count++] = index;
	}
	return array;
}

/*
 * Passes on what came, settles what will not come, and leaves in `pending`
 * (at most batch->count) what is worth another try in a fresh worker.
 */
static int batch_deliver(struct count_batch *batch, bool try_again, const char *reason,
			 size_t *pending, size_t *left, struct error *err)
{
	struct sweep *sweep = batch->sweep;
	int rc = 0;

	*left = 0;
	for (size_t i = 0; i < batch->count && !rc; i++) {
		struct counter_list *counters = &batch->counters[i];

		if (batch->answered[i]) {
			metric_derive(counters, &sweep->settings->metrics);
			rc = case_counted(sweep, batch->indices[i], counters,
					  "the worker gave no value", err);
		} else if (try_again && i != batch->in_flight) {
			pending[(*left)++] = batch->indices[i];
		} else {
			rc = case_uncounted(sweep, batch->indices[i], reason, err);
		}
	}
	return rc;
}

/* Counts the front of `pending`. *settled of it need nothing more; the rest has moved behind. */
static int batch_count(struct sweep *sweep, size_t *pending, size_t count, size_t *settled,
		       int *silent_deaths, struct error *err)
{
	struct count_batch *batch = xcalloc(1, sizeof(*batch));
	struct exchange exchange = EXCHANGE_INIT(count_reply, batch, sweep->settings->timeout_ns);
	size_t again[BATCH_MAX_CASES];
	enum trial_status status = TRIAL_OK;
	struct text reason = TEXT_INIT;
	struct error cause = {0};
	bool try_again = false;
	size_t left = 0;
	enum exchange_end end;
	json_t *array;
	int rc;

	batch->sweep = sweep;
	batch->in_flight = NOBODY;
	/* Before the first pass the counters are set up, which is no case's time. */
	if (exchange.timeout_ns < WORKER_START_TIMEOUT_NS)
		exchange.first_timeout_ns = WORKER_START_TIMEOUT_NS;
	array = batch_fill(batch, pending, count);
	end = worker_ask(&sweep->worker,
			 json_pack("{s:s, s:o}", "request", "count", "cases", array), &exchange,
			 &cause);
	rc = sweep_settle(&sweep->worker, end, &exchange, "counting", &cause, &status, &reason,
			  err);
	if (rc)
		goto out;
	if (status == TRIAL_OK)
		text_add(&reason, "the worker gave no counters for this case");
	/* Nobody can be blamed for a death before the first phase, or after the last answer. */
	if (batch->in_flight != NOBODY && batch->answered[batch->in_flight])
		batch->in_flight = NOBODY;
	if (batch->in_flight != NOBODY)
		try_again = !sweep->worker.pid || status == TRIAL_OUT_OF_MEMORY;
	else if (!sweep->worker.pid)
		try_again = ++*silent_deaths < BATCH_MAX_SILENT_DEATHS;
	rc = batch_deliver(batch, try_again, reason.data, again, &left, err);
	*settled = batch->count - left;
	memcpy(pending + *settled, again, left * sizeof(*again));
out:
	for (size_t i = 0; i < batch->count; i++)
		counter_list_release(&batch->counters[i]);
	exchange_release(&exchange);
	text_release(&reason);
	free(batch);
	return rc;
}

static int count_pending(struct sweep *sweep, size_t *pending, size_t count, struct error *err)
{
	int silent_deaths = 0;
	int rc = 0;

	while (count && !rc) {
		size_t settled = 0;

		if (sweep->settings->metrics.count && !sweep->counters_reason)
			rc = sweep_worker(sweep, &sweep->worker, err);
		if (rc)
			break;
		if (sweep->settings->metrics.count && !sweep->counters_reason) {
			rc = batch_count(sweep, pending, count, &settled, &silent_deaths, err);
		} else {
			rc = case_uncounted(sweep, pending[0],
					    sweep->counters_reason ? sweep->counters_reason : "",
					    err);
			settled = 1;
		}
		pending += settled;
		count -= settled;
	}
	return rc;
}

int sweep_count(struct sweep *sweep, struct error *err)
{
	size_t *pending = xcalloc(sweep->plan->count + 1, sizeof(*pending));
	size_t count = 0;
	int rc = 0;

	for (size_t i = 0; i < sweep->plan->count && !rc; i++) {
		if (sweep->cases[i].ended)
			continue;
		/* A resumed run may have been cut between counters and the final status. */
		if (sweep->cases[i].counted)
			rc = sweep_case_finished(sweep, i, TRIAL_OK, NULL, err);
		else
			pending[count++] = i;
	}
	if (!rc)
		rc = count_pending(sweep, pending, count, err);
	free(pending);
	return rc;
}
