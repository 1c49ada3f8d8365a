#include "emulator/machine/barriers/mbarrier.h"

#include "emulator/machine/block.h"
#include "emulator/machine/clusters/cluster.h"
#include "emulator/machine/copies/async_copies.h"
#include "emulator/machine/copies/bulk_pending.h"
#include "emulator/machine/memory/access.h"
#include "emulator/machine/races/block_clocks.h"
#include "emulator/machine/races/global_rows.h"
#include "emulator/machine/races/races_shared.h"

#include <stdlib.h>
#include <string.h>

/* Fields of an object's 8 bytes and of a state token: expected and pending arrivals in 20 bits
 * each, pending bytes in 21, the phase in 3. */
#define COUNT_BITS 20
#define COUNT_MASK ((UINT64_C(1) << COUNT_BITS) - 1)
#define BYTES_SHIFT (2 * COUNT_BITS)
#define BYTES_MASK ((UINT64_C(1) << 21) - 1)
#define PHASE_SHIFT 61
#define PHASE_MASK 7

struct mbarrier {
	struct block *block;
	uint32_t offset;            /* in its shared memory */
	uint32_t expected, pending; /* arrivals */
	int64_t bytes;              /* announced and not arrived; negative: the reverse */
	uint32_t phase;
	bool copies; /* copies of cp.async belong to this phase */
	/* What the arrivals of the present phase release, and those of the last one did. */
	struct warp_clocks arriving, completed;
	struct handed_order arriving_order, completed_order; /* the same, for global memory */
};

struct mbarriers {
	struct mbarrier *items;
	size_t count, capacity;
	uint64_t changes; /* operations other than tests */
	/* The last test that failed. NULL: none since the last call of mbarriers_idle(). */
	struct warp *warp;
	struct frame *frame;
	const struct instruction *at;
	uint32_t offset;
	uint64_t seen; /* block_changes() at that call */
	int idle;
};

void mbarriers_begin(struct block *block)
{
	struct mbarriers *all = block->mbarriers;

	if (!all)
		return;
	*all = (struct mbarriers){.items = all->items, .capacity = all->capacity};
}

void mbarriers_free(struct block *block)
{
	if (block->mbarriers)
		free(block->mbarriers->items);
	free(block->mbarriers);
}

/* ---- objects ---- */

static uint64_t state_of(const struct mbarrier *object)
{
	return object->expected | (uint64_t)object->pending << COUNT_BITS |
	       ((uint64_t)object->bytes & BYTES_MASK) << BYTES_SHIFT |
	       (uint64_t)(object->phase & PHASE_MASK) << PHASE_SHIFT;
}

static void write_state(const struct mbarrier *object)
{
	uint64_t state = state_of(object);

	memcpy(object->block->shared + object->offset, &state, sizeof(state));
}

static struct mbarrier *find_mbarrier(const struct block *block, uint64_t offset)
{
	const struct mbarriers *all = block->mbarriers;

	for (size_t i = 0; all && i < all->count; i++)
		if (all->items[i].offset == offset)
			return &all->items[i];
	return NULL;
}

/* Finds the valid object at a place. NULL, with a finding: there is none. */
static struct mbarrier *require_object(struct warp *warp, const struct instruction *at, int lane,
				       const struct mbarrier_place *place)
{
	const uint64_t offset = place->offset;
	struct mbarrier *object = find_mbarrier(place->block, offset);
	uint64_t there;

	if (!object) {
		warp_finding(warp, at, lane, FINDING_MBARRIER,
			     "no mbarrier is initialised at byte %llu of shared memory; execute "
			     "mbarrier.init first, and let the threads wait for it",
			     mbarrier_own_offset(warp, offset));
		return NULL;
	}
	memcpy(&there, place->block->shared + offset, sizeof(there));
	if (there != state_of(object)) {
		warp_finding(warp, at, lane, FINDING_MBARRIER,
			     "the mbarrier at byte %llu of shared memory was overwritten; use its "
			     "bytes for nothing else until mbarrier.inval",
			     mbarrier_own_offset(warp, offset));
		return NULL;
	}
	return object;
}

