#include "emulator/machine/control.h"

#include "emulator/machine/barriers/mbarrier.h"
#include "emulator/machine/call_frame.h"
#include "emulator/machine/clusters/cluster.h"
#include "emulator/machine/control_flow.h"
#include "emulator/machine/copies/async_copies.h"
#include "emulator/machine/copies/bulk.h"
#include "emulator/machine/copies/bulk_pending.h"
#include "emulator/machine/memory/access.h"
#include "emulator/machine/races/block_clocks.h"
#include "emulator/machine/races/global_rows.h"
#include "emulator/machine/races/races_shared.h"
#include "emulator/machine/undefined/undefined.h"
#include "emulator/machine/warp_splits.h"
#include "emulator/machine/warp_sync.h"
#include "emulator/machine/warpgroups/warpgroup.h"

#include <string.h>

/* ---- branches ---- */

static enum step run_branch(struct warp *warp, const struct instruction *at)
{
	uint32_t taken = warp->active;

	if (at->guard) {
		taken = predicate_mask(row_of(warp, at->guard));
		taken = (at->guard_negated ? ~taken : taken) & warp->active;
		if (!taken)
			return STEP_NEXT;
		if (taken != warp->active) {
			count_at(warp, at)->divergent++;
			warp_diverge(warp, at->target, taken, pc_of(warp, at) + 1);
			if (at->kind == BRANCH_MAY_SPIN)
				warp_spins(warp);
			return STEP_CHANGED;
		}
	}
	warp->pc = at->target;
	if (at->kind == BRANCH_MAY_SPIN)
		warp_spins(warp);
	return STEP_CHANGED;
}

static enum step run_indexed_branch(struct warp *warp, const struct instruction *at)
{
	const uint32_t *index = row_of(warp, at->a);
	const uint32_t *targets = warp->frame->function->tables[at->target].targets;
	size_t count = warp->frame->function->tables[at->target].count;
	uint32_t left = warp->active;
	bool parted = false;

	while (left) {
		int lane = __builtin_ctz(left);
		uint32_t there = 0;

		if (index[lane] >= count)
			return warp_finding(
				warp, at, lane, FINDING_UNSUPPORTED,
				"index %u of a branch table of %zu targets, which is undefined",
				index[lane], count);
		EACH_BIT(other, left)
			if (index[other] < count && targets[index[other]] == targets[index[lane]])
				there |= UINT32_C(1) << other;
		if (there == warp->active) {
			warp->pc = targets[index[lane]];
			return STEP_CHANGED;
		}
		parted = true;
		warp_set_aside(warp, warp->frame, targets[index[lane]], there);
		left &= ~there;
	}
	count_at(warp, at)->divergent += parted;
	warp_set_active(warp, 0);
	return STEP_WAITING;
}

/* ---- exit, trap, no operation ---- */

static enum step run_exit(struct warp *warp, const struct instruction *at)
{
	const struct block *block = warp->block;
	uint32_t lanes = warp->active;
	enum step step;

	if (block->cluster && block->shadow && warp_alive(warp) == lanes &&
	    block->ended_count + 1 == block->warp_count)
		shared_races_end(warp, at);
	warp->exited |= lanes;
	warp_set_active(warp, 0);
	frame_leave_all(warp, warp->frame, lanes);
	step = warp->parked_count ? warp_lanes_ended(warp, lanes) : STEP_NEXT;
	if (step == STEP_STOPPED)
		return step;
	if (!warp_alive(warp)) {
		warp->block->ended_count++;
		warpgroup_warp_ended(warp);
	}
	barriers_after_end(warp->block);
	return STEP_WAITING;
}

static enum step run_trap(struct warp *warp, const struct instruction *at)
{
	const struct launch *launch = warp->block->launch;
	bool no_workspace = launch->asks_for_workspace && !launch->grid_workspace;

	return warp_finding(warp, at, __builtin_ctz(warp->active), FINDING_TRAP,
			    "the kernel executed a trap instruction%s",
			    no_workspace ? "; grid.sync() does so in a launch that is not "
					   "cooperative"
					 : "");
}

/* Clocks count the warp instructions of the launch. No two reads give the same value. */
static enum step run_clock(struct warp *warp, const struct instruction *at)
{
	struct launch *launch = warp->block->launch;
	int64_t used = warp->turn_size - warp->turn_left - warp->turn_charged;
	uint64_t now = launch->executed + (uint64_t)used;
	uint64_t value;

	launch->clock = now > launch->clock ? now : launch->clock + 1;
	value = at->kind == CLOCK_HIGH  ? launch->clock >> 32
		: at->kind == CLOCK_LOW ? launch->clock & UINT32_MAX
					: launch->clock;
	EACH_BIT(lane, warp->active)
		lane_set(warp, at->dst, at->width, lane, value);
	return STEP_NEXT;
}

