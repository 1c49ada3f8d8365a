/* What the processes of a sweep on several GPUs share, and the part of one process in it. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/random.h"
#include "harness/sweep/gpus/gpus.h"

#define UNIT_FREE 0
/* A claimed unit has the number of the slot from 1, a done one its negative. */
#define UNIT_CLAIMED(slot) ((slot) + 1)
#define UNIT_DONE(slot) (-((slot) + 1))
#define TURN_POLL_MS 2

/* ---- what is shared ---- */

int gpu_share_new(struct gpu_share **out, const struct plan *plan, struct error *err)
{
	const size_t bytes = sizeof(struct gpu_share) + (plan->count + 1) * sizeof(struct gpu_case);
	struct gpu_share *share = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
				       MAP_SHARED | MAP_ANONYMOUS, -1, 0); /* all zeroes */

	if (share == MAP_FAILED)
		return error_set(err, PL_ENOMEM, "memory that the GPUs' processes share: %s",
				 strerror(errno));
	share->bytes = bytes;
	share->count = plan->count;
	for (size_t i = 0; i < plan->count; i++)
		share->cases[i].unit = plan_base(plan, &plan->cases[i]) ? plan->cases[i].base : i;
	*out = share;
	return 0;
}

void gpu_share_free(struct gpu_share *share)
{
	if (share)
		munmap(share, share->bytes);
}

static atomic_int *unit_state(struct gpu_share *share, size_t index)
{
	return &share->cases[share->cases[index].unit].state;
}

bool gpu_share_claim(struct gpu_share *share, int slot, size_t index)
{
	int seen = UNIT_FREE;

	return atomic_compare_exchange_strong(unit_state(share, index), &seen,
					      UNIT_CLAIMED(slot)) ||
	       seen == UNIT_CLAIMED(slot) || seen == UNIT_DONE(slot);
}

int gpu_share_owner(const struct gpu_share *share, size_t index)
{
	const int state = atomic_load(&share->cases[share->cases[index].unit].state);

	return (state < 0 ? -state : state) - 1;
}

void gpu_share_set_done(struct gpu_share *share, int slot, size_t index, bool done)
{
	int seen = done ? UNIT_CLAIMED(slot) : UNIT_DONE(slot);

	atomic_compare_exchange_strong(unit_state(share, index), &seen,
				       done ? UNIT_DONE(slot) : UNIT_CLAIMED(slot));
}

size_t gpu_share_give_back(struct gpu_share *share, int slot)
{
	size_t freed = 0;

	for (size_t i = 0; i < share->count; i++)
		freed += atomic_load(unit_state(share, i)) == UNIT_CLAIMED(slot);
	for (size_t i = 0; i < share->count; i++) {
		int seen = UNIT_CLAIMED(slot);

		atomic_compare_exchange_strong(unit_state(share, i), &seen, UNIT_FREE);
	}
	return freed;
}

size_t gpu_share_free_cases(const struct gpu_share *share)
{
	size_t count = 0;

	for (size_t i = 0; i < share->count; i++)
		count += gpu_share_owner(share, i) < 0;
	return count;
}

bool gpu_share_await_turn(struct gpu_share *share, int slot)
{
	for (;;) {
		int turn = atomic_load(&share->turn);

		if (share->stop)
			return false;
		if (turn >= slot)
			return true;
		if (atomic_load(&share->slots[turn].ended))
			atomic_compare_exchange_strong(&share->turn, &turn, turn + 1);
		else
			poll(NULL, 0, TURN_POLL_MS);
	}
}

void gpu_share_end_turn(struct gpu_share *share, int slot)
{
	int turn = slot;

	atomic_compare_exchange_strong(&share->turn, &turn, slot + 1);
}

/* ---- the session ---- */

/* Adds what a run of the sweep stores of it. */
static void describe_part(struct key_value_list *environment, const struct gpu_part *part)
{
	char count[24];

	snprintf(count, sizeof(count), "%zu", part->gpus);
	key_value_set(environment, GPUS_GROUP_KEY, part->group);
	key_value_set(environment, GPUS_MODE_KEY, part->spread ? GPUS_SPREAD : "split");
	key_value_set(environment, GPUS_COUNT_KEY, count);
	/* also true of a run that is interrupted, which says nothing at its end */
	if (!part->spread && part->interference == INTERFERENCE_NEVER)
		key_value_set(environment, GPUS_INTERFERENCE_KEY, GPUS_INTERFERENCE_NEVER);
}

static int device_opened(const struct sweep *sweep, struct session_info *info, pid_t worker,
			 struct error *err)
{
	const struct gpu_part *part = sweep->hooks.context;

	if (strcmp(part->uuid, info->device.uuid) != 0)
		return error_set(err, PL_EDEVICE,
				 "device %d is %s now, and was %s: a GPU was taken away or added",
				 sweep->settings->device, info->device.uuid, part->uuid);
	if (!sweep->info_known) {
		gpu_pin(&info->environment, worker);
		describe_part(&info->environment, part);
	}
	return 0;
}

/* ---- which cases ---- */

static void run_begun(struct sweep *sweep, int64_t run_id)
{
	struct gpu_part *part = sweep->hooks.context;

	atomic_store(&part->share->slots[part->slot].run_id, run_id);
	if (part->spread)
		return;
	part->left = xcalloc(sweep->plan->count + 1, sizeof(*part->left));
	for (size_t i = 0; i < sweep->plan->count; i++)
		part->left[part->share->cases[i].unit] += !sweep->cases[i].ended;
	/* of a unit without a case that can run one process keeps the reasons */
	for (size_t i = 0; i < sweep->plan->count; i++)
		if (!part->left[part->share->cases[i].unit] &&
		    gpu_share_claim(part->share, part->slot, i))
			gpu_share_set_done(part->share, part->slot, i, true);
}

