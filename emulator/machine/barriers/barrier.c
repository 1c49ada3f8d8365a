/*
 * Barriers of a block. As on the hardware, they count whole warps: a warp has
 * arrived when all of its living lanes have, and then counts as 32 threads,
 * however many lanes it has.
 */
#include "emulator/machine/clusters/cluster.h"
#include "emulator/machine/control.h"
#include "emulator/machine/races/block_clocks.h"
#include "emulator/machine/races/global_order.h"
#include "emulator/machine/races/global_rows.h"
#include "emulator/machine/warp_splits.h"
#include "emulator/machine/warp_sync.h"

#include <string.h>

/* Lets the threads of a block continue. */
static void release_waiting(struct block *block)
{
	for (unsigned i = 0; i < block->warp_count; i++) {
		struct warp *warp = &block->warps[i];

		warp->cluster_arrived = 0;
		for (unsigned k = 0; k < warp->waiting_count; k++) {
			struct split *split = &warp->waiting[k];

			if (split->state != SPLIT_AT_CLUSTER_BARRIER)
				continue;
			warp->cluster_owing &= ~split->mask;
			split->state = SPLIT_READY;
			warp->blocked = false;
		}
	}
	block->epoch++;
}

static void open_if_complete(struct block *block)
{
	const unsigned count = cluster_count(block);
	uint32_t arrived = 0;

	for (unsigned i = 0; i < count; i++) {
		const struct block *member = cluster_block(block, i);

		/* Starts at the last warp, which usually arrives last. */
		for (unsigned k = member->warp_count; k-- > 0;) {
			if (warp_alive(&member->warps[k]) & ~member->warps[k].cluster_arrived)
				return;
			arrived |= member->warps[k].cluster_arrived;
		}
	}
	if (!arrived)
		return;
	if (block->launch->global)
		order_cluster_barrier(&block->launch->global->order, block);
	if (block->cluster && block->shadow)
		clocks_join(block->cluster->blocks, count);
	for (unsigned i = 0; i < count; i++)
		release_waiting(cluster_block(block, i));
}

enum step run_cluster_arrive(struct warp *warp, const struct instruction *at)
{
	enum step step = at->sync_aligned ? warp_gather(warp, at, 0) : STEP_NEXT;
	uint32_t again;

	if (step != STEP_NEXT)
		return step;
	again = warp->active & warp->cluster_owing;
	if (again)
		return warp_finding(
			warp, at, __builtin_ctz(again), FINDING_CLUSTER_BARRIER,
			"a thread that has arrived at the barrier of the cluster arrives "
			"again; execute barrier.cluster.wait first");
	warp->cluster_arrived |= warp->active;
	warp->cluster_owing |= warp->active;
	open_if_complete(warp->block);
	return STEP_NEXT;
}

enum step run_cluster_wait(struct warp *warp, const struct instruction *at)
{
	enum step step = at->sync_aligned ? warp_gather(warp, at, 0) : STEP_NEXT;
	const uint32_t next = pc_of(warp, at) + 1;
	uint32_t early, passes;

	if (step != STEP_NEXT)
		return step;
	early = warp->active & ~warp->cluster_owing;
	if (early)
		return warp_finding(warp, at, __builtin_ctz(early), FINDING_CLUSTER_BARRIER,
				    "a thread waits at the barrier of the cluster, at which it has "
				    "not arrived; execute barrier.cluster.arrive first");
	passes = warp->active & ~warp->cluster_arrived;
	warp->cluster_owing &= ~passes;
	if (passes == warp->active)
		return STEP_NEXT;
	if (passes)
		warp_set_aside(warp, warp->frame, next, passes);
	warp_set_active(warp, warp->active & ~passes);
	warp_suspend(warp, next, SPLIT_AT_CLUSTER_BARRIER);
	return STEP_WAITING;
}

/* ---- deadlock ---- */

/* The first split of a warp that waits in that state. NULL: none does. */
static const struct split *waits_at(const struct warp *warp, enum split_state state)
{
	for (unsigned i = 0; i < warp->waiting_count; i++)
		if (warp->waiting[i].state == state)
			return &warp->waiting[i];
	return NULL;
}

bool cluster_barrier_holds(const struct block *block)
{
	for (unsigned i = 0; i < block->warp_count; i++)
		if (waits_at(&block->warps[i], SPLIT_AT_CLUSTER_BARRIER))
			return true;
	return false;
}

