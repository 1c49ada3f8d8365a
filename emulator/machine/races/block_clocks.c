#include "emulator/machine/races/block_clocks.h"

#include <string.h>

/* The warps that the clocks of a block may count. */
static unsigned counted_warps(const struct block *block)
{
	return cluster_count(block) * BLOCK_WARPS_MOST;
}

void clocks_begin(struct block *block)
{
	if (!block->clocks)
		block->clocks = xcalloc(1, sizeof(*block->clocks));
	for (unsigned i = 0; i < BLOCK_WARPS_MOST; i++)
		memset(block->clocks->warps[i].known, 0, counted_warps(block) * sizeof(uint32_t));
	memset(block->clocks->fenced.known, 0, counted_warps(block) * sizeof(uint32_t));
}

void clocks_learn(const struct block *block, struct warp_clocks *to, const struct warp_clocks *from)
{
	const unsigned count = counted_warps(block);

	for (unsigned i = 0; i < count; i++)
		if (to->known[i] < from->known[i])
			to->known[i] = from->known[i];
}

void clocks_release(struct warp *warp, struct warp_clocks *into)
{
	struct warp_clocks *own = &warp->block->clocks->warps[warp->index];

	own->known[cluster_warp(warp)]++;
	clocks_learn(warp->block, into, own);
}

void clocks_acquire(struct warp *warp, const struct warp_clocks *from)
{
	clocks_learn(warp->block, &warp->block->clocks->warps[warp->index], from);
	/* The phase may hold the order between lanes of this warp, too. */
	warp->sync_epoch++;
}

void clocks_release_own(struct warp *warp, struct warp_clocks *into)
{
	const unsigned number = cluster_warp(warp);

	into->known[number] = ++warp->block->clocks->warps[warp->index].known[number];
}

void clocks_fence(struct warp *warp)
{
	clocks_learn(warp->block, &warp->block->clocks->fenced,
		     &warp->block->clocks->warps[warp->index]);
}

/* ---- barriers ---- */

void clocks_of_block(const struct block *block, struct warp_clocks *into)
{
	for (unsigned i = 0; i < block->warp_count; i++)
		clocks_learn(block, into, &block->clocks->warps[i]);
}

static void release_all(struct block *block, struct warp_clocks *into)
{
	for (unsigned i = 0; i < block->warp_count; i++)
		clocks_release(&block->warps[i], into);
}

static void acquire_all(struct block *block, const struct warp_clocks *from)
{
	for (unsigned i = 0; i < block->warp_count; i++)
		clocks_acquire(&block->warps[i], from);
}

void clocks_join_block(struct block *block)
{
	struct warp_clocks all = {0};

	release_all(block, &all);
	acquire_all(block, &all);
}

void clocks_join_cluster(struct cluster *cluster)
{
	struct warp_clocks all = {0};

	for (unsigned i = 0; i < cluster->count; i++)
		release_all(cluster->blocks[i], &all);
	for (unsigned i = 0; i < cluster->count; i++)
		acquire_all(cluster->blocks[i], &all);
}
