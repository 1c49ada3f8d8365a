#include "emulator/machine/clusters/cluster.h"

#include "emulator/machine/races/block_clocks.h"

#include <string.h>

/* ---- mapa, getctarank, isspacep ---- */

enum step run_cluster_address(struct warp *warp, const struct instruction *at)
{
	const uint64_t base = at->space == PTX_SPACE_GENERIC ? SHARED_WINDOW : 0;
	const uint32_t own = warp->block->rank;
	uint64_t result[LANES];

	EACH_BIT(lane, warp->active) {
		const uint64_t address = lane_value(warp, at->a, at->width, lane) - base;
		const uint32_t rank = cluster_rank(warp->block, (uint32_t)address);
		const uint32_t offset = (uint32_t)address & CLUSTER_OFFSET_MASK;
		const uint32_t to = (uint32_t)lane_value(warp, at->b, 4, lane);

		if (at->kind != CLUSTER_IS_OWN && address >= WINDOW_BYTES)
			return warp_finding(warp, at, (int)lane, FINDING_OUT_OF_BOUNDS,
					    "the address 0x%llx is not in shared memory",
					    (unsigned long long)(address + base));
		if (at->kind == CLUSTER_MAP) /* one of the own block is the one that it has there */
			result[lane] = base + (to == own ? offset : cluster_address(to, offset));
		else if (at->kind == CLUSTER_RANK)
			result[lane] = rank;
		else
			result[lane] = address < WINDOW_BYTES && rank == own ? UINT32_MAX : 0;
	}
	EACH_BIT(lane, warp->active)
		lane_set(warp, at->dst, at->kind == CLUSTER_MAP ? at->width : 4, lane,
			 result[lane]);
	return STEP_NEXT;
}

/* ---- accesses ---- */

bool cluster_may_leave(const struct instruction *at)
{
	return (at->operation == OP_LOAD || at->operation == OP_STORE ||
		at->operation == OP_ATOMIC) &&
	       (at->of_cluster || at->space == PTX_SPACE_GENERIC);
}

/* Whether the warp knows that threads of a block have run. */
static bool knows_begun(const struct warp *warp, const struct block *block)
{
	for (unsigned i = 0; i < block->warp_count; i++)
		if (block_clock_known(warp, cluster_warp(&block->warps[i]), 0))
			return true;
	return false;
}

void cluster_check_presence(struct warp *warp, const struct instruction *at, int lane,
			    const struct block *block)
{
	if (cluster_block_ended(block))
		warp_finding(warp, at, lane, FINDING_ABSENT_BLOCK,
			     "shared memory of block (%d,%d,%d) of the cluster is accessed after "
			     "the block has ended; keep the block alive with a barrier of the "
			     "cluster at its end",
			     (int)block->index[0], (int)block->index[1], (int)block->index[2]);
	else if (warp->block->shadow && !knows_begun(warp, block))
		warp_finding(warp, at, lane, FINDING_ABSENT_BLOCK,
			     "shared memory of block (%d,%d,%d) of the cluster is accessed before "
			     "it is sure that the block has begun; wait at a barrier of the "
			     "cluster first",
			     (int)block->index[0], (int)block->index[1], (int)block->index[2]);
}

void cluster_next_part(struct warp *warp, const struct instruction *at, uint32_t *left,
		       const uint32_t address[LANES], struct cluster_part *part)
{
	const int first = __builtin_ctz(*left);
	const uint32_t rank = cluster_rank(warp->block, address[first]);
	uint32_t same = 0;

	for (int lane = 0; lane < LANES; lane++) {
		part->offset[lane] = address[lane] & CLUSTER_OFFSET_MASK;
		same |= (uint32_t)(cluster_rank(warp->block, address[lane]) == rank) << lane;
	}
	part->block = cluster_block(warp->block, rank);
	part->mask = same & *left;
	*left &= ~same;
	if (part->block != warp->block)
		cluster_check_presence(warp, at, first, part->block);
}

void cluster_count_request(struct warp *warp, const struct instruction *at, uint32_t mask,
			   const uint32_t address[LANES])
{
	struct instruction_count *count = count_at(warp, at);
	bool own = false, others = false;

	EACH_BIT(lane, mask) {
		bool here = cluster_rank(warp->block, address[lane]) == warp->block->rank;

		own |= here;
		others |= !here;
	}
	count->remote_requests += others;
	if (own)
		return;
	if (at->space == PTX_SPACE_GENERIC)
		count->shared_requests--;
	else
		count->requests--;
}