/* Reports that the barrier of the cluster, at which a warp of the block waits, never opens. */
static void cluster_barrier_deadlock(struct block *block)
{
	const struct split *split = NULL;
	unsigned index = 0, alive = 0, arrived = 0;
	struct warp *warp;

	while (index < block->warp_count && !split)
		split = waits_at(&block->warps[index++], SPLIT_AT_CLUSTER_BARRIER);
	if (!split)
		return;
	for (unsigned i = 0; i < cluster_count(block); i++) {
		const struct block *member = cluster_block(block, i);

		for (unsigned k = 0; k < member->warp_count; k++) {
			warp = &member->warps[k];
			alive += lanes_in(warp_alive(warp));
			arrived += lanes_in(warp_alive(warp) & warp->cluster_arrived);
		}
	}
	warp = &block->warps[index - 1];
	warp->frame = split->frame;
	warp->file = split->frame->file;
	warp_finding(warp, &split->frame->function->code[split->pc - 1], -1, FINDING_DEADLOCK,
		     "the barrier of the cluster is incomplete: %u of the %u threads that have "
		     "not ended have arrived, and none of the others can; let every thread of the "
		     "cluster reach it",
		     arrived, alive);
}

static unsigned arrivals(const struct warp *warp, unsigned number)
{
	uint32_t arrived = warp->arrived[number];

	if (!arrived)
		return 0;
	return warp_alive(warp) & ~arrived ? lanes_in(arrived) : LANES;
}

static bool is_complete(const struct block *block, unsigned number)
{
	uint32_t threads = block->barriers[number].threads, sum = 0;

	/* Starts at the last warp, which usually arrives last. */
	for (unsigned i = block->warp_count; i-- > 0;) {
		const struct warp *warp = &block->warps[i];

		if (!threads && warp_alive(warp) & ~warp->arrived[number])
			return false;
		sum += threads ? arrivals(warp, number) : 0;
	}
	return sum >= threads;
}

/* Writes the result of bar.red to the lanes that waited for it. */
static void give_result(const struct barrier *barrier, const struct split *split)
{
	const struct instruction *at = &split->frame->function->code[split->pc - 1];
	uint32_t value;

	if (at->operation != OP_BARRIER_REDUCE || !at->dst)
		return;
	if (at->kind == BARRIER_POPC)
		value = barrier->count;
	else
		value = (at->kind == BARRIER_AND ? barrier->all : barrier->any) ? ALL_LANES : 0;
	for (int lane = 0; lane < LANES; lane++)
		if (split->mask >> lane & 1)
			memcpy(split->frame->file + at->dst + 4 * lane, &value, 4);
}

/* A barrier with a count of threads orders only those: what a thread did before it arrived comes
 * before what a thread does that waited. waited: a bit for each warp. */
static void order_participants(struct block *block, unsigned number, uint32_t waited)
{
	struct warp_clocks known = {0};

	block->partial_barriers++;
	if (!block->clocks)
		clocks_begin(block);
	if (block->arrivals)
		known = block->arrivals[number];
	for (unsigned i = 0; i < block->warp_count; i++)
		if (waited >> i & 1)
			clocks_release(&block->warps[i], &known);
	for (unsigned i = 0; i < block->warp_count; i++)
		if (waited >> i & 1)
			clocks_acquire(&block->warps[i], &known);
}

static void open_barrier(struct block *block, unsigned number)
{
	const bool counts = block->barriers[number].threads;
	bool whole = true;
	uint32_t waited = 0;

	for (unsigned i = 0; i < block->warp_count; i++) {
		struct warp *warp = &block->warps[i];
		uint32_t lanes = 0;

		warp->arrived[number] = 0;
		for (unsigned k = 0; k < warp->waiting_count; k++) {
			struct split *split = &warp->waiting[k];

			if (split->state != SPLIT_AT_BARRIER || split->barrier != number)
				continue;
			give_result(&block->barriers[number], split);
			split->state = SPLIT_READY;
			warp->blocked = false;
			lanes |= split->mask;
		}
		whole &= !counts || lanes == warp->present;
		waited |= (uint32_t)(lanes != 0) << i;
	}
	block->barriers[number] = (struct barrier){0};
	if (block->order)
		block_order_barrier(block);
	if (!whole)
		order_participants(block, number, waited);
	else if (block->cluster && block->shadow)
		clocks_join(&block, 1);
	block->epoch += whole;
	if (block->arrivals)
		block->arrivals[number] = (struct warp_clocks){0};
}

/* The warp goes on, so what it does from now on is not ordered by the barrier. */
static void arrive_only(struct warp *warp, unsigned number)
{
	struct block *block = warp->block;

	if (!block->clocks)
		clocks_begin(block);
	if (!block->arrivals)
		block->arrivals = xcalloc(BLOCK_BARRIERS, sizeof(*block->arrivals));
	clocks_release(warp, &block->arrivals[number]);
	if (block->order)
		order_close_segment(warp);
}

