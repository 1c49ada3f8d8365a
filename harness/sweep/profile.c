/*
 * Profiles: which cases are sampled and counted by instruction, after all are timed and counted. A
 * case stays as it ended, whatever happens here; a profile that could not be taken says why.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/sweep/data/preparation.h"
#include "harness/sweep/sweep_parts.h"
#include "metrics/analysis/line_shares.h"

#define BATCH_MAX_CASES 1280
#define BATCH_MAX_BYTES (8u << 20)
#define BATCH_MAX_DEATHS 3
#define BUDGET_PCT 1 /* of the time of the sweep so far, for counting instructions */
#define BUDGET_LEAST_NS INT64_C(1000000000)
#define PASSES 3 /* that a worker may announce for a case: one for each period, one to count */
/* Cases whose times differ by less tie: the first of them is profiled, so that two runs profile the
 * same one. */
#define TIE 0.01

struct profile_batch {
	struct sweep *sweep;
	const size_t *indices; /* into the plan */
	const double *time_ns; /* of each */
	size_t count;
	bool answered[BATCH_MAX_CASES];
	int64_t next_pass[BATCH_MAX_CASES];
	size_t in_flight; /* position, or NO_CASE */
};

/* ---- which cases ---- */

/* A case that may be profiled. */
struct candidate {
	const struct plan_case *planned;
	size_t index; /* into the plan */
	double time_ns;
	int64_t size; /* its axis n; -1: it has none */
};

