/* barrier.cluster. See cluster_barrier.h. */
#include "emulator/machine/barriers/cluster_barrier.h"

#include "emulator/machine/clusters/cluster.h"
#include "emulator/machine/races/block_clocks.h"
#include "emulator/machine/races/races_global.h"
#include "emulator/machine/warp_splits.h"
#include "emulator/machine/warp_sync.h"

void cluster_barrier_begin(struct warp *warp)
{
	warp->cluster_arrived = warp->cluster_owing = 0;
}

static bool has_arrivals(const struct block *block)
{
	for (unsigned i = 0; i < block->warp_count; i++)
		if (block->warps[i].cluster_arrived)
			return true;
	return false;
}

static bool all_have_arrived(const struct block *block)
{
	for (unsigned i = block->warp_count; i-- > 0;)
		if (warp_alive(&block->warps[i]) & ~block->warps[i].cluster_arrived)
			return false;
	return true;
}

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
	bool arrivals = false;

	for (unsigned i = 0; i < count; i++) {
		const struct block *member = cluster_block(block, i);

		if (!all_have_arrived(member))
			return;
		arrivals |= has_arrivals(member);
	}
	if (!arrivals)
		return;
	if (block->launch->global)
		global_races_cluster_barrier(block);
	if (block->cluster && block->shadow)
		clocks_join_cluster(block->cluster);
	for (unsigned i = 0; i < count; i++)
		release_waiting(cluster_block(block, i));
}

void cluster_barrier_after_end(struct block *block)
{
	open_if_complete(block);
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

static const struct split *waits_for_cluster(const struct warp *warp)
{
	for (unsigned i = 0; i < warp->waiting_count; i++)
		if (warp->waiting[i].state == SPLIT_AT_CLUSTER_BARRIER)
			return &warp->waiting[i];
	return NULL;
}

bool cluster_barrier_holds(const struct block *block)
{
	for (unsigned i = 0; i < block->warp_count; i++)
		if (waits_for_cluster(&block->warps[i]))
			return true;
	return false;
}

/* Threads that have not ended, and those of them that have arrived. */
static void count_threads(struct block *block, unsigned *alive, unsigned *arrived)
{
	*alive = *arrived = 0;
	for (unsigned i = 0; i < cluster_count(block); i++) {
		const struct block *member = cluster_block(block, i);

		for (unsigned k = 0; k < member->warp_count; k++) {
			const struct warp *warp = &member->warps[k];

			*alive += lanes_in(warp_alive(warp));
			*arrived += lanes_in(warp_alive(warp) & warp->cluster_arrived);
		}
	}
}

bool cluster_barrier_deadlock(struct block *block)
{
	for (unsigned i = 0; i < block->warp_count; i++) {
		struct warp *warp = &block->warps[i];
		const struct split *split = waits_for_cluster(warp);
		unsigned alive, arrived;

		if (!split)
			continue;
		count_threads(block, &alive, &arrived);
		warp->frame = split->frame;
		warp->file = split->frame->file;
		warp_finding(warp, &split->frame->function->code[split->pc - 1], -1,
			     FINDING_DEADLOCK,
			     "the barrier of the cluster is incomplete: %u of the %u threads that "
			     "have not ended have arrived, and none of the others can; let every "
			     "thread of the cluster reach it",
			     arrived, alive);
		return true;
	}
	return false;
}