void barriers_after_end(struct block *block)
{
	for (unsigned number = 0; number < BLOCK_BARRIERS; number++)
		if (block->barriers[number].used && is_complete(block, number))
			open_barrier(block, number);
	open_if_complete(block);
}

/* Reads an operand that must be equal in all active lanes. Returns false if it is not. */
static bool read_uniform(const struct warp *warp, uint32_t offset, uint32_t *value)
{
	const uint32_t *row = row_of(warp, offset);
	uint32_t differ = 0;

	*value = 0;
	if (!offset)
		return true;
	*value = row[__builtin_ctz(warp->active)];
	for (int lane = 0; lane < LANES; lane++)
		differ |= (row[lane] ^ *value) & (uint32_t)warp->lanes[lane];
	return !differ;
}

static enum step check_barrier_operands(struct warp *warp, const struct instruction *at,
					uint32_t *number, uint32_t *threads)
{
	const struct barrier *barrier;

	if (!read_uniform(warp, at->a, number) || !read_uniform(warp, at->b, threads))
		return warp_finding(
			warp, at, -1, FINDING_DIVERGENT_BARRIER,
			"lanes of one warp name different barriers or thread counts; all "
			"lanes must name the same");
	if (*number >= BLOCK_BARRIERS)
		return warp_finding(warp, at, -1, FINDING_UNSUPPORTED,
				    "barrier %u does not exist: a block has barriers 0 to %d",
				    *number, BLOCK_BARRIERS - 1);
	if (*threads % LANES)
		return warp_finding(warp, at, -1, FINDING_UNSUPPORTED,
				    "a barrier of %u threads, which is not a multiple of %d",
				    *threads, LANES);
	barrier = &warp->block->barriers[*number];
	if (barrier->used && barrier->threads != *threads)
		return warp_finding(
			warp, at, -1, FINDING_DIVERGENT_BARRIER,
			"barrier %u has a count of %u threads here, but %u where others wait; "
			"use the same count",
			*number, *threads, barrier->threads);
	return STEP_NEXT;
}

static void contribute(struct warp *warp, const struct instruction *at, struct barrier *barrier)
{
	uint32_t holds = at->c ? predicate_mask(row_of(warp, at->c)) & warp->active : 0;

	if (!barrier->used)
		*barrier = (struct barrier){.used = true, .all = true};
	barrier->count += lanes_in(holds);
	barrier->any |= holds != 0;
	barrier->all &= holds == warp->active || at->operation != OP_BARRIER_REDUCE;
}

enum step run_barrier(struct warp *warp, const struct instruction *at)
{
	struct barrier *barrier;
	uint32_t number = 0, threads = 0;
	enum step step = at->sync_aligned ? warp_gather(warp, at, 0) : STEP_NEXT;

	if (step == STEP_NEXT)
		step = check_barrier_operands(warp, at, &number, &threads);
	if (step != STEP_NEXT)
		return step;
	barrier = &warp->block->barriers[number];
	contribute(warp, at, barrier);
	barrier->threads = threads;
	if (barrier->first_at != at && !threads && warp->block->launch->what.notes)
		note_barrier_place(warp, at, number, barrier);
	warp->arrived[number] |= warp->active;
	if (at->operation == OP_BARRIER_ARRIVE) {
		arrive_only(warp, number);
		warp->pc = pc_of(warp, at) + 1;
	} else {
		warp_suspend(warp, pc_of(warp, at) + 1, SPLIT_AT_BARRIER)->barrier = number;
	}
	if (is_complete(warp->block, number))
		open_barrier(warp->block, number);
	return at->operation == OP_BARRIER_ARRIVE ? STEP_CHANGED : STEP_WAITING;
}

/* ---- deadlock ---- */

void barriers_deadlock(struct block *block)
{
	for (unsigned i = 0; i < block->warp_count; i++)
		if (warp_parked_forever(&block->warps[i]) == STEP_STOPPED)
			return;
	for (unsigned i = 0; i < block->warp_count; i++) {
		struct warp *warp = &block->warps[i];
		const struct split *split = waits_at(warp, SPLIT_AT_BARRIER);
		unsigned arrived = 0, waiting = 0;

		if (!split)
			continue;
		for (unsigned k = 0; k < block->warp_count; k++) {
			arrived += arrivals(&block->warps[k], split->barrier);
			waiting += waits_at(&block->warps[k], SPLIT_AT_BARRIER) != NULL;
		}
		warp->frame = split->frame;
		warp->file = split->frame->file;
		warp_finding(
			warp, &split->frame->function->code[split->pc - 1], -1, FINDING_DEADLOCK,
			"barrier %u is incomplete: %u threads have arrived, and %u of %u warps "
			"wait; let every thread that it counts reach it",
			split->barrier, arrived, waiting, block->warp_count);
		return;
	}
	cluster_barrier_deadlock(block);
}