static int number_order(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

/* 0 for configurations of one variant that solve the same problem. */
static int problem_compare(const struct candidate *a, const struct candidate *b)
{
	const struct launch_case *one = a->planned->launch, *other = b->planned->launch;
	int order = strcmp(a->planned->kernel, b->planned->kernel);

	if (!order)
		order = strcmp(a->planned->variant, b->planned->variant);
	if (!order)
		order = number_order(a->size, b->size);
	if (!order)
		order = number_order(one->has_flop ? one->flop : -1,
				     other->has_flop ? other->flop : -1);
	return order;
}

static int candidate_compare(const void *a, const void *b)
{
	const struct candidate *left = a, *right = b;
	const int order = problem_compare(left, right);

	return order ? order : left->index < right->index ? -1 : left->index > right->index;
}

/* The first of the candidates of a problem that nobody beats by more than a tie. */
static const struct candidate *best_of(const struct candidate *candidates, size_t count)
{
	double least = INFINITY;
	size_t at = 0;

	for (size_t i = 0; i < count; i++)
		least = fmin(least, candidates[i].time_ns);
	while (candidates[at].time_ns > least * (1 + TIE))
		at++;
	return &candidates[at];
}

/* Marks the fastest case on the largest problem of each kernel, which reports show first: it may
 * tie with the best of its variant. */
static void choose_fastest(const struct candidate *candidates, size_t count, bool *chosen)
{
	const struct candidate *fastest = candidates;

	for (size_t i = 1; i < count; i++) {
		const struct candidate *other = &candidates[i];

		if (strcmp(other->planned->kernel, fastest->planned->kernel) != 0) {
			chosen[fastest->index] = true;
			fastest = other;
		} else if (other->size > fastest->size ||
			   (other->size == fastest->size && other->time_ns < fastest->time_ns)) {
			fastest = other;
		}
	}
	chosen[fastest->index] = true;
}

/* Marks the best case of each variant and problem, with the case that it is measured beside. */
static void choose_best(const struct sweep *sweep, struct candidate *candidates, size_t count,
			bool *chosen)
{
	qsort(candidates, count, sizeof(*candidates), candidate_compare);
	for (size_t first = 0, end; first < count; first = end) {
		const struct candidate *best;

		for (end = first + 1;
		     end < count && !problem_compare(&candidates[first], &candidates[end]); end++)
			;
		best = best_of(candidates + first, end - first);
		chosen[best->index] = true;
		if (plan_base(sweep->plan, best->planned))
			chosen[best->planned->base] = true;
	}
	choose_fastest(candidates, count, chosen);
}

/* Sets indices[] and time_ns[] to the cases to profile, and returns their number. What is stored
 * does not change which cases are the best. */
static size_t choose_cases(struct sweep *sweep, size_t *indices, double *time_ns)
{
	const struct plan *plan = sweep->plan;
	const struct result_writer *writer = sweep->writer;
	struct candidate *candidates = xcalloc(plan->count + 1, sizeof(*candidates));
	double *times = xcalloc(plan->count + 1, sizeof(*times));
	bool *chosen = xcalloc(plan->count + 1, sizeof(*chosen));
	size_t count = 0, chosen_count = 0;

	for (size_t i = 0; i < plan->count; i++) {
		const struct plan_case *planned = &plan->cases[i];

		times[i] = planned->launch && !sweep->cases[i].elsewhere
				   ? writer->median_ns(writer->context, i)
				   : NAN;
		if (!isfinite(times[i]))
			continue;
		candidates[count] = (struct candidate){planned, i, times[i], -1};
		launch_case_axis(planned->launch, "n", &candidates[count].size);
		chosen[i] = sweep->lines == LINES_ALL;
		count++;
	}
	if (sweep->lines == LINES_BEST && count)
		choose_best(sweep, candidates, count, chosen);
	for (size_t i = 0; i < plan->count; i++)
		if (chosen[i] && isfinite(times[i]) && !writer->has_profile(writer->context, i)) {
			indices[chosen_count] = i;
			time_ns[chosen_count++] = times[i];
		}
	free(candidates);
	free(times);
	free(chosen);
	return chosen_count;
}

/* ---- results ---- */

static int profile_store(struct sweep *sweep, size_t index, struct profile *profile,
			 struct error *err)
{
	const struct result_writer *writer = sweep->writer;

	line_shares(profile);
	return writer->profile(writer->context, index, profile, err);
}

/* Stores why a case has no profile. */
static int refusal_store(struct sweep *sweep, size_t index, const char *why, struct error *err)
{
	struct profile *profile = profile_new();
	int rc;

	profile->why_no_samples = xstrdup(why);
	profile->why_no_counts = xstrdup(why);
	sweep->steps_done++;
	rc = profile_store(sweep, index, profile, err);
	profile_free(profile);
	return rc;
}

static int profile_batch_store(struct profile_batch *batch, size_t position, const json_t *message,
			       struct error *err)
{
	struct sweep *sweep = batch->sweep;
	const size_t index = batch->indices[position];
	struct profile *profile = NULL;
	bool *own = NULL;
	int rc = profile_from_json(&profile, &own, json_object_get(message, "profile"), err);

	if (rc)
		return rc;
	batch->answered[position] = true;
	batch->in_flight = NO_CASE;
	sweep->steps_done++;
	sweep->times.meter.held = true; /* the worker counts the next case meanwhile */
	rc = profile_sources_find(sweep->profile_sources, profile, own,
				  sweep->plan->cases[index].launch, err);
	if (!rc)
		rc = profile_store(sweep, index, profile, err);
	sweep->times.meter.held = false;
	free(own);
	profile_free(profile);
	return rc;
}

static int profile_batch_phase(struct profile_batch *batch, size_t position, const json_t *message,
			       struct error *err)
{
	const char *name;
	enum worker_phase phase;
	int64_t pass = 0;
	int rc = member_borrow(&name, message, "phase", false, err);

	/* Each phase restarts the timeout, so a worker must not gain time by repeating one. */
	if (!rc)
		rc = member_int64(&pass, message, "pass", batch->next_pass[position], PASSES - 1,
				  err);
	if (rc)
		return rc;
	if (!worker_phase_parse(&phase, name) || phase != WORKER_PHASE_PROFILE)
		return error_set(err, PL_EPROTOCOL, "phase '%.40s' came while profiling", name);
	batch->next_pass[position] = pass + 1;
	batch->in_flight = position;
	sweep_show_progress(batch->sweep, name, batch->indices[position]);
	return 0;
}

static int profile_reply(void *context, const char *name, const json_t *message, struct error *err)
{
	struct profile_batch *batch = context;
	size_t position = 0;
	int64_t id;
	int rc;

	if (!strcmp(name, "filled"))
		return preparation_take_filled(batch->sweep->preparation, message, err);
	rc = member_int64(&id, message, "id", 0, INT64_MAX, err);
	if (rc)
		return rc;
	while (position < batch->count && batch->indices[position] != (size_t)id)
		position++;
	if (position == batch->count || batch->answered[position])
		return error_set(err, PL_EPROTOCOL,
				 "a reply is about case %lld, which is not asked for",
				 (long long)id);
	if (!strcmp(name, "phase"))
		return profile_batch_phase(batch, position, message, err);
	if (strcmp(name, "profile"))
		return error_set(err, PL_EPROTOCOL, "'%.40s' came as an answer to 'profile'", name);
	return profile_batch_store(batch, position, message, err);
}

/* ---- batches ---- */

/* The time for counting: by default so little that a long sweep is hardly longer. */
static int64_t count_budget_ns(const struct sweep *sweep)
{
	const int64_t share_ns = (monotonic_ns() - sweep->started_ns) * BUDGET_PCT / 100;

	if (sweep->lines == LINES_ALL)
		return 0;
	return share_ns > BUDGET_LEAST_NS ? share_ns : BUDGET_LEAST_NS;
}

/* Takes cases from the front of `indices` until the batch or the line is full, waits for their
 * data, and writes their request. PL_EINTERRUPTED. */
static int profile_batch_fill(struct text *request, struct profile_batch *batch, size_t count,
			      struct error *err)
{
	struct preparation *preparation = batch->sweep->preparation;
	int rc = 0;

	text_addf(request, "{\"request\":\"profile\",\"budget_ns\":%lld,\"cases\":[",
		  (long long)count_budget_ns(batch->sweep));
	while (batch->count < count && batch->count < BATCH_MAX_CASES &&
	       request->length < BATCH_MAX_BYTES && !rc) {
		const size_t index = batch->indices[batch->count];

		text_addf(request,
			  "%s{\"id\":%zu,\"time_ns\":%.17g,\"case\":", batch->count ? "," : "",
			  index, batch->time_ns[batch->count]);
		case_add_json(request, batch->sweep, index);
		text_add_char(request, '}');
		batch->count++;
		rc = sweep_await_data(batch->sweep, index, err);
		preparation_hold(preparation, &index, 1);
	}
	text_add_char(request, ']');
	preparation_add_data(request, preparation, batch->indices, batch->count);
	text_add_char(request, '}');
	return rc;
}

/* Moves the cases without an answer to the front of the batch, but for the one in flight, which
 * gets the reason. Returns their number. */
static int profile_batch_settle(struct profile_batch *batch, bool died, const char *reason,
				size_t *indices, double *time_ns, size_t *left, struct error *err)
{
	int rc = 0;

	*left = 0;
	for (size_t i = 0; i < batch->count && !rc; i++) {
		const size_t index = batch->indices[i];

		if (batch->answered[i])
			continue;
		if (died && i != batch->in_flight) {
			indices[*left] = index;
			time_ns[(*left)++] = batch->time_ns[i];
		} else {
			/* no other case is to blame for what one did */
			rc = refusal_store(batch->sweep, index,
					   i == batch->in_flight || batch->in_flight == NO_CASE ||
							   batch->sweep->worker.pid
						   ? reason
						   : "left out, because workers died while they "
						     "profiled other cases",
					   err);
		}
	}
	return rc;
}

/* Profiles the first cases of `indices`. *settled of them are done; those to try again follow. */
static int profile_batch_run(struct sweep *sweep, size_t *indices, double *time_ns, size_t count,
			     int *deaths, size_t *settled, struct error *err)
{
	struct profile_batch *batch = xcalloc(1, sizeof(*batch));
	struct exchange exchange = EXCHANGE_INIT(profile_reply, batch, sweep->settings->timeout_ns);
	size_t *again = xcalloc(BATCH_MAX_CASES, sizeof(*again));
	double *again_ns = xcalloc(BATCH_MAX_CASES, sizeof(*again_ns));
	enum trial_status status = TRIAL_OK;
	struct text request = TEXT_INIT, reason = TEXT_INIT;
	enum exchange_end end = EXCHANGE_DONE;
	struct error cause = {0};
	size_t left = 0;
	int rc;

	*batch = (struct profile_batch){
		.sweep = sweep, .indices = indices, .time_ns = time_ns, .in_flight = NO_CASE};
	/* The worker sets sampling up before the first case. */
	if (exchange.timeout_ns < WORKER_START_TIMEOUT_NS)
		exchange.first_timeout_ns = WORKER_START_TIMEOUT_NS;
	rc = profile_batch_fill(&request, batch, count, err);
	if (!rc)
		end = worker_ask_line(&sweep->worker, &request, &exchange, &cause);
	if (!rc)
		rc = exchange_settle(&sweep->worker, end, &exchange, "profiling", &cause, &status,
				     &reason, err);
	if (!rc && status == TRIAL_OK)
		text_add(&reason, "the worker gave no profile of this case");
	if (!rc) {
		const bool died = !sweep->worker.pid && ++*deaths < BATCH_MAX_DEATHS;

		rc = profile_batch_settle(batch, died, reason.data, again, again_ns, &left, err);
	}
	*settled = batch->count - left;
	preparation_release(sweep->preparation, batch->indices, batch->count);
	memcpy(indices + *settled, again, left * sizeof(*again));
	memcpy(time_ns + *settled, again_ns, left * sizeof(*again_ns));
	exchange_release(&exchange);
	text_release(&request);
	text_release(&reason);
	free(again);
	free(again_ns);
	free(batch);
	return rc;
}

bool sweep_profiles(const struct sweep *sweep)
{
	return sweep->lines != LINES_NONE && sweep->info.profiles &&
	       sweep->settings->metrics.count && !sweep->counters_reason;
}

int sweep_profile(struct sweep *sweep, struct error *err)
{
	size_t *indices = xcalloc(sweep->plan->count + 1, sizeof(*indices));
	double *time_ns = xcalloc(sweep->plan->count + 1, sizeof(*time_ns));
	size_t count = choose_cases(sweep, indices, time_ns);
	size_t *next = indices;
	double *next_ns = time_ns;
	int deaths = 0, rc = 0;

	sweep->steps_total += count;
	preparation_set_order(sweep->preparation, indices, count);
	while (count && !rc) {
		size_t settled = count;

		rc = sweep_have_worker(sweep, err);
		if (!rc && sweep->counters_reason)
			for (size_t i = 0; i < count && !rc; i++)
				rc = refusal_store(sweep, next[i], sweep->counters_reason, err);
		else if (!rc)
			rc = profile_batch_run(sweep, next, next_ns, count, &deaths, &settled, err);
		next += settled;
		next_ns += settled;
		count -= settled;
	}
	/* CUPTI has added code to its kernels */
	worker_dismiss(&sweep->worker);
	free(indices);
	free(time_ns);
	return rc;
}