static enum step initialise(struct warp *warp, const struct instruction *at, int lane,
			    uint64_t offset, uint32_t count)
{
	struct block *block = warp->block;
	struct mbarriers *all = block->mbarriers;
	struct mbarrier *object;

	if (count < 1 || count > MBARRIER_COUNT_MOST)
		return warp_finding(warp, at, lane, FINDING_MBARRIER,
				    "an mbarrier is initialised with a count of %u; the count must "
				    "be 1 to %d",
				    count, MBARRIER_COUNT_MOST);
	if (!all) {
		block->mbarriers = all = xcalloc(1, sizeof(*all));
		if (!block->clocks)
			clocks_begin(block);
	}
	object = find_mbarrier(block, offset);
	if (!object) {
		all->items = xgrow(all->items, &all->capacity, all->count + 1, sizeof(*all->items));
		object = &all->items[all->count++];
	}
	bulk_mbarrier_changed(block, (uint32_t)offset);
	*object = (struct mbarrier){
		.block = block, .offset = (uint32_t)offset, .expected = count, .pending = count};
	write_state(object);
	return STEP_NEXT;
}

/* ---- phases ---- */

static void complete_phase_if_due(struct mbarrier *object)
{
	if (object->pending || object->bytes)
		return;
	object->phase++;
	object->pending = object->expected;
	object->completed = object->arriving;
	object->completed_order = object->arriving_order;
	if (object->copies)
		copies_complete(object->block, object->offset);
	object->copies = false;
}

static enum step announce_bytes(struct warp *warp, const struct instruction *at, int lane,
				struct mbarrier *object, int64_t bytes)
{
	int64_t sum = object->bytes + bytes;

	if (sum < -MBARRIER_COUNT_MOST || sum > MBARRIER_COUNT_MOST)
		return warp_finding(
			warp, at, lane, FINDING_MBARRIER,
			"the mbarrier at byte %llu of shared memory would wait for %lld bytes; a "
			"phase counts at most %d",
			mbarrier_own_offset(warp, object->offset), (long long)sum,
			MBARRIER_COUNT_MOST);
	object->bytes = sum;
	return STEP_NEXT;
}

/* Orders the accesses of the warp so far before what follows a wait for the phase. The check of
 * global memory takes it for a fence. */
static void release_phase(struct warp *warp, struct mbarrier *object)
{
	clocks_release(warp, &object->arriving);
	if (!warp->block->launch->global)
		return;
	order_fence(&warp->block->launch->global->order, warp, false);
	if (warp->block->cluster)
		order_hand(&warp->block->launch->global->order, warp, &object->arriving_order);
}

enum step mbarrier_find_phase(struct warp *warp, const struct instruction *at, int lane,
			      uint64_t address, struct mbarrier_place *place, uint32_t *phase)
{
	const struct mbarrier *object;

	if (mbarrier_place_of_address(warp, at, lane, address, place) != STEP_NEXT)
		return STEP_STOPPED;
	object = require_object(warp, at, lane, place);
	if (!object)
		return STEP_STOPPED;
	*phase = object->phase;
	return STEP_NEXT;
}

enum step mbarrier_bytes_arrive(struct warp *warp, const struct instruction *at, int lane,
				uint64_t address, uint32_t bytes, bool releases)
{
	struct mbarrier_place place;
	struct mbarrier *object;

	if (mbarrier_place_of_address(warp, at, lane, address, &place) != STEP_NEXT)
		return STEP_STOPPED;
	object = require_object(warp, at, lane, &place);
	if (!object || announce_bytes(warp, at, lane, object, -(int64_t)bytes) != STEP_NEXT)
		return STEP_STOPPED;
	if (releases)
		release_phase(warp, object);
	else
		clocks_release_own(warp, &object->arriving);
	place.block->mbarriers->changes++;
	complete_phase_if_due(object);
	write_state(object);
	return STEP_NEXT;
}

static enum step arrive(struct warp *warp, const struct instruction *at, int lane,
			struct mbarrier *object, uint32_t count)
{
	bool completes = object->pending == count && !object->bytes;

	if (count < 1 || count > MBARRIER_COUNT_MOST)
		return warp_finding(
			warp, at, lane, FINDING_MBARRIER,
			"an arrival with a count of %u at an mbarrier; the count must be "
			"1 to %d",
			count, MBARRIER_COUNT_MOST);
	if (count > object->pending)
		return warp_finding(
			warp, at, lane, FINDING_MBARRIER,
			"%u arrivals at the mbarrier at byte %llu of shared memory, whose phase %u "
			"expects only %u more of %u; initialise it with the number of arrivals",
			count, mbarrier_own_offset(warp, object->offset), object->phase,
			object->pending, object->expected);
	if (at->kind & MBARRIER_NO_COMPLETE && completes)
		return warp_finding(
			warp, at, lane, FINDING_MBARRIER,
			"an arrival with .noComplete completes phase %u of the mbarrier at "
			"byte %llu of shared memory, which PTX leaves undefined",
			object->phase, mbarrier_own_offset(warp, object->offset));
	if (at->strong)
		release_phase(warp, object);
	if (at->kind & MBARRIER_DROP)
		object->expected -= count;
	object->pending -= count;
	complete_phase_if_due(object);
	return STEP_NEXT;
}

