#include "harness/sweep/gpus/gpu_part.h"

#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "harness/sweep/lost_device.h"
#include "harness/sweep/sweep_parts.h"
#include "metrics/analysis/statistics.h"

bool gpu_part_splits(const struct sweep *sweep)
{
	return sweep->gpu && !sweep->gpu->spread;
}

void gpu_part_describe(struct key_value_list *environment, const struct gpu_part *part)
{
	char count[24];

	if (!part)
		return;
	snprintf(count, sizeof(count), "%zu", part->gpus);
	key_value_set(environment, GPUS_GROUP_KEY, part->group);
	key_value_set(environment, GPUS_MODE_KEY, part->spread ? GPUS_SPREAD : "split");
	key_value_set(environment, GPUS_COUNT_KEY, count);
	/* also true of a run that is interrupted, which says nothing at its end */
	if (!part->spread && part->interference == INTERFERENCE_NEVER)
		key_value_set(environment, GPUS_INTERFERENCE_KEY, GPUS_INTERFERENCE_NEVER);
}

/* ---- sessions ---- */

int gpu_part_check_device(const struct sweep *sweep, const struct session_info *info,
			  struct error *err)
{
	const char *uuid = sweep->gpu ? sweep->gpu->uuid : NULL;

	if (!uuid || strcmp(uuid, info->device.uuid) == 0)
		return 0;
	return error_set(err, PL_EDEVICE,
			 "device %d is %s now, and was %s: a GPU was taken away or added",
			 sweep->settings->device, info->device.uuid, uuid);
}

/* ---- cases ---- */

/* Where a case comes in the first round of this process. */
struct claim_place {
	size_t index;
	size_t distance; /* from this slot to the one whose variant it is */
	size_t turn;     /* of its variant among all; those of others come in reverse */
	size_t shuffled; /* its place before */
};

static int compare_claim_order(const void *left, const void *right)
{
	const struct claim_place *a = left, *b = right;

	if (a->distance != b->distance)
		return a->distance < b->distance ? -1 : 1;
	if (a->turn != b->turn)
		return (a->turn < b->turn) == (a->distance == 0) ? -1 : 1;
	return a->shuffled < b->shuffled ? -1 : 1;
}

/* Numbers the variants of a plan, in which the cases of each are neighbours. */
static size_t *number_variants(const struct plan *plan)
{
	size_t *numbers = xcalloc(plan->count + 1, sizeof(*numbers));

	for (size_t i = 1; i < plan->count; i++)
		numbers[i] =
			numbers[i - 1] + !plan_same_variant(&plan->cases[i - 1], &plan->cases[i]);
	return numbers;
}

/* Draws the turn of each variant. From the seed alone: the cases that are left differ between the
 * processes, and where the turns did, too, two processes would meet in several variants. */
static size_t *draw_turns(uint64_t seed, size_t variants)
{
	size_t *turns = xcalloc(variants, sizeof(*turns));

	for (size_t i = 0; i < variants; i++) {
		const size_t other = (size_t)(random_next(&seed) % (i + 1));

		turns[i] = turns[other];
		turns[other] = i;
	}
	return turns;
}

void gpu_part_order(const struct sweep *sweep, size_t *order, size_t count)
{
	const size_t gpus = sweep->gpu ? sweep->gpu->gpus : 0;
	struct claim_place *places;
	size_t *variants, *turns;

	if (!gpu_part_splits(sweep) || !count)
		return;
	places = xcalloc(count, sizeof(*places));
	variants = number_variants(sweep->plan);
	turns = draw_turns(sweep->settings->seed, variants[sweep->plan->count - 1] + 1);
	for (size_t i = 0; i < count; i++) {
		const size_t variant = variants[order[i]];

		places[i] = (struct claim_place){
			.index = order[i],
			.distance = (variant + gpus - (size_t)sweep->gpu->slot % gpus) % gpus,
			.turn = turns[variant],
			.shuffled = i,
		};
	}
	qsort(places, count, sizeof(*places), compare_claim_order);
	for (size_t i = 0; i < count; i++)
		order[i] = places[i].index;
	free(turns);
	free(variants);
	free(places);
}

