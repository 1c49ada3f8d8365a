/* Verifies and times one case, alone or beside its base case. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/workers/cuda/backend.h"
#include "harness/workers/cuda/operation.h"
#include "harness/workers/expected.h"

/* ---- memory ---- */

static bool texts_agree(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

static bool buffers_can_be_shared(const struct case_buffer *a, const struct case_buffer *b)
{
	return strcmp(a->name, b->name) == 0 && a->type == b->type && a->length == b->length &&
	       a->role == b->role && a->fill == b->fill && a->fill_low == b->fill_low &&
	       a->fill_high == b->fill_high &&
	       texts_agree(a->fill_expression, b->fill_expression) &&
	       texts_agree(a->fill_file, b->fill_file) && a->fill_index == b->fill_index &&
	       texts_agree(a->symbol, b->symbol);
}

/* How many bytes `a` uses, and how many of them `b` does not. Memory that an operation allocates
 * itself is its own. */
static void count_bytes(const struct operation *a, const struct operation *b, double *all,
			double *own)
{
	*all = *own = 0;
	for (size_t i = 0; i < a->work->buffer_count; i++) {
		const struct memory_block *block = a->buffers[i].block;
		const double bytes = (double)case_buffer_bytes(&a->work->buffers[i]);
		bool shared = false;

		for (size_t j = 0; block && j < b->work->buffer_count; j++)
			shared |= b->buffers[j].block == block;
		*all += bytes;
		*own += shared ? 0 : bytes;
	}
}

bool beside_same_buffers(const struct operation *a, const struct operation *b)
{
	double all, own, other_all, other_own;

	count_bytes(a, b, &all, &own);
	count_bytes(b, a, &other_all, &other_own);
	return own <= all / 100 && other_own <= other_all / 100;
}

/* ---- the base case ---- */

int beside_prepare(struct operation *out, const struct operation *operation,
		   const struct launch_case *base, struct text *why, struct error *err)
{
	struct operation loaded = {0};
	struct text skip = TEXT_INIT, mismatch = TEXT_INIT;
	struct case_accuracy accuracy;
	struct error cause = {0};
	int rc = operation_load(&loaded, operation->resources, base, &skip, &cause);

	if (rc == 0 && !skip.length) {
		/* Inputs that all cases share have a key, by which operation_prepare() finds them.
		 */
		for (size_t b = 0; b < base->buffer_count; b++)
			for (size_t c = 0; c < operation->work->buffer_count; c++)
				if (buffers_can_be_shared(&base->buffers[b],
							  &operation->work->buffers[c]))
					loaded.buffers[b].block = operation->buffers[c].block;
		rc = operation_prepare(&loaded, true, &cause);
		if (rc == 0)
			rc = operation_verify(&loaded, &mismatch, &accuracy, &cause);
	}
	if (rc == PL_EDEVICE)
		error_set(err, rc, "%s", cause.text);
	else if (rc)
		text_addf(why, "the base case failed beside this case: %s", cause.text);
	else if (skip.length)
		text_addf(why, "the base case is skipped: %s", skip.data);
	else if (mismatch.length)
		text_addf(why, "the base case gave a wrong result beside this case: %s",
			  mismatch.data);
	if (rc || why->length)
		operation_forget(&loaded);
	else
		*out = loaded;
	text_release(&skip);
	text_release(&mismatch);
	return rc == PL_EDEVICE ? rc : 0;
}

static int enter_phase(const struct measuring *measuring, int64_t id, enum worker_phase phase,
		       struct worker_reply *reply)
{
	measuring->resources->check_end_ns = case_check_end_ns(measuring->settings->timeout_ns);
	return worker_reply_phase(reply, id, phase, -1);
}

/* The phase of one case, which begins with the expected results if they are not on the device. */
struct verify_phase {
	const struct measuring *measuring;
	int64_t id;
	struct worker_reply *reply;
	bool entered;
};

static int enter_verify_phase(void *context)
{
	struct verify_phase *phase = context;

	if (phase->entered)
		return 0;
	phase->entered = true;
	return enter_phase(phase->measuring, phase->id, WORKER_PHASE_VERIFY, phase->reply);
}

static int verify_case(struct verify_phase *phase, int round, struct operation *operation,
		       struct text *mismatch, struct error *err)
{
	const struct measuring *measuring = phase->measuring;
	struct case_accuracy accuracy;
	int rc = enter_verify_phase(phase);

	if (rc)
		return rc;
	nvtx_enter_phase(measuring->ranges, "verify");
	meter_enter(&measuring->resources->meter, RUN_PART_VERIFYING);
	rc = operation_verify(operation, mismatch, &accuracy, err);
	if (rc == 0 && mismatch->length)
		rc = replay_again(operation, mismatch, err);
	meter_enter(&measuring->resources->meter, RUN_PART_OTHER);
	nvtx_leave_phase(measuring->ranges);
	if (rc || mismatch->length || !case_is_checked(operation->work))
		return rc;
	return worker_reply_accuracy(phase->reply, phase->id, round, accuracy.relative_error,
				     accuracy.reason);
}

/* Executes the operation once in a range of its own, for ncu to measure. ncu empties the caches
 * itself, unless its user says --cache-control none. */
static int execute_for_profiler(const struct measuring *measuring, int64_t id,
				struct operation *operation, struct worker_reply *reply,
				struct error *err)
{
	int rc = enter_phase(measuring, id, WORKER_PHASE_TIME, reply);

	if (rc == 0)
		rc = operation_make_ready(operation, measuring->settings->cache, FLUSH_TO_COUNT,
					  err);
	if (rc)
		return rc;
	nvtx_enter_phase(measuring->ranges, "profile");
	rc = operation_enqueue(operation, err);
	if (rc == 0)
		rc = device_synchronise(measuring->resources->device, err, "executing the kernel");
	nvtx_leave_phase(measuring->ranges);
	return rc;
}

/* base NULL: the case is timed alone. */
static int time_case(const struct measuring *measuring, int64_t id, struct operation *operation,
		     struct operation *base, struct worker_reply *reply, struct round_result *timed,
		     struct error *err)
{
	int rc = enter_phase(measuring, id, WORKER_PHASE_TIME, reply);

	if (rc)
		return rc;
	nvtx_enter_phase(measuring->ranges, "time");
	meter_enter(&measuring->resources->meter, RUN_PART_TIMING);
	rc = timer_run(measuring->timer, operation, base, measuring->settings, timed, err);
	meter_enter(&measuring->resources->meter, RUN_PART_OTHER);
	nvtx_leave_phase(measuring->ranges);
	return rc;
}

/*
 * Verifies the case with inputs that its kernel has not seen, at the addresses
 * of the first inputs: a kernel may have kept results and recognise its call by
 * the addresses. Not possible if memory is too small for other inputs, or if no
 * input is random: the case is then right for the inputs that it has.
 */
static int verify_other_inputs(const struct measuring *measuring, const struct operation *first,
			       struct text *mismatch, struct error *err)
{
	const struct launch_case *work = first->work;
	struct operation operation = {0};
	struct case_accuracy accuracy;
	struct text skip = TEXT_INIT;
	struct error cause = {0};
	int rc = operation_load(&operation, measuring->resources, work, &skip, &cause);

	for (size_t b = 0; rc == 0 && b < work->buffer_count; b++)
		operation.buffers[b].block = first->buffers[b].block;
	measuring->resources->mixed = true;
	if (rc == 0)
		rc = operation_prepare(&operation, true, &cause);
	if (rc == 0 && first->blind && !first->blind->length)
		rc = operation_find_blind_to(&operation, first, first->blind, &cause);
	if (rc == 0)
		rc = operation_verify(&operation, mismatch, &accuracy, &cause);
	measuring->resources->mixed = false;
	operation_forget(&operation);
	text_release(&skip);
	if (rc && rc != PL_ENOMEM)
		return error_set(err, rc, "%s", cause.text);
	return 0;
}

/*
 * Looks for what only many executions or other inputs show: a kernel that is
 * wrong in some samples, or that kept its results. What is verified was timed.
 * In the first round only, for it costs comparisons, an execution and a second
 * set of inputs.
 */
static int verify_again(const struct measuring *measuring, struct operation *operation,
			struct text *mismatch, struct error *err)
{
	const enum run_part before = meter_enter(&measuring->resources->meter, RUN_PART_VERIFYING);
	struct case_accuracy accuracy;
	struct text found = TEXT_INIT;
	bool latest = true; /* what is found is what the latest execution left */
	int rc = operation_compare(operation, &found, &accuracy, err);

	if (rc == 0 && found.length)
		text_addf(mismatch, "wrong in the last sample, though right before the first: %s",
			  found.data);
	if (rc == 0 && !found.length) {
		rc = operation_watched_samples(operation, &found, err);
		latest = !found.length;
	}
	if (rc == 0 && found.length && !mismatch->length)
		text_addf(mismatch, "wrong in a sample between the first and the last: %s",
			  found.data);
	if (rc == 0 && !found.length && case_check_follows_inputs(operation->work)) {
		rc = verify_other_inputs(measuring, operation, &found, err);
	} else if (rc == 0 && !found.length) {
		/* the same inputs, but another poison */
		operation->execution = EXECUTION_AGAIN;
		rc = operation_verify(operation, &found, &accuracy, err);
		operation->execution = EXECUTION_FIRST;
	}
	if (rc == 0 && found.length && !mismatch->length)
		text_addf(mismatch, "%s: %s", case_wrong_again(operation->work), found.data);
	text_release(&found);
	if (rc == 0 && latest && mismatch->length)
		rc = replay_again(operation, mismatch, err);
	meter_enter(&measuring->resources->meter, before);
	return rc;
}

/* ---- beside a base case ---- */

/* Prepares and verifies a case once more, after its base case failed. */
static int prepare_again(const struct measuring *measuring, const struct launch_case *work,
			 struct operation *operation, struct text *finding, struct error *err)
{
	struct case_accuracy accuracy;
	int rc;

	operation_release(operation);
	rc = operation_load(operation, measuring->resources, work, finding, err);
	if (rc == 0 && !finding->length)
		rc = operation_prepare(operation, true, err);
	return rc || finding->length ? rc : operation_verify(operation, finding, &accuracy, err);
}

/* *why says why there is no base case to measure; "": there is one. */
static int prepare_base(const struct measuring *measuring, int64_t id,
			const struct launch_case *work, const struct launch_case *base_work,
			struct operation *operation, struct operation *base,
			struct worker_reply *reply, struct text *why, struct text *finding,
			struct error *err)
{
	int rc = enter_phase(measuring, id, WORKER_PHASE_BESIDE, reply);

	if (rc)
		return rc;
	nvtx_enter_phase(measuring->ranges, "beside");
	rc = beside_prepare(base, operation, base_work, why, err);
	if (rc == 0 && why->length)
		rc = prepare_again(measuring, work, operation, finding, err);
	nvtx_leave_phase(measuring->ranges);
	return rc;
}

static bool is_verified_again(const struct launch_case *work, int round)
{
	return round == 0 && operation_is_distrusted(work) && case_is_checked(work);
}

/*
 * Both may use the same memory, so after a round only the result of the
 * operation that came last is there. This takes one more pair, and looks at each
 * result after its sample.
 */
static int take_last_pair(const struct measuring *measuring, struct operation *operation,
			  struct operation *base, struct round_result *timed, struct text *mismatch,
			  struct text *why, struct error *err)
{
	const struct launch_case *work = operation->work;
	struct text found = TEXT_INIT;
	int rc = timer_take(measuring->timer, base, measuring->settings,
			    &timed->base_ns[timed->count], err);

	if (rc == 0 && is_verified_again(base->work, timed->round))
		rc = verify_again(measuring, base, &found, err);
	if (rc == 0 && found.length) {
		text_addf(why, "the base case is %s", found.data);
		rc = prepare_again(measuring, work, operation, mismatch, err);
	}
	if (rc == 0 && !mismatch->length)
		rc = timer_take(measuring->timer, operation, measuring->settings,
				&timed->time_ns[timed->count], err);
	if (rc == 0 && !mismatch->length && is_verified_again(work, timed->round))
		rc = verify_again(measuring, operation, mismatch, err);
	if (isfinite(timed->state.event_ns)) {
		timed->base_ns[timed->count] -= timed->state.event_ns;
		timed->time_ns[timed->count] -= timed->state.event_ns;
	}
	if (timed->base_ns[timed->count] > 0 && timed->time_ns[timed->count] > 0)
		timed->count++;
	text_release(&found);
	return rc;
}

/* ---- measuring ---- */

/* With a hot cache, a comparison would bring the expected results into it. */
static int watch_samples(const struct measuring *measuring, int round, struct operation *operation,
			 struct operation *base, struct error *err)
{
	const bool cold = measuring->settings->cache == CACHE_COLD;
	int rc = 0;

	if (cold && is_verified_again(operation->work, round))
		rc = operation_watch_samples(operation, 0, err);
	if (rc == 0 && base && cold && is_verified_again(base->work, round))
		rc = operation_watch_samples(base, 1, err);
	return rc;
}

static int reply_clocks(const struct measuring *measuring, int64_t id, struct operation *operation,
			const struct round_result *timed, struct worker_reply *reply,
			struct error *err)
{
	const enum run_part before = meter_enter(&measuring->resources->meter, RUN_PART_TIMING);
	struct counter_list clocks = {0};
	int rc = clocks_measure(measuring->timer, operation, measuring->settings, timed, &clocks,
				err);

	if (rc == 0)
		rc = worker_reply_clocks(reply, id, timed->round, &clocks);
	counter_list_release(&clocks);
	meter_enter(&measuring->resources->meter, before);
	return rc;
}

/* base_work NULL: the case is measured alone. */
static int time_and_verify(const struct measuring *measuring, int64_t id, int round,
			   struct operation *operation, const struct launch_case *base_work,
			   struct worker_reply *reply, struct text *mismatch, struct error *err)
{
	const struct launch_case *work = operation->work;
	struct round_result timed = {.round = round};
	struct text why = TEXT_INIT;
	struct operation base = {0};
	bool paired = false;
	int rc = 0;

	if (base_work)
		rc = prepare_base(measuring, id, work, base_work, operation, &base, reply, &why,
				  mismatch, err);
	if (rc || mismatch->length)
		goto out;
	paired = base_work && !why.length;
	rc = watch_samples(measuring, round, operation, paired ? &base : NULL, err);
	if (rc == 0)
		rc = time_case(measuring, id, operation, paired ? &base : NULL, reply, &timed, err);
	if (rc == 0 && paired)
		timed.same_buffers = beside_same_buffers(operation, &base);
	if (rc == 0 && paired &&
	    (is_verified_again(work, round) || is_verified_again(base_work, round)))
		rc = take_last_pair(measuring, operation, &base, &timed, mismatch, &why, err);
	else if (rc == 0 && is_verified_again(work, round))
		rc = verify_again(measuring, operation, mismatch, err);
	if (rc == 0 && !mismatch->length)
		rc = worker_reply_samples(
			reply, id, round, timed.time_ns, timed.count, timed.placements,
			timed.scarce ? "device memory is scarce" : measuring->unmoved);
	if (rc == 0 && !mismatch->length && base_work)
		rc = why.length ? worker_reply_alone(reply, id, round, why.data)
				: worker_reply_beside(reply, id, round, timed.base_ns, timed.count,
						      timed.same_buffers);
	if (rc == 0 && !mismatch->length)
		rc = worker_reply_state(reply, id, round, &timed.state);
	if (rc == 0 && !mismatch->length && round == 0 && clocks_are_wanted(measuring->settings))
		rc = reply_clocks(measuring, id, operation, &timed, reply, err);
out:
	free(timed.time_ns);
	free(timed.base_ns);
	operation_forget(&base);
	text_release(&why);
	return rc;
}

int measure_case(const struct measuring *measuring, const struct measured_case *asked,
		 struct worker_reply *reply, enum trial_status *status, struct text *reason,
		 struct error *err)
{
	struct verify_phase phase = {measuring, asked->id, reply, false};
	const struct launch_case *work = asked->work;
	struct operation operation = {0};
	struct text finding = TEXT_INIT, blind = TEXT_INIT;
	int rc;

	nvtx_enter_case(measuring->ranges, work, asked->id);
	rc = operation_load(&operation, measuring->resources, work, &finding, err);
	if (rc == 0 && finding.length) {
		*status = TRIAL_SKIPPED;
		goto out;
	}
	measuring->resources->announce_check = enter_verify_phase;
	measuring->resources->announce_context = &phase;
	if (rc == 0)
		rc = operation_prepare(&operation, true, err);
	measuring->resources->announce_check = NULL;
	measuring->resources->announce_context = NULL;
	if (rc == 0)
		rc = verify_case(&phase, asked->round, &operation, &finding, err);
	if (rc == 0 && finding.length) {
		*status = TRIAL_MISMATCH;
		goto out;
	}
	if (rc == 0 && operation_is_distrusted(work))
		rc = operation_find_blind(&operation, &blind, err);
	operation.blind = &blind;
	if (rc == 0 && measuring->under_ncu)
		rc = execute_for_profiler(measuring, asked->id, &operation, reply, err);
	else if (rc == 0)
		rc = time_and_verify(measuring, asked->id, asked->round, &operation, asked->base,
				     reply, &finding, err);
	if (rc == 0 && finding.length)
		*status = TRIAL_MISMATCH;
	else if (rc == 0 && !case_is_checked(work))
		*status = case_unverified(work, &finding);
	else if (rc == 0 && blind.length)
		*status = TRIAL_UNVERIFIED;
out:
	text_add(reason, *status == TRIAL_UNVERIFIED ? blind.data : "");
	text_add(reason, finding.data);
	text_release(&finding);
	text_release(&blind);
	operation_release(&operation);
	nvtx_leave_case(measuring->ranges, work);
	return rc;
}