/* The emulator executes in order what a fence orders. Only the checks need fences: that of shared
 * memory those of the async proxy, that of global memory those of threads. */
static enum step run_fence(struct warp *warp, const struct instruction *at)
{
	if (at->kind == FENCE_ASYNC_PROXY) {
		warp->proxy_fences++;
		warp->block->fence_epoch = warp->block->epoch + 1;
		if (warp->block->clocks)
			clocks_fence(warp);
		return STEP_NEXT;
	}
	if (!warp->active || at->kind == FENCE_NONE)
		return STEP_NEXT;
	if (warp->block->launch->global && at->kind != FENCE_ACQUIRE)
		order_fence(&warp->block->launch->global->order, warp, at->kind == FENCE_DEVICE);
	/* The fence of a release store is auxiliary. */
	if (warp->block->shadow && warp->block->launch->shared_locking == LOCKING_WITH_FENCES)
		shared_locks_fence(warp, at->kind != FENCE_ACQUIRE,
				   at->kind == FENCE_ACQUIRE || !at->auxiliary);
	return STEP_NEXT;
}

/* A register that may be read before it is written holds something. */
static enum step run_undefined(struct warp *warp, const struct instruction *at)
{
	const struct launch *launch = warp->block->launch;
	const uint64_t poison = poison_word(launch, at->dst);
	uint64_t value = at->width == 1 ? (poison & 2 ? UINT32_MAX : 0)
					: poison & UINT64_MAX >> (64 - at->width);

	EACH_BIT(lane, warp->active)
		lane_set(warp, at->dst, at->width == 64 ? 8 : 4, lane, value);
	*launch->may_be_undefined = true;
	return STEP_NEXT;
}

static enum step run_nothing(struct warp *warp, const struct instruction *at)
{
	(void)warp;
	(void)at;
	return STEP_NEXT;
}

/* ---- calls ---- */

static void copy_local(struct warp *warp, uint32_t lanes, uint32_t to, uint32_t from,
		       uint32_t bytes)
{
	EACH_BIT(lane, lanes) {
		unsigned char *local = warp->local + (size_t)lane * warp->local_bytes;

		memmove(local + to, local + from, bytes);
		if (warp->local_unwritten)
			memmove(warp->local_unwritten + (local - warp->local) + to,
				warp->local_unwritten + (local - warp->local) + from, bytes);
		undefined_memory_move(&warp->local_undefined, (uint64_t)(local - warp->local) + to,
				      (uint64_t)(local - warp->local) + from, bytes);
	}
}

static enum step enter_function(struct warp *warp, const struct instruction *at,
				const struct program_call *call, uint32_t function)
{
	uint32_t next = pc_of(warp, at) + 1;
	struct frame *caller = warp->frame, *frame = frame_call(warp, function, call, next);
	int64_t bytes;

	if (!frame)
		return warp_finding(
			warp, at, __builtin_ctz(warp->active), FINDING_STACK,
			"a call at depth %u does not fit into the %u bytes of local memory "
			"that a thread has here; limit the recursion",
			caller->depth + 1, warp->local_bytes);
	bytes = frame_recursion_bytes(frame);
	if (bytes > STACK_LIMIT_BYTES)
		return warp_finding(
			warp, at, __builtin_ctz(warp->active), FINDING_STACK,
			"a call at depth %u of functions that call themselves, which take %lld "
			"bytes of the stack or more; a GPU gives each thread %d "
			"(cudaLimitStackSize), and perflab does not change that: limit the "
			"recursion, or use a loop with an array",
			frame->depth, (long long)bytes, STACK_LIMIT_BYTES);
	for (size_t i = 0; i < call->argument_count; i++)
		copy_local(warp, warp->active, frame->local_base + call->arguments[i].to,
			   caller->local_base + call->arguments[i].from, call->arguments[i].bytes);
	warp_go(warp, frame, 0);
	return STEP_NEXT;
}

/* An indirect call is undefined if the frame of the function cannot hold these arguments. */
static bool accepts_call(const struct launch *launch, const struct program_call *call,
			 uint32_t function)
{
	const struct program_function *called = &launch->program->functions[function];

	if (!called->code_count || !called->source || called->source->entry)
		return false;
	for (size_t i = 0; i < call->argument_count; i++)
		if ((int64_t)call->arguments[i].to + call->arguments[i].bytes > called->local_bytes)
			return false;
	for (size_t i = 0; i < call->result_count; i++)
		if ((int64_t)call->results[i].from + call->results[i].bytes > called->local_bytes)
			return false;
	return true;
}

