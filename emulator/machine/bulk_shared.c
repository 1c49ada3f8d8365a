#include "emulator/machine/bulk_shared.h"

#include "emulator/machine/access.h"
#include "emulator/machine/block_clocks.h"
#include "emulator/machine/bulk_global.h"
#include "emulator/machine/cluster_shared.h"
#include "emulator/machine/shadow_bulk.h"

static struct bulk_pending pending_of(const struct bulk_issue *issue, struct bulk_range range)
{
	return (struct bulk_pending){
		.range = range,
		.clock = block_clock(issue->warp),
		.thread = (uint16_t)(cluster_warp(issue->warp) * LANES + issue->lane),
	};
}

static enum step check_shared_range(const struct bulk_issue *issue, uint32_t address,
				    uint32_t bytes, unsigned align, const char *what)
{
	return access_check_range(issue->warp, issue->at,
				  &(struct access_range){.space = PTX_SPACE_SHARED,
							 .lane = (int)issue->lane,
							 .address = address,
							 .bytes = bytes,
							 .align = align,
							 .what = what});
}

/* ---- destinations ---- */

static enum step find_target(struct bulk_target *out, const struct bulk_issue *issue,
			     uint32_t address, uint32_t signal, uint32_t bytes, unsigned align)
{
	struct warp *warp = issue->warp;
	const int lane = (int)issue->lane;
	uint32_t offset;

	*out = (struct bulk_target){.block = cluster_find_block(warp->block, address, &offset),
				    .signal = signal};
	/* The address of a block that is not there is outside, too. */
	if (check_shared_range(issue, out->block ? offset : address, bytes, align,
			       issue->combine ? "bulk reduction of" : "bulk copy to") !=
		    STEP_NEXT ||
	    mbarrier_find_phase(warp, issue->at, lane, signal, &out->mbarrier, &out->phase) !=
		    STEP_NEXT)
		return STEP_STOPPED;
	out->range = (struct bulk_range){offset, bytes};
	if (out->block != warp->block && !issue->copy->of_cluster)
		return warp_finding(warp, issue->at, lane, FINDING_OUT_OF_BOUNDS,
				    "a bulk copy to shared::cta with an address of another block "
				    "of the cluster; use shared::cluster");
	if (cluster_count(warp->block) == 1 && issue->copy->from.space == PTX_SPACE_SHARED)
		return warp_finding(
			warp, issue->at, lane, FINDING_OUT_OF_BOUNDS,
			"a bulk copy from shared memory to shared memory in a cluster of "
			"one block, which a GPU refuses as an illegal instruction; copy "
			"with loads and stores");
	if (out->block != out->mbarrier.block)
		return warp_finding(warp, issue->at, lane, FINDING_MBARRIER,
				    "a bulk copy to the block with rank %u of the cluster signals "
				    "an mbarrier of rank %u; both must be in one block",
				    out->block->rank, out->mbarrier.block->rank);
	if (out->block != warp->block)
		cluster_check_presence(warp, issue->at, lane, out->block);
	return STEP_NEXT;
}

/* Finds the targets of a mask of ranks. */
static enum step find_multicast(struct bulk_targets *out, const struct bulk_issue *issue,
				uint32_t bytes, unsigned align)
{
	const uint32_t to = (uint32_t)bulk_address_in(issue, &issue->copy->to);
	const uint32_t signal = (uint32_t)bulk_address_in(issue, &issue->copy->mbarrier);
	uint64_t mask = bulk_value(issue, issue->copy->multicast, true) & UINT16_MAX;

	if (!mask || mask >> cluster_count(issue->warp->block))
		return warp_finding(issue->warp, issue->at, (int)issue->lane, FINDING_OUT_OF_BOUNDS,
				    "a multicast to the ranks of the mask 0x%x in a cluster of %u "
				    "blocks",
				    (unsigned)mask, cluster_count(issue->warp->block));
	for (; mask; mask &= mask - 1) {
		const uint32_t rank = (uint32_t)__builtin_ctzll(mask);

		if (find_target(&out->items[out->count++], issue, cluster_address(rank, to),
				cluster_address(rank, signal), bytes, align) != STEP_NEXT)
			return STEP_STOPPED;
	}
	return STEP_NEXT;
}

enum step bulk_find_targets(struct bulk_targets *out, const struct bulk_issue *issue,
			    uint32_t bytes, unsigned align)
{
	out->count = 0;
	if (issue->copy->multicast)
		return find_multicast(out, issue, bytes, align);
	out->count = 1;
	return find_target(&out->items[0], issue,
			   (uint32_t)bulk_address_in(issue, &issue->copy->to),
			   (uint32_t)bulk_address_in(issue, &issue->copy->mbarrier), bytes, align);
}

static enum step write_target(const struct bulk_issue *issue, const struct bulk_target *target,
			      const unsigned char *values)
{
	struct bulk_pending pending = pending_of(issue, target->range);

	pending.writes = true;
	pending.signalled = target->mbarrier.block;
	pending.mbarrier = target->mbarrier.offset;
	pending.number = target->phase;
	if (target->block->shadow)
		pending.place = shadow_bulk_write(&(struct shadow_bulk){issue->warp, target->block,
									issue->at, issue->lane,
									target->range},
						  issue->combine ? NULL : values);
	bulk_store(issue, target->block->shared + target->range.offset, values, target->range.bytes,
		   false);
	bulk_pending_add(target->block, &pending);
	return mbarrier_bytes_arrive(issue->warp, issue->at, (int)issue->lane, target->signal,
				     target->range.bytes);
}

enum step bulk_write_targets(const struct bulk_issue *issue, const struct bulk_targets *targets,
			     const unsigned char *values)
{
	for (unsigned i = 0; i < targets->count; i++)
		if (write_target(issue, &targets->items[i], values) != STEP_NEXT)
			return STEP_STOPPED;
	return STEP_NEXT;
}

/* ---- sources ---- */

enum step bulk_find_source(struct bulk_pending *out, const struct bulk_issue *issue, uint32_t bytes,
			   unsigned align)
{
	const uint32_t offset = (uint32_t)bulk_address_in(issue, &issue->copy->from);

	*out = pending_of(issue, (struct bulk_range){offset, bytes});
	if (check_shared_range(issue, offset, bytes, align, "bulk copy from") != STEP_NEXT)
		return STEP_STOPPED;
	if (issue->warp->block->shadow)
		out->place = shadow_bulk_read(&(struct shadow_bulk){
			issue->warp, issue->warp->block, issue->at, issue->lane, out->range});
	return STEP_NEXT;
}

void bulk_source_pending(const struct bulk_issue *issue, struct bulk_pending *source,
			 const struct bulk_target *target)
{
	if (target) {
		source->signalled = target->mbarrier.block;
		source->mbarrier = target->mbarrier.offset;
		source->number = target->phase;
	}
	bulk_pending_add(issue->warp->block, source);
}
