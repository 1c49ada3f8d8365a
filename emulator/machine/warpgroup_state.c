#include "emulator/machine/warpgroup_state.h"

#include <stdlib.h>
#include <string.h>

void warpgroups_begin(struct block *block)
{
	for (unsigned i = 0; i < block->warp_count; i++) {
		struct warp_products *products = block->warps[i].products;

		block->warps[i].pending_products = 0;
		if (products)
			*products = (struct warp_products){.ends = products->ends,
							   .end_capacity = products->end_capacity};
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
	if (warp->products)
		free(warp->products->ends);
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
