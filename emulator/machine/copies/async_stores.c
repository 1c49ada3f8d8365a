#include "emulator/machine/copies/async_stores.h"

#include "emulator/machine/barriers/mbarrier.h"
#include "emulator/machine/clusters/cluster.h"
#include "emulator/machine/memory/access.h"

#include <string.h>

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
		if (mbarrier_store_arrives(warp, at, lane, object, access_bytes(at)) != STEP_NEXT)
			return STEP_STOPPED;
	}
	return STEP_NEXT;
}