static enum step run_indirect_call(struct warp *warp, const struct instruction *at,
				   const struct program_call *call)
{
	const struct launch *launch = warp->block->launch;
	struct frame *caller = warp->frame;
	uint32_t left = warp->active, active = warp->active;
	enum step step;

	while (left) {
		const unsigned lane = (unsigned)__builtin_ctz(left);
		const uint64_t pointer = lane_value(warp, call->pointer, 8, lane);
		uint32_t there = 0;

		if (pointer == 0 || pointer > launch->program->function_count ||
		    !accepts_call(launch, call, (uint32_t)pointer - 1))
			return warp_finding(
				warp, at, lane, FINDING_UNSUPPORTED,
				"an indirect call of an address that is not a function with these "
				"arguments");
		EACH_BIT(other, left)
			if (lane_value(warp, call->pointer, 8, other) == pointer)
				there |= UINT32_C(1) << other;
		left &= ~there;
		warp_set_active(warp, there);
		step = enter_function(warp, at, call, (uint32_t)pointer - 1);
		if (step == STEP_STOPPED)
			return step;
		if (there == active)
			return STEP_CHANGED;
		warp_set_aside(warp, warp->frame, 0, there);
		warp_go(warp, caller, pc_of(warp, at));
	}
	warp_set_active(warp, 0);
	return STEP_WAITING;
}

static enum step run_call(struct warp *warp, const struct instruction *at)
{
	const struct program_call *call = &warp->frame->function->calls[at->target];
	enum step step;

	if (call->function == UINT32_MAX)
		return run_indirect_call(warp, at, call);
	step = enter_function(warp, at, call, call->function);
	return step == STEP_NEXT ? STEP_CHANGED : step;
}

static enum step run_return(struct warp *warp, const struct instruction *at)
{
	struct frame *frame = warp->frame, *caller = frame->caller;
	const struct program_call *call = frame->call;
	uint32_t lanes = warp->active;

	if (!caller)
		return run_exit(warp, at);
	for (size_t i = 0; i < call->result_count; i++)
		copy_local(warp, lanes, caller->local_base + call->results[i].to,
			   frame->local_base + call->results[i].from, call->results[i].bytes);
	warp_set_aside(warp, caller, frame->return_pc, lanes);
	frame_leave(warp, frame, lanes);
	warp_set_active(warp, 0);
	return STEP_WAITING;
}

instruction_handler *control_handler(const struct instruction *instruction)
{
	static instruction_handler *const handlers[] = {
		[OP_BRA] = run_branch,
		[OP_BRX] = run_indexed_branch,
		[OP_CALL] = run_call,
		[OP_RET] = run_return,
		[OP_EXIT] = run_exit,
		[OP_TRAP] = run_trap,
		[OP_BARRIER] = run_barrier,
		[OP_BARRIER_REDUCE] = run_barrier,
		[OP_BARRIER_ARRIVE] = run_barrier,
		[OP_CLUSTER_ARRIVE] = run_cluster_arrive,
		[OP_CLUSTER_WAIT] = run_cluster_wait,
		[OP_CLUSTER_ADDRESS] = run_cluster_address,
		[OP_FENCE] = run_fence,
		[OP_UNDEFINED] = run_undefined,
		[OP_NOTHING] = run_nothing,
		[OP_DISCARD] = run_discard,
		[OP_COPY] = run_copy,
		[OP_COPY_COMMIT] = run_copy_commit,
		[OP_COPY_WAIT] = run_copy_wait,
		[OP_BULK_COPY] = run_bulk_copy,
		[OP_BULK_COMMIT] = run_bulk_commit,
		[OP_BULK_WAIT] = run_bulk_wait,
		[OP_MAP_REPLACE] = run_map_replace,
		[OP_MAP_COPY] = run_map_copy,
		[OP_MAP_FENCE] = run_map_fence,
		[OP_GROUP_FENCE] = run_group_fence,
		[OP_GROUP_COMMIT] = run_group_commit,
		[OP_GROUP_WAIT] = run_group_wait,
		[OP_MBARRIER] = run_mbarrier,
		[OP_CLOCK] = run_clock,
		[OP_ALLOCA] = run_alloca,
		[OP_STACK_SAVE] = run_stack_save,
		[OP_STACK_RESTORE] = run_stack_restore,
		[OP_MALLOC] = run_heap_malloc,
		[OP_FREE] = run_heap_free,
		[OP_PRINT] = run_print,
		[OP_ASSERT_FAIL] = run_assertion,
	};

	return instruction->operation < ARRAY_SIZE(handlers) ? handlers[instruction->operation]
							     : NULL;
}
