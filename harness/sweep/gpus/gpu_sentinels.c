/* Whether the other GPUs of a split change times. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/sweep/gpus/gpus.h"
#include "metrics/analysis/compare.h"
#include "metrics/analysis/gpu_group.h"
#include "metrics/analysis/statistics.h"

/* With fewer cases for each GPU, measuring alone would take a large part of the sweep. */
#define CASES_LEAST 12

/* ---- which cases ---- */

/* Whether a sentinel is of the kernel of the case, or also of its variant. */
static bool has_like(const struct sweep *sweep, size_t index, bool of_variant)
{
	const struct gpu_part *part = sweep->hooks.context;
	const struct plan_case *wanted = &sweep->plan->cases[index];

	for (size_t i = 0; i < part->sentinel_count; i++) {
		const struct plan_case *own = &sweep->plan->cases[part->sentinels[i].index];

		if (strcmp(own->kernel, wanted->kernel) == 0 &&
		    (!of_variant || strcmp(own->variant, wanted->variant) == 0))
			return true;
	}
	return false;
}

/* Claims free cases from the place of this GPU on: one of each kernel first, as the control cases
 * of --decide, then one of each variant. How much they vary is not known yet. */
static void claim_sentinels(struct sweep *sweep, size_t most)
{
	struct gpu_part *part = sweep->hooks.context;
	const size_t count = sweep->plan->count;
	const size_t first = (size_t)part->slot % part->gpus * count / part->gpus;

	for (int pass = 0; pass < 3; pass++)
		for (size_t i = 0; i < count && part->sentinel_count < most; i++) {
			const size_t index = (first + i) % count;

			if (sweep->cases[index].ended || part->share->cases[index].unit != index ||
			    gpu_share_owner(part->share, index) >= 0 ||
			    (pass < 2 && has_like(sweep, index, pass == 1)))
				continue;
			if (gpu_share_claim(part->share, part->slot, index))
				part->sentinels[part->sentinel_count++].index = index;
		}
}

/* ---- alone ---- */

static int drop_facts(void *context, size_t index, const struct launch_facts *facts,
		      struct error *err)
{
	(void)context, (void)index, (void)facts, (void)err;
	return 0;
}

static int drop_round(void *context, size_t index, const struct round_result *round,
		      struct error *err)
{
	(void)context, (void)index, (void)round, (void)err;
	return 0;
}

static int drop_reason(void *context, size_t index, const char *reason, struct error *err)
{
	(void)context, (void)index, (void)reason, (void)err;
	return 0;
}

static int drop_end(void *context, size_t index, enum trial_status status, const char *reason,
		    struct error *err)
{
	(void)context, (void)index, (void)status, (void)reason, (void)err;
	return 0;
}

/* These rounds are no results of the run: the sweep measures the cases again. */
static const struct result_writer writer_of_nothing = {
	.facts = drop_facts,
	.round = drop_round,
	.alone = drop_reason,
	.finished = drop_end,
};

static int measure_alone(struct sweep *sweep, struct error *err)
{
	struct gpu_part *part = sweep->hooks.context;
	const struct result_writer *const writer = sweep->writer;
	const struct sweep_outcome outcome = sweep->outcome;
	const size_t done = sweep->steps_done, total = sweep->steps_total;
	size_t cases[GPU_SENTINELS];
	int rc = 0;

	sweep->writer = &writer_of_nothing;
	part->alone = true;
	for (int round = 0; round < sweep->rounds && round < GPU_SENTINEL_ROUNDS && !rc; round++) {
		size_t count = 0;

		for (size_t i = 0; i < part->sentinel_count; i++)
			if (!sweep->cases[part->sentinels[i].index].ended)
				cases[count++] = part->sentinels[i].index;
		if (count)
			rc = sweep_round_again(sweep, round, cases, count, err);
	}
	part->alone = false;
	sweep->writer = writer;
	sweep->outcome = outcome;
	sweep->steps_done = done;
	sweep->steps_total = total;
	for (size_t i = 0; i < part->sentinel_count; i++) {
		struct case_state *state = &sweep->cases[part->sentinels[i].index];

		state->ended = state->failed = false;
		state->alone = sweep->plan->cases[part->sentinels[i].index].alone;
		state->rounds_done = 0;
	}
	/* the sweep begins with a fresh worker, as after every round */
	if (!rc)
		sweep_end_worker(sweep);
	return rc;
}

