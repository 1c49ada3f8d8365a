/* Distributed shared memory. See cluster_shared.h. */
#include "emulator/machine/cluster_shared.h"

#include "emulator/machine/block_clocks.h"

#include <string.h>

/* ---- mapa, getctarank, isspacep ---- */

/* Sets *window to the address in the window shared::cluster. Returns false if a generic address is
 * outside of it. */
static bool window_address(const struct instruction *at, uint64_t address, uint32_t *window)
{
	if (at->space == PTX_SPACE_GENERIC)
		address -= SHARED_WINDOW;
	*window = (uint32_t)address;
	return address < WINDOW_BYTES;
}

static enum step address_result(struct warp *warp, const struct instruction *at, int lane,
				uint64_t address, uint64_t *result)
{
	const uint64_t base = at->space == PTX_SPACE_GENERIC ? SHARED_WINDOW : 0;
	uint32_t window, rank = 0;
	bool inside = window_address(at, address, &window);

	if (at->kind == CLUSTER_IS_OWN) {
		*result = inside && cluster_rank(warp->block, window) == warp->block->rank
				  ? UINT32_MAX
				  : 0;
		return STEP_NEXT;
	}
	if (!inside)
		return warp_finding(warp, at, lane, FINDING_OUT_OF_BOUNDS,
				    "the address 0x%llx is not in shared memory",
				    (unsigned long long)address);
	if (at->kind == CLUSTER_RANK) {
		*result = cluster_rank(warp->block, window);
		return STEP_NEXT;
	}
	memcpy(&rank, (unsigned char *)row_of(warp, at->b) + (size_t)lane * 4, 4);
	*result = base + cluster_address(rank, window);
	return STEP_NEXT;
}

enum step run_cluster_address(struct warp *warp, const struct instruction *at)
{
	const size_t from = at->width, to = at->kind == CLUSTER_MAP ? at->width : 4;

	for (uint32_t rest = warp->active; rest; rest &= rest - 1) {
		const int lane = __builtin_ctz(rest);
		uint64_t address = 0, result = 0;

		memcpy(&address, (unsigned char *)row_of(warp, at->a) + (size_t)lane * from, from);
		if (address_result(warp, at, lane, address, &result) != STEP_NEXT)
			return STEP_STOPPED;
		memcpy((unsigned char *)row_of(warp, at->dst) + (size_t)lane * to, &result, to);
	}
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

	part->mask = 0;
	part->block = cluster_block(warp->block, rank);
	for (uint32_t rest = *left; rest; rest &= rest - 1) {
		const int lane = __builtin_ctz(rest);

		part->offset[lane] = address[lane] & CLUSTER_OFFSET_MASK;
		if (cluster_rank(warp->block, address[lane]) == rank)
			part->mask |= UINT32_C(1) << lane;
	}
	*left &= ~part->mask;
	if (part->block != warp->block)
		cluster_check_presence(warp, at, first, part->block);
}

void cluster_count_request(struct warp *warp, const struct instruction *at, uint32_t mask,
			   const uint32_t address[LANES])
{
	struct instruction_count *count = count_at(warp, at);
	bool own = false, others = false;

	for (uint32_t rest = mask; rest; rest &= rest - 1) {
		bool here = cluster_rank(warp->block, address[__builtin_ctz(rest)]) ==
			    warp->block->rank;

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
