#include "emulator/machine/block.h"

#include "emulator/machine/barriers/mbarrier.h"
#include "emulator/machine/call_frame.h"
#include "emulator/machine/control.h"
#include "emulator/machine/control_flow.h"
#include "emulator/machine/copies/async_copies.h"
#include "emulator/machine/copies/bulk_pending.h"
#include "emulator/machine/memory/device_memory.h"
#include "emulator/machine/races/block_clocks.h"
#include "emulator/machine/races/global_order.h"
#include "emulator/machine/races/races_shared.h"
#include "emulator/machine/undefined/undefined.h"
#include "emulator/machine/warp_splits.h"
#include "emulator/machine/warp_sync.h"
#include "emulator/machine/warpgroups/warpgroup.h"

#include <stdlib.h>
#include <string.h>

/* Vectorised loads of lanes may read this many bytes past the end. */
#define SHARED_SLACK_BYTES 16

int block_prepare(struct block *block, struct launch *launch, struct error *err)
{
	const int64_t *shape = launch->what.block;
	unsigned threads = (unsigned)(shape[0] * shape[1] * shape[2]);
	size_t functions = launch->program->function_count;
	size_t local_bytes = (size_t)launch->local_bytes * LANES;
	const int64_t local = (int64_t)((threads + LANES - 1) / LANES * local_bytes);

	*block = (struct block){.launch = launch, .warp_count = (threads + LANES - 1) / LANES};
	if (device_memory_take(launch->memory, &block->taken_bytes,
			       launch->follower
				       ? UNDEFINED_MEMORY_COST * (launch->shared_bytes + local)
				       : launch->shared_bytes + 2 * local,
			       "the shared and local memory of a block", err))
		return PL_ENOMEM;
	block->shared = calloc(1, (size_t)launch->shared_bytes + SHARED_SLACK_BYTES);
	block->warps = aligned_alloc(64, block->warp_count * sizeof(*block->warps));
	if (!block->shared || !block->warps ||
	    (launch->follower &&
	     !undefined_memory_create(&block->undefined, (uint64_t)launch->shared_bytes, true)))
		goto no_memory;
	memset(block->warps, 0, block->warp_count * sizeof(*block->warps));
	if (launch->global)
		block->order = block_order_create(block->warp_count);
	for (unsigned i = 0; i < block->warp_count; i++) {
		struct warp *warp = &block->warps[i];
		unsigned lanes = threads - i * LANES < LANES ? threads - i * LANES : LANES;

		warp->block = block;
		warp->index = i;
		warp->present = lanes == LANES ? ALL_LANES : (UINT32_C(1) << lanes) - 1;
		warp->local_bytes = launch->local_bytes;
		warp->spare = xcalloc(functions, sizeof(struct frame *));
		if (local_bytes) {
			warp->local = calloc(1, local_bytes);
			if (!launch->follower)
				warp->local_unwritten = calloc(1, local_bytes);
			if (!warp->local ||
			    (launch->follower ? !undefined_memory_create(&warp->local_undefined,
									 local_bytes, true)
					      : !warp->local_unwritten))
				goto no_memory;
		}
	}
	return 0;
no_memory:
	return error_set(err, PL_ENOMEM, "no memory for a block of %u threads", threads);
}

void block_release(struct block *block)
{
	for (unsigned i = 0; block->warps && i < block->warp_count; i++) {
		frames_release(&block->warps[i]);
		copies_free(block->warps[i].copies);
		undefined_memory_free(&block->warps[i].local_undefined);
		warpgroup_warp_free(&block->warps[i]);
		free(block->warps[i].local);
		free(block->warps[i].local_unwritten);
	}
	warpgroups_free(block);
	block_order_free(block->order);
	mbarriers_free(block);
	bulk_free(block);
	free(block->clocks);
	free(block->arrivals);
	shared_locks_free(block->locks);
	free(block->warps);
	free(block->shared);
	undefined_memory_free(&block->undefined);
	if (block->taken_bytes)
		block->launch->memory->used_bytes -= block->taken_bytes;
	*block = (struct block){0};
}