void gpu_part_case_ended(struct sweep *sweep, size_t index)
{
	struct gpu_part *part = sweep->gpu;
	size_t *left;

	/* alone, it is measured again */
	if (!gpu_part_splits(sweep) || part->alone)
		return;
	if (part->defers) {
		part->deferred = xgrow(part->deferred, &part->deferred_capacity,
				       part->deferred_count + 1, sizeof(*part->deferred));
		part->deferred[part->deferred_count++] = index;
		return;
	}
	left = &part->left[part->share->cases[index].unit];
	if (*left && !--*left)
		gpu_share_set_done(part->share, part->slot, index, true);
}

void gpu_part_defer(struct sweep *sweep)
{
	if (sweep->gpu)
		sweep->gpu->defers = true;
}

void gpu_part_committed(struct sweep *sweep, bool stored)
{
	struct gpu_part *part = sweep->gpu;

	if (!part)
		return;
	part->defers = false;
	for (size_t i = 0; i < part->deferred_count && stored; i++)
		gpu_part_case_ended(sweep, part->deferred[i]);
	part->deferred_count = 0;
}

void gpu_part_round(struct sweep *sweep, size_t index, const struct round_result *round)
{
	struct gpu_part *part = sweep->gpu;

	for (size_t i = 0; part && i < part->sentinel_count; i++) {
		struct gpu_sentinel *own = &part->sentinels[i];
		double *medians = part->alone ? own->alone : own->busy;
		size_t *count = part->alone ? &own->alone_count : &own->busy_count;

		if (own->index == index && round->count && *count < GPU_SENTINEL_ROUNDS)
			medians[(*count)++] = summarise(round->time_ns, round->count).median_ns;
	}
}

void gpu_part_progress(const struct sweep *sweep)
{
	struct gpu_slot *slot;

	if (!sweep->gpu)
		return;
	slot = &sweep->gpu->share->slots[sweep->gpu->slot];
	if (!atomic_load(&slot->first_total))
		atomic_store(&slot->first_total, (long long)sweep->steps_total);
	atomic_store(&slot->total, (long long)sweep->steps_total);
	atomic_store(&slot->done, (long long)sweep->steps_done);
}

/* ---- the end ---- */

/* With `all` also those that nobody has claimed. */
static int drop_others(const struct sweep *sweep, struct sweep_store *store, bool all,
		       struct error *err)
{
	const struct gpu_part *part = sweep->gpu;
	int64_t *ids = xcalloc(store->trial_count + 1, sizeof(*ids));
	size_t count = 0;
	int rc;

	for (size_t i = 0; i < store->trial_count; i++) {
		const int owner = gpu_share_owner(part->share, i);

		if (owner != part->slot && (owner >= 0 || all))
			ids[count++] = store->trial_ids[i];
	}
	rc = db_trials_drop(store->db, ids, count, err);
	free(ids);
	return rc;
}

int gpu_part_end(struct sweep *sweep, struct sweep_store *store, int rc, struct error *err)
{
	const size_t lost = lost_device_case(sweep);
	struct gpu_part *part = sweep->gpu;

	if (!part)
		return rc;
	if (!rc && !part->spread && store->begun)
		rc = drop_others(sweep, store, true, err);
	/* the parent does the rest, unless it was killed */
	if (rc == PL_EINTERRUPTED && !part->spread && store->begun)
		drop_others(sweep, store, false, NULL);
	/* lost_device_store() says why the device is lost */
	if (rc && rc != PL_EINTERRUPTED && !sweep->device_lost && store->begun && err)
		db_environment_set(store->db, store->run_id, GPUS_FAILED_KEY, err->text, NULL);
	/* the device failed, and not this case: other GPUs may measure it */
	if (lost != NO_CASE && !part->spread)
		gpu_share_set_done(part->share, part->slot, lost, false);
	free(part->left);
	part->left = NULL;
	free(part->deferred);
	part->deferred = NULL;
	return rc;
}