/* ---- tests ---- */

/* Sets *holds to whether the phase that the operand names is complete. */
static enum step test_phase(struct warp *warp, const struct instruction *at, int lane,
			    struct mbarrier *object, uint64_t operand, bool *holds)
{
	uint32_t phase = (uint32_t)(operand >> PHASE_SHIFT);

	if (at->kind & MBARRIER_PARITY) {
		*holds = (object->phase & 1) != (operand & 1);
	} else {
		*holds = phase != (object->phase & PHASE_MASK);
		if (*holds && phase != ((object->phase - 1) & PHASE_MASK))
			return warp_finding(
				warp, at, lane, FINDING_MBARRIER,
				"a test of the mbarrier at byte %llu of shared memory with a state "
				"that is neither of its phase %u nor of the one before it",
				mbarrier_own_offset(warp, object->offset), object->phase);
	}
	if (*holds)
		bulk_phases_waited(object->block, object->offset, object->phase);
	if (*holds && at->strong) {
		clocks_acquire(warp, &object->completed);
		if (warp->block->launch->global && warp->block->cluster)
			order_hear(warp, &object->completed_order);
	}
	if (!*holds) {
		struct mbarriers *all = warp->block->mbarriers;

		all->warp = warp;
		all->frame = warp->frame;
		all->at = at;
		all->offset = object->offset;
	}
	return STEP_NEXT;
}

/* ---- the instruction ---- */

/* What a lane reads and writes. */
struct lane_operands {
	uint64_t operand; /* row b */
	uint64_t result;  /* row dst */
};

/* Operations are atomic, except mbarrier.init, which the threads must wait for. Whether they wait
 * for each other before mbarrier.inval is not checked: cuda::pipeline counts them with an atomic,
 * which the race check does not take as an order. A use after it is a finding in any case. */
static void check_race(struct warp *warp, const struct instruction *at, int lane,
		       const struct mbarrier_place *place)
{
	struct block *block = place->block;
	uint32_t offsets[LANES] = {0}, mask = UINT32_C(1) << lane;
	unsigned char values[LANES * MBARRIER_BYTES]; /* other ones than are there */

	if (!block->shadow)
		return;
	offsets[lane] = place->offset;
	if ((at->kind & MBARRIER_KINDS) != MBARRIER_INIT) {
		shared_races_atomic(warp, block, at, mask, offsets, MBARRIER_BYTES);
		return;
	}
	memset(values, 0xff, sizeof(values));
	shared_races_store(warp, block, at, mask, offsets, MBARRIER_BYTES, values);
}

static enum step operate(struct warp *warp, const struct instruction *at, int lane,
			 struct mbarrier *object, struct lane_operands *lanes)
{
	const uint32_t number = (uint32_t)lanes->operand;
	bool holds = false;
	enum step step = STEP_NEXT;

	lanes->result = state_of(object);
	switch (at->kind & MBARRIER_KINDS) {
	case MBARRIER_EXPECT:
		return announce_bytes(warp, at, lane, object, number);
	case MBARRIER_COMPLETE:
		step = announce_bytes(warp, at, lane, object, -(int64_t)number);
		if (step == STEP_NEXT)
			complete_phase_if_due(object);
		return step;
	case MBARRIER_ARRIVE:
		return arrive(warp, at, lane, object, at->b ? number : 1);
	case MBARRIER_ARRIVE_EXPECT:
		step = announce_bytes(warp, at, lane, object, number);
		return step == STEP_NEXT ? arrive(warp, at, lane, object, 1) : step;
	case MBARRIER_COPIES:
		object->copies = true;
		copies_signal(warp, lane, object->offset);
		if (at->kind & MBARRIER_NO_INCREMENT)
			return arrive(warp, at, lane, object, 1);
		/* The arrival that the copies add to the phase is made here as well. */
		release_phase(warp, object);
		return STEP_NEXT;
	default:
		step = test_phase(warp, at, lane, object, lanes->operand, &holds);
		lanes->result = holds ? UINT32_MAX : 0;
		return step;
	}
}

static enum step run_mbarrier_lane(struct warp *warp, const struct instruction *at, int lane,
				   struct lane_operands *lanes)
{
	const unsigned kind = at->kind & MBARRIER_KINDS;
	struct mbarrier_place place;
	struct mbarrier *object;