static bool warp_begin(struct warp *warp)
{
	struct frame *frame;

	warp->exited = 0;
	warp->waiting_count = warp->parked_count = 0;
	warp->backward_branches = 0;
	warp->blocked = warp->favoured = false;
	warp->merge_pc = UINT32_MAX;
	warp->sync_epoch = 0;
	warp->proxy_fences = 0;
	memset(warp->arrived, 0, sizeof(warp->arrived));
	copies_begin(warp);
	warp->cluster_arrived = warp->cluster_owing = 0;
	frame = frame_enter(warp);
	if (!frame)
		return false;
	warp->frame = frame;
	warp->file = frame->file;
	warp->pc = 0;
	warp_set_active(warp, warp->present);
	return true;
}

/* What the system reserves is defined. */
static void begin_shared(struct block *block)
{
	const struct launch *launch = block->launch;
	const uint64_t bytes = (uint64_t)launch->shared_bytes, reserved = launch->reserved_bytes;

	memset(block->shared, 0, reserved);
	memset(block->shared + reserved, (unsigned char)poison_word(launch, 64), bytes - reserved);
	undefined_memory_begin(&block->undefined, reserved, bytes - reserved);
	if (block->undefined.bits)
		memset(block->undefined.bits, 0, reserved);
}

int block_begin(struct block *block, int64_t number, struct error *err)
{
	const int64_t *grid = block->launch->what.grid;

	block->number = number;
	block->index[0] = number % grid[0];
	block->index[1] = number / grid[0] % grid[1];
	block->index[2] = number / grid[0] / grid[1];
	block->epoch = block->partial_barriers = block->fence_epoch = 0;
	block->ended_count = 0;
	memset(block->barriers, 0, sizeof(block->barriers));
	begin_shared(block);
	mbarriers_begin(block);
	if (block->clocks || block->cluster)
		clocks_begin(block);
	if (block->arrivals)
		memset(block->arrivals, 0, BLOCK_BARRIERS * sizeof(*block->arrivals));
	shared_locks_begin(block);
	bulk_begin(block);
	if (block->shadow)
		shared_races_begin(block->shadow);
	warpgroups_begin(block);
	if (block->order)
		block_order_begin(block);
	for (unsigned i = 0; i < block->warp_count; i++)
		if (!warp_begin(&block->warps[i]))
			return error_set(err, PL_ENOMEM, "no memory for the registers of a block");
	return 0;
}

/* The instruction that a warp would run next. */
static const struct instruction *next_instruction(struct warp *warp)
{
	return &warp->frame->function->code[warp->pc];
}

/* What else can be the reason if a warp does not end. */
static const char *hint_at_later_blocks(const struct warp *warp)
{
	const struct block *block = warp->block;
	const struct emulated_launch *what = &block->launch->what;
	const struct program_function *function = warp->frame->function;
	bool spins = false; /* a loop may wait for other threads */

	for (size_t i = 0; i < function->code_count; i++)
		spins |= function->code[i].operation == OP_BRA &&
			 function->code[i].kind == BRANCH_MAY_SPIN;
	return spins && !what->cooperative &&
			       block->number + 1 < what->grid[0] * what->grid[1] * what->grid[2]
		       ? "; a loop may wait for another block, but the emulator runs one "
			 "block after another, so no block can wait for a later one: add "
			 "cooperative to the launch, and all blocks run at once"
		       : "";
}

/* A lane that does not end, or -1. */
static int waiting_lane(const struct warp *warp)
{
	return warp->active ? __builtin_ctz(warp->active) : -1;
}

/* Reports the first warp of a block that repeats itself. */
static void report_stalled(struct block *block, uint64_t rounds)
{
	unsigned index = 0;
	struct warp *warp;

	while (index + 1 < block->warp_count && block->warps[index].blocked)
		index++;
	warp = &block->warps[index];
	warp_finding(warp, next_instruction(warp), waiting_lane(warp), FINDING_DEADLOCK,
		     "the threads of the block that have not ended loop for ever: after %llu "
		     "rounds, every register and all memory are as they were before, and no other "
		     "thread runs that could change them%s",
		     (unsigned long long)rounds, hint_at_later_blocks(warp));
}

