#include "emulator/machine/block_clocks.h"

static void learn(struct warp_clocks *to, const struct warp_clocks *from)
{
	for (unsigned i = 0; i < BLOCK_WARPS_MOST; i++)
		if (to->known[i] < from->known[i])
			to->known[i] = from->known[i];
}

void clocks_release(struct warp *warp, struct warp_clocks *into)
{
	struct warp_clocks *own = &warp->block->clocks->warps[warp->index];

	own->known[warp->index]++;
	learn(into, own);
}

void clocks_acquire(struct warp *warp, const struct warp_clocks *from)
{
	learn(&warp->block->clocks->warps[warp->index], from);
	/* The phase may hold the order between lanes of this warp, too. */
	warp->sync_epoch++;
}

void clocks_release_own(struct warp *warp, struct warp_clocks *into)
{
	uint32_t *clock = &warp->block->clocks->warps[warp->index].known[warp->index];

	into->known[warp->index] = ++*clock;
}

void clocks_fence(struct warp *warp)
{
	learn(&warp->block->clocks->fenced, &warp->block->clocks->warps[warp->index]);
}