	if (kind == MBARRIER_PENDING) {
		lanes->result = lanes->operand >> COUNT_BITS & COUNT_MASK;
		return STEP_NEXT;
	}
	if (mbarrier_place_of_lane(warp, at, lane, &place) != STEP_NEXT)
		return STEP_STOPPED;
	if (kind == MBARRIER_INIT) {
		if (initialise(warp, at, lane, place.offset, (uint32_t)lanes->operand) != STEP_NEXT)
			return STEP_STOPPED;
		check_race(warp, at, lane, &place);
		return STEP_NEXT;
	}
	object = require_object(warp, at, lane, &place);
	if (!object)
		return STEP_STOPPED;
	check_race(warp, at, lane, &place);
	if (kind != MBARRIER_TEST)
		place.block->mbarriers->changes++;
	if (kind == MBARRIER_INVAL) {
		bulk_mbarrier_changed(place.block, place.offset);
		memset(place.block->shared + place.offset, 0, MBARRIER_BYTES);
		*object = place.block->mbarriers->items[--place.block->mbarriers->count];
		return STEP_NEXT;
	}
	if (operate(warp, at, lane, object, lanes) != STEP_NEXT)
		return STEP_STOPPED;
	write_state(object);
	return STEP_NEXT;
}

enum step run_mbarrier(struct warp *warp, const struct instruction *at)
{
	EACH_BIT(lane, warp->active) {
		struct lane_operands lanes = {.operand = lane_value(warp, at->b, at->width, lane)};

		if (run_mbarrier_lane(warp, at, lane, &lanes) != STEP_NEXT)
			return STEP_STOPPED;
		lane_set(warp, at->dst, at->type == TYPE_b64 ? 8 : 4, lane, lanes.result);
	}
	return STEP_NEXT;
}

/* ---- deadlock ---- */

/* If the sum stays the same, nothing has happened that a waiting thread could see. */
static uint64_t block_changes(const struct block *block)
{
	return block->epoch + block->partial_barriers + block->ended_count +
	       block->mbarriers->changes + executed_stores(block->launch, true);
}

bool mbarriers_idle(struct block *block)
{
	struct mbarriers *all = block->mbarriers;
	const struct mbarrier *object;
	uint64_t now;

	if (!all || !all->at)
		return false;
	now = block_changes(block);
	all->idle = now == all->seen ? all->idle + 1 : 0;
	all->seen = now;
	object = find_mbarrier(block, all->offset);
	if (all->idle < MBARRIER_IDLE_TURNS || !object) {
		all->at = NULL;
		return false;
	}
	all->warp->frame = all->frame;
	warp_finding(all->warp, all->at, -1, FINDING_DEADLOCK,
		     "phase %u of the mbarrier at byte %llu of shared memory never completes: "
		     "%u of %u arrivals and %lld bytes are missing, and every thread that could "
		     "provide them waits or has ended",
		     object->phase, mbarrier_own_offset(all->warp, object->offset), object->pending,
		     object->expected, (long long)object->bytes);
	return true;
}

/* ---- st.async, red.async ---- */

/* The address of a lane in the window shared::cluster. */
static uint64_t lane_address(const struct warp *warp, const struct instruction *at, uint32_t row,
			     int64_t offset, int lane)
{
	const uint64_t address = lane_value(warp, row, 8, lane) + (uint64_t)offset;

	return at->space == PTX_SPACE_GENERIC ? address - SHARED_WINDOW : (uint32_t)address;
}

enum step async_store_signal(struct warp *warp, const struct instruction *at)
{
	EACH_BIT(lane, warp->active) {
		const uint64_t to = lane_address(warp, at, at->a, at->offset, lane);
		const uint64_t object = lane_address(warp, at, at->d, at->from_offset, lane);

		if (to > UINT32_MAX)
			return warp_finding(warp, at, lane, FINDING_OUT_OF_BOUNDS,
					    "an asynchronous store to an address that is not in "
					    "shared memory");
		if (object <= UINT32_MAX && cluster_rank(warp->block, (uint32_t)to) !=
						    cluster_rank(warp->block, (uint32_t)object))
			return warp_finding(warp, at, lane, FINDING_MBARRIER,
					    "an asynchronous store to the block with rank %u of "
					    "the cluster signals an mbarrier of rank %u; both must "
					    "be in one block",
					    cluster_rank(warp->block, (uint32_t)to),
					    cluster_rank(warp->block, (uint32_t)object));
		if (mbarrier_bytes_arrive(warp, at, lane, object, access_bytes(at), true) !=
		    STEP_NEXT)
			return STEP_STOPPED;
	}
	return STEP_NEXT;
}