static void leave_out(struct sweep *sweep, size_t index)
{
	struct case_state *state = &sweep->cases[index];

	if (state->ended)
		return;
	sweep->steps_total -= case_steps_left(sweep, index);
	state->ended = state->elsewhere = true;
}

static bool claim_case(struct sweep *sweep, size_t index)
{
	const struct gpu_part *part = sweep->hooks.context;
	const bool mine = gpu_share_claim(part->share, part->slot, index);

	if (!mine)
		leave_out(sweep, index);
	return mine;
}

static void reclaim_cases(struct sweep *sweep, bool all)
{
	const struct gpu_part *part = sweep->hooks.context;

	for (size_t i = 0; !part->spread && i < sweep->plan->count; i++) {
		struct case_state *state = &sweep->cases[i];
		const int owner = gpu_share_owner(part->share, i);

		if (owner != part->slot && (owner >= 0 || !all)) {
			leave_out(sweep, i);
		} else if (state->elsewhere) {
			state->ended = state->elsewhere = false;
			sweep->steps_total += case_steps_left(sweep, i);
		}
	}
}

static atomic_bool *refusal_flag(const struct sweep *sweep, size_t index, bool measuring)
{
	const struct gpu_part *part = sweep->hooks.context;
	struct gpu_case *refused = &part->share->cases[index];

	return measuring ? &refused->unmeasured : &refused->uncounted;
}

static void refuse_for_all(struct sweep *sweep, size_t index, bool measuring)
{
	atomic_store(refusal_flag(sweep, index, measuring), true);
}

static const char *why_refused(const struct sweep *sweep, size_t index, bool measuring)
{
	return atomic_load(refusal_flag(sweep, index, measuring))
		       ? "two GPUs of this sweep were lost with this case"
		       : NULL;
}

/* ---- the order of the first round ---- */

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

/*
 * Each process begins with the variants that are its own, one after the other, and goes on with
 * those of the others, from their end. So few variants are on two GPUs, each of which would load
 * their code, and patch it to count.
 */
static void order_claims(const struct sweep *sweep, size_t *order, size_t count)
{
	const struct gpu_part *part = sweep->hooks.context;
	const size_t gpus = part->gpus;
	struct claim_place *places;
	size_t *variants, *turns;

	if (!count)
		return;
	places = xcalloc(count, sizeof(*places));
	variants = number_variants(sweep->plan);
	turns = draw_turns(sweep->settings->seed, variants[sweep->plan->count - 1] + 1);
	for (size_t i = 0; i < count; i++) {
		const size_t variant = variants[order[i]];

		places[i] = (struct claim_place){
			.index = order[i],
			.distance = (variant + gpus - (size_t)part->slot % gpus) % gpus,
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

/* ---- what has ended ---- */

static void end_case(struct gpu_part *part, size_t index)
{
	size_t *left = &part->left[part->share->cases[index].unit];

	if (*left && !--*left)
		gpu_share_set_done(part->share, part->slot, index, true);
}

static void case_ended(struct sweep *sweep, size_t index)
{
	struct gpu_part *part = sweep->hooks.context;

	/* alone, it is measured again */
	if (part->alone)
		return;
	if (!sweep->together) {
		end_case(part, index);
		return;
	}
	part->deferred = xgrow(part->deferred, &part->deferred_capacity, part->deferred_count + 1,
			       sizeof(*part->deferred));
	part->deferred[part->deferred_count++] = index;
}

static void cases_committed(struct sweep *sweep, bool stored)
{
	struct gpu_part *part = sweep->hooks.context;

	for (size_t i = 0; i < part->deferred_count && stored; i++)
		end_case(part, part->deferred[i]);
	part->deferred_count = 0;
}

/* With `all` also those that nobody has claimed. */
static int drop_others(const struct sweep *sweep, struct sweep_store *store, bool all,
		       struct error *err)
{
	const struct gpu_part *part = sweep->hooks.context;
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

/* Deletes the trials of cases that others have, or stores why this process failed, and gives the
 * case in flight back if its device is lost. */
static int end_part(struct sweep *sweep, struct sweep_store *store, int rc, struct error *err)
{
	/* the case in flight when the device was lost */
	const size_t lost = sweep->device_lost ? sweep->suspect : NO_CASE;
	struct gpu_part *part = sweep->hooks.context;

	if (!rc && !part->spread)
		rc = gpu_sentinels_end(sweep, store, err);
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

struct sweep_hooks gpu_part_hooks(struct gpu_part *part)
{
	struct sweep_hooks hooks = {
		.context = part,
		.uuid = part->uuid,
		.opened = device_opened,
		.begun = run_begun,
		.prepare = gpu_sentinels_begin,
		.reclaim = reclaim_cases,
		.refusal = why_refused,
		.refuse = refuse_for_all,
		.end = end_part,
	};

	if (part->spread)
		return hooks;
	hooks.order = order_claims;
	hooks.take = claim_case;
	hooks.round = gpu_sentinels_round;
	hooks.ended = case_ended;
	hooks.committed = cases_committed;
	return hooks;
}
