#include "emulator/machine/warpgroups/warpgroup_state.h"

#include "emulator/machine/races/block_clocks.h"

#include <stdlib.h>
#include <string.h>

void warpgroups_begin(struct block *block)
{
	for (unsigned i = 0; i < block->warp_count; i++) {
		struct warp_products *products = block->warps[i].products;

		block->warps[i].pending_products = 0;
		if (products)
			*products = (struct warp_products){
				.ends = products->ends,
				.clocks = products->clocks,
				.end_capacity = products->end_capacity,
				.clock_capacity = products->clock_capacity,
			};
	}
	for (unsigned i = 0; block->groups && i < warpgroup_count(block); i++) {
		struct warpgroup *group = &block->groups[i];

		group->entry_count = group->first = 0;
		if (group->readers)
			memset(group->readers, 0,
			       warpgroup_unit_count(block) * sizeof(*group->readers));
	}
}

void warpgroups_free(struct block *block)
{
	for (unsigned i = 0; block->groups && i < warpgroup_count(block); i++) {
		free(block->groups[i].entries);
		free(block->groups[i].readers);
	}
	free(block->groups);
}

void warpgroup_warp_free(struct warp *warp)
{
	if (!warp->products)
		return;
	free(warp->products->ends);
	free(warp->products->clocks);
	free(warp->products);
}

bool warpgroup_reads(const struct block *block, uint32_t offset, unsigned *group, uint32_t *place)
{
	for (unsigned i = 0; block->groups && i < warpgroup_count(block); i++) {
		const struct unit_reader *reader = block->groups[i].readers;

		if (!reader)
			continue;
		reader += offset / GROUP_UNIT_BYTES;
		for (unsigned k = 0; reader->number && k < GROUP_WARPS; k++) {
			const struct warp *warp = &block->warps[i * GROUP_WARPS + k];

			if (!warp_alive(warp) ||
			    (warp->products && warp->products->complete >= reader->number))
				continue;
			*group = i;
			*place = reader->place;
			return true;
		}
	}
	return false;
}

void warpgroup_finish_wait(struct warp *warp)
{
	struct warp_products *products = warp->products;

	products->clocks = xgrow(products->clocks, &products->clock_capacity, products->awaited,
				 sizeof(*products->clocks));
	while (products->waited < products->awaited)
		products->clocks[products->waited++] = block_clock(warp);
	products->complete = products->ends[products->waited - 1];
	warp->pending_products = products->issued - products->complete;
}

/* The clock of a warp when it waited for the product of that number, plus 1, which it has. */
static uint32_t clock_of_wait(const struct warp_products *products, uint32_t number)
{
	uint32_t low = 0, high = products->waited - 1;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (products->ends[middle] < number)
			low = middle + 1;
		else
			high = middle;
	}
	return products->clocks[low];
}

static bool knows_a_wait(const struct warp *by, const struct warp *warps, uint32_t number)
{
	for (unsigned i = 0; i < GROUP_WARPS; i++) {
		const struct warp_products *products = warps[i].products;

		if (products && products->waited && products->complete >= number &&
		    block_clock_known(by, cluster_warp(&warps[i]), clock_of_wait(products, number)))
			return true;
	}
	return false;
}

uint32_t warpgroup_reads_over(struct block *block, uint32_t offset, const struct warp *by)
{
	uint32_t warps = 0;

	for (unsigned i = 0; block->groups && i < warpgroup_count(block); i++) {
		struct unit_reader *reader = block->groups[i].readers;

		if (!reader)
			continue;
		reader += offset / GROUP_UNIT_BYTES;
		if (!reader->number ||
		    !knows_a_wait(by, &block->warps[i * GROUP_WARPS], reader->number))
			continue;
		reader->number = 0;
		warps |= ((UINT32_C(1) << GROUP_WARPS) - 1) << i * GROUP_WARPS;
	}
	return warps;
}