int gpu_sentinels_begin(struct sweep *sweep, struct error *err)
{
	struct gpu_part *part = sweep->hooks.context;
	int rc = 0;

	if (!gpu_share_await_turn(part->share, part->slot))
		return error_set(err, PL_EINTERRUPTED, "interrupted");
	/* one that takes over cases has nothing to begin with */
	if (!part->spread && (size_t)part->slot < part->gpus) {
		const bool measured =
			part->gpus > 1 && (part->interference == INTERFERENCE_ALWAYS ||
					   (part->interference == INTERFERENCE_AUTO &&
					    sweep->plan->runnable >= CASES_LEAST * part->gpus));

		/* at least one case each: the others may be faster */
		claim_sentinels(sweep, measured ? GPU_SENTINELS : 1);
		if (measured)
			rc = measure_alone(sweep, err);
		else
			part->sentinel_count = 0;
	}
	if (rc)
		return rc;
	gpu_share_end_turn(part->share, part->slot);
	return gpu_share_await_turn(part->share, (int)part->gpus)
		       ? 0
		       : error_set(err, PL_EINTERRUPTED, "interrupted");
}

void gpu_sentinels_round(struct sweep *sweep, size_t index, const struct round_result *round)
{
	struct gpu_part *part = sweep->hooks.context;

	for (size_t i = 0; i < part->sentinel_count; i++) {
		struct gpu_sentinel *own = &part->sentinels[i];
		double *medians = part->alone ? own->alone : own->busy;
		size_t *count = part->alone ? &own->alone_count : &own->busy_count;

		if (own->index == index && round->count && *count < GPU_SENTINEL_ROUNDS)
			medians[(*count)++] = summarise(round->time_ns, round->count).median_ns;
	}
}

/* ---- with the others ---- */

/* Stores a fact of each sentinel. `largest` becomes the change that is the largest of those that
 * `regress` would call one; "": none. Returns the number of sentinels that could be compared. */
static size_t judge_sentinels(struct key_value_list *facts, struct text *largest,
			      const struct sweep *sweep)
{
	const struct gpu_part *part = sweep->hooks.context;
	const struct effect_context context = {.noise = noise_of_device(&sweep->info.device),
					       .share = 1};
	struct effect effects[GPU_SENTINELS];
	double p[GPU_SENTINELS], most = 0;
	size_t compared = 0;

	for (size_t i = 0; i < part->sentinel_count; i++) {
		const struct gpu_sentinel *own = &part->sentinels[i];

		effects[i] =
			effect_of((struct process_medians){own->alone, own->alone_count},
				  (struct process_medians){own->busy, own->busy_count}, &context);
		p[i] = effects[i].p;
	}
	effects_adjust(p, part->sentinel_count);
	for (size_t i = 0; i < part->sentinel_count; i++) {
		const struct plan_case *planned = &sweep->plan->cases[part->sentinels[i].index];
		enum change change = effect_judge(&effects[i], p[i], &change_limits_default);
		char *name =
			xasprintf("%s/%s/%s", planned->kernel, planned->variant, planned->config);
		const char *fact = NULL;
		const bool found = change == CHANGE_REGRESSED || change == CHANGE_IMPROVED;

		if (!isnan(effects[i].change)) {
			fact = gpu_sentinel_fact_add(facts, i + 1, name, &effects[i]);
			compared++;
		}
		if (fact && found && fabs(effects[i].change) > most) {
			most = fabs(effects[i].change);
			text_clear(largest);
			text_add(largest, fact);
		}
		free(name);
	}
	return compared;
}

int gpu_sentinels_end(struct sweep *sweep, struct sweep_store *store, struct error *err)
{
	struct gpu_part *part = sweep->hooks.context;
	struct key_value_list facts = {0};
	struct text largest = TEXT_INIT;
	const char *why_not = part->interference == INTERFERENCE_NEVER ? GPUS_INTERFERENCE_NEVER
			      : part->sentinel_count ? "not measured: no sentinel has its rounds"
						     : "not measured: too few cases for it";
	size_t compared;
	int rc = 0;

	compared = judge_sentinels(&facts, &largest, sweep);
	if (largest.length) {
		key_value_set(&facts, GPUS_INTERFERENCE_FOUND_KEY, largest.data);
		tell_observer(
			sweep->observer, NOTICE_WARNING,
			"the other GPUs change its times: %s; where this matters, sweep on one "
			"GPU with --device",
			largest.data);
	}
	key_value_set(&facts, GPUS_INTERFERENCE_KEY,
		      !compared        ? why_not
		      : largest.length ? "found"
				       : "not found");
	for (size_t i = 0; i < facts.count && !rc; i++)
		rc = db_environment_set(store->db, store->run_id, facts.items[i].key,
					facts.items[i].value, err);
	key_value_list_release(&facts);
	text_release(&largest);
	return rc;
}
