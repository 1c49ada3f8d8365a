#include "emulator/machine/copies/bulk_pending.h"

#include "emulator/machine/races/shared_cells.h"

#include <stdlib.h>
#include <string.h>

#define BLOCK_THREADS_MOST 1024

struct bulk_state {
	struct bulk_pending *items; /* in the order of their issue */
	size_t count, capacity;
	size_t readers;                         /* items that read shared memory */
	uint32_t committed[BLOCK_THREADS_MOST]; /* by thread: number of committed groups */
};

static struct bulk_state *state_of_bulk(struct block *block)
{
	if (!block->bulk)
		block->bulk = xcalloc(1, sizeof(*block->bulk));
	return block->bulk;
}

void bulk_begin(struct block *block)
{
	struct bulk_state *state = block->bulk;

	if (!state)
		return;
	state->count = state->readers = 0;
	memset(state->committed, 0, sizeof(state->committed));
}

void bulk_free(struct block *block)
{
	if (block->bulk)
		free(block->bulk->items);
	free(block->bulk);
}

/* ---- completion ---- */

/*
 * The access of the copy, which counts as one of its thread, is over. After a read, later writes
 * must be ordered after the wait of the copy's thread. After a write, no fence is needed before the
 * async proxy reads what it wrote: it is never the write that a later fence would have to cover.
 */
static void complete_access(struct block *block, const struct bulk_pending *access)
{
	struct shared_races *shadow = block->shadow;
	const size_t end = (access->range.offset + access->range.bytes) / shadow->grain;
	struct warp *warp = warp_of_thread(block, access->thread);
	struct shadow_access by = {
		.warp = warp,
		.block = block,
		.thread = access->thread,
		.clocked = block->cluster != NULL,
		.epoch = warp->block->epoch + 1,
		.sync = warp->sync_epoch,
		.clock = access->clock,
		.place = access->place,
		.writes = access->writes,
	};

	/* A thread waits for its group itself; an mbarrier orders what was before its signal. */
	if (!access->signalled)
		by.clock = block_clock(warp);
	for (size_t index = access->range.offset / shadow->grain; index < end; index++) {
		struct cell *cell = &shadow->cells[index];

		shadow_open_row(shadow, index / ROW_CELLS, by.epoch);
		if (!access->writes && by.clocked) {
			remember_clocked_reader(shadow, index, &by);
		} else if (!access->writes) {
			note_read(shadow, index, by.clock,
				  remember_reader(cell, by.epoch, by.thread, by.sync, by.place));
		} else {
			cell->copy_place = 0;
			/* As after a store: earlier writes do not count for those that know of
			 * them. */
			if (by.clocked)
				cell->write_epoch = 0;
			remember_write_at(shadow, index, &by);
			cell->write_fences--;
			unsettle(shadow, index);
		}
	}
}

/* Which accesses of copies are over. */
struct completion {
	const struct block *signalled;
	uint32_t mbarrier, number;
	int thread; /* of a group; -1: any */
	bool up_to; /* those with a lower number; else all */
};

static void complete_copies(struct block *block, const struct completion *of)
{
	struct bulk_state *state = block->bulk;
	size_t kept = 0;

	for (size_t i = 0; state && i < state->count; i++) {
		const struct bulk_pending *access = &state->items[i];

		if (access->signalled != of->signalled || access->mbarrier != of->mbarrier ||
		    (of->thread >= 0 && access->thread != (unsigned)of->thread) ||
		    (of->up_to && access->number >= of->number)) {
			state->items[kept++] = *access;
			continue;
		}
		state->readers -= !access->writes;
		complete_access(block, access);
	}
	if (state)
		state->count = kept;
}

/* A copy within a cluster reads memory of one block, and signals an mbarrier of another. */
static void complete_in_cluster(struct block *block, const struct completion *of)
{
	for (unsigned rank = 0; rank < cluster_count(block); rank++)
		complete_copies(cluster_block(block, rank), of);
}

void bulk_phases_waited(struct block *block, uint32_t mbarrier, uint32_t phase)
{
	complete_in_cluster(block, &(struct completion){block, mbarrier, phase, -1, true});
}

void bulk_mbarrier_changed(struct block *block, uint32_t mbarrier)
{
	complete_in_cluster(block, &(struct completion){block, mbarrier, 0, -1, false});
}

/* ---- pending accesses ---- */

void bulk_pending_add(struct block *block, const struct bulk_pending *access)
{
	struct bulk_state *state;
	struct bulk_pending *to;

	if (!block->shadow || !access->range.bytes)
		return;
	state = state_of_bulk(block);
	if (state->count == BULK_PENDING_MOST) {
		state->readers -= !state->items[0].writes;
		complete_access(block, &state->items[0]);
		memmove(state->items, state->items + 1, --state->count * sizeof(*state->items));
	}
	state->items =
		xgrow(state->items, &state->capacity, state->count + 1, sizeof(*state->items));
	to = &state->items[state->count++];
	*to = *access;
	if (!to->signalled)
		to->number = state->committed[to->thread % BLOCK_THREADS_MOST];
	state->readers += !to->writes;
}

bool bulk_reads(const struct block *block, const struct bulk_range *range, uint32_t *first,
		uint16_t *thread, uint32_t *place)
{
	const struct bulk_state *state = block->bulk;

	for (size_t i = 0; state && state->readers && i < state->count; i++) {
		const struct bulk_range *reads = &state->items[i].range;

		if (state->items[i].writes || range->offset >= reads->offset + reads->bytes ||
		    reads->offset >= range->offset + range->bytes)
			continue;
		*first = range->offset > reads->offset ? range->offset : reads->offset;
		*thread = state->items[i].thread;
		*place = state->items[i].place;
		return true;
	}
	return false;
}

/* ---- groups ---- */

enum step run_bulk_commit(struct warp *warp, const struct instruction *at)
{
	struct bulk_state *state = state_of_bulk(warp->block);

	(void)at;
	EACH_BIT(lane, warp->active)
		state->committed[warp->index * LANES + lane]++;
	return STEP_NEXT;
}

enum step run_bulk_wait(struct warp *warp, const struct instruction *at)
{
	struct bulk_state *state = state_of_bulk(warp->block);

	EACH_BIT(lane, warp->active) {
		int64_t complete =
			(int64_t)state->committed[warp->index * LANES + lane] - at->offset;

		if (complete > 0)
			complete_copies(
				warp->block,
				&(struct completion){.number = (uint32_t)complete,
						     .thread = (int)(first_thread(warp) + lane),
						     .up_to = true});
	}
	return STEP_NEXT;
}
