#include "emulator/machine/barriers/mbarrier.h"

#include "emulator/machine/clusters/cluster.h"

#include <string.h>

unsigned long long mbarrier_own_offset(const struct warp *warp, uint64_t offset)
{
	return (offset - warp->block->launch->reserved_bytes) & UINT32_MAX;
}

static enum step check_mbarrier_place(struct warp *warp, const struct instruction *at, int lane,
				      uint64_t offset)
{
	const uint64_t end = (uint64_t)warp->block->launch->shared_bytes;

	if (offset % MBARRIER_BYTES)
		return warp_finding(warp, at, lane, FINDING_MISALIGNED,
				    "an mbarrier at byte %llu of shared memory, which is not a "
				    "multiple of %d; align it to %d bytes",
				    mbarrier_own_offset(warp, offset), MBARRIER_BYTES,
				    MBARRIER_BYTES);
	if (end < MBARRIER_BYTES || offset > end - MBARRIER_BYTES)
		return warp_finding(
			warp, at, lane, FINDING_OUT_OF_BOUNDS,
			"an mbarrier at byte %llu, outside of the block's %llu bytes of "
			"shared memory",
			mbarrier_own_offset(warp, offset), mbarrier_own_offset(warp, end));
	return STEP_NEXT;
}

enum step mbarrier_place_of_address(struct warp *warp, const struct instruction *at, int lane,
				    uint64_t address, struct mbarrier_place *out)
{
	uint64_t offset = address;

	*out = (struct mbarrier_place){.block = warp->block};
	if (address <= UINT32_MAX && address >> CLUSTER_RANK_SHIFT >= CLUSTER_TAG) {
		out->block = cluster_find_block(warp->block, (uint32_t)address, &out->offset);
		offset = out->offset;
	}
	if (!out->block)
		return warp_finding(warp, at, lane, FINDING_OUT_OF_BOUNDS,
				    "an mbarrier of a block that is not in the cluster, which has "
				    "%u",
				    cluster_count(warp->block));
	if (check_mbarrier_place(warp, at, lane, offset) != STEP_NEXT)
		return STEP_STOPPED;
	out->offset = (uint32_t)offset;
	if (out->block != warp->block)
		cluster_check_presence(warp, at, lane, out->block);
	return STEP_NEXT;
}

/* Whether the instruction can operate on an mbarrier of another block. */
static bool may_signal_others(const struct instruction *at)
{
	switch (at->kind & MBARRIER_KINDS) {
	case MBARRIER_EXPECT:
	case MBARRIER_COMPLETE:
	case MBARRIER_ARRIVE:
	case MBARRIER_ARRIVE_EXPECT:
		return !at->dst && (at->of_cluster || at->space == PTX_SPACE_GENERIC);
	default:
		return false;
	}
}

enum step mbarrier_place_of_lane(struct warp *warp, const struct instruction *at, int lane,
				 struct mbarrier_place *out)
{
	const uint64_t address =
		lane_value(warp, at->a, at->narrow_address ? 4 : 8, lane) + (uint64_t)at->offset;
	const uint64_t window =
		at->space == PTX_SPACE_GENERIC ? address - SHARED_WINDOW : (uint32_t)address;

	if (window >= WINDOW_BYTES)
		return warp_finding(warp, at, lane, FINDING_OUT_OF_BOUNDS,
				    "an mbarrier at address 0x%llx, which is not in shared memory",
				    (unsigned long long)address);
	if (mbarrier_place_of_address(warp, at, lane, window, out) != STEP_NEXT)
		return STEP_STOPPED;
	if (out->block != warp->block && !may_signal_others(at))
		return warp_finding(
			warp, at, lane, FINDING_MBARRIER,
			"an operation on an mbarrier of another block of the cluster, where only "
			"arrivals without a result, expect_tx and complete_tx are possible, at "
			"addresses that are generic or of shared::cluster");
	return STEP_NEXT;
}