/* Runs a warp for at most `most` instructions. Parked splits that wait for each other continue. */
static enum turn run_warp_turn(struct warp *warp, int64_t most, int64_t *used)
{
	*used = 0;
	for (;;) {
		int64_t executed;
		enum turn turn = warp_run(warp, most, &executed);
		enum step step;

		*used += executed;
		warp->block->launch->executed += (uint64_t)executed;
		if (turn != TURN_BLOCKED)
			return turn;
		step = warp_parked_meet(warp);
		if (step != STEP_CHANGED)
			return step == STEP_STOPPED ? TURN_STOPPED : TURN_BLOCKED;
		most = warp->turn_left;
	}
}

/* Gives a warp its turn. Returns false when a finding or the instruction limit ends the launch. */
static bool run_turn(struct warp *warp)
{
	struct launch *launch = warp->block->launch;
	uint64_t left = launch->instructions_left;
	int64_t used = 0, most = left < WARP_QUANTUM ? (int64_t)left : WARP_QUANTUM;
	enum turn turn = run_warp_turn(warp, most, &used);

	launch->instructions_left = (uint64_t)used < left ? left - (uint64_t)used : 0;
	warp->blocked = turn == TURN_BLOCKED || turn == TURN_ENDED;
	if (turn == TURN_OVER && !launch->instructions_left) {
		warp_finding(warp, next_instruction(warp), waiting_lane(warp), FINDING_ENDLESS,
			     "the launch executed %llu warp instructions and has not ended%s",
			     (unsigned long long)launch->what.max_instructions,
			     hint_at_later_blocks(warp));
		return false;
	}
	return turn != TURN_STOPPED;
}

enum block_state block_take_turns(struct block *block)
{
	const struct launch *launch = block->launch;
	bool ran = false;

	block->spins = true;
	for (unsigned i = 0; i < block->warp_count; i++) {
		struct warp *warp = &block->warps[i];

		if (warp->blocked)
			continue;
		if (launch->what.stop && *launch->what.stop)
			return BLOCK_INTERRUPTED;
		if (launch->what.end_ns && monotonic_ns() > launch->what.end_ns) {
			warp_finding(warp, next_instruction(warp), waiting_lane(warp), FINDING_LATE,
				     "the launch has not ended, and the thread is here%s",
				     hint_at_later_blocks(warp));
			return BLOCK_STOPPED;
		}
		ran = true;
		if (!run_turn(warp))
			return BLOCK_STOPPED;
		block->spins &= !warp->blocked && 2 * warp->turn_charged > warp->turn_size;
	}
	if (block->ended_count == block->warp_count)
		return BLOCK_ENDED;
	/* Another block of the cluster may arrive at the mbarrier. */
	if (ran && block->spins && !block->cluster && mbarriers_idle(block))
		return BLOCK_STOPPED;
	if (ran)
		return BLOCK_CONTINUES;
	if (block->cluster && cluster_barrier_holds(block))
		return BLOCK_WAITS;
	barriers_deadlock(block);
	return BLOCK_STOPPED;
}

int block_run(struct block *block, int64_t number, struct error *err)
{
	enum block_state state = BLOCK_CONTINUES;
	struct stall_watch watch = {0};
	int rc = block_begin(block, number, err);

	while (!rc && state == BLOCK_CONTINUES) {
		state = block_take_turns(block);
		if (state == BLOCK_CONTINUES && stall_watch_round(&watch, block)) {
			report_stalled(block, watch.rounds);
			state = BLOCK_STOPPED;
		}
	}
	if (!rc && state == BLOCK_INTERRUPTED)
		rc = error_set(err, PL_EINTERRUPTED, "stopped");
	return rc;
}
