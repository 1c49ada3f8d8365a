#include "emulator/machine/clusters/cluster.h"

#include "emulator/machine/races/block_clocks.h"

#include <string.h>

/* ---- mapa, getctarank, isspacep ---- */

/* What the lanes of the instruction read, as addresses less those of the window shared::cluster. */
static void read_window_addresses(const struct warp *warp, const struct instruction *at,
				  uint64_t address[LANES])
{
	const unsigned char *row = row_of(warp, at->a);
	const uint64_t base = at->space == PTX_SPACE_GENERIC ? SHARED_WINDOW : 0;
	uint32_t narrow[LANES];

	if (at->width == 8) {
		memcpy(address, row, LANES * sizeof(*address));
	} else {
		memcpy(narrow, row, sizeof(narrow));
		for (int lane = 0; lane < LANES; lane++)
			address[lane] = narrow[lane];
	}
	for (int lane = 0; lane < LANES; lane++)
		address[lane] -= base;
}

/* Writes the results of the active lanes, of 4 or 8 bytes. */
static void write_results(struct warp *warp, uint32_t row, unsigned width,
			  const uint64_t result[LANES])
{
	uint64_t wide[LANES];
	uint32_t narrow[LANES];

	if (width == 8) {
		memcpy(wide, row_of(warp, row), sizeof(wide));
		for (int lane = 0; lane < LANES; lane++)
			wide[lane] = warp->lanes[lane] ? result[lane] : wide[lane];
		memcpy(row_of(warp, row), wide, sizeof(wide));
		return;
	}
	memcpy(narrow, row_of(warp, row), sizeof(narrow));
	for (int lane = 0; lane < LANES; lane++)
		narrow[lane] = warp->lanes[lane] ? (uint32_t)result[lane] : narrow[lane];
	memcpy(row_of(warp, row), narrow, sizeof(narrow));
}

/* Whether the addresses of all active lanes are in the window. */
static enum step require_window(struct warp *warp, const struct instruction *at,
				const uint64_t address[LANES])
{
	const uint64_t base = at->space == PTX_SPACE_GENERIC ? SHARED_WINDOW : 0;

	EACH_BIT(lane, warp->active) {
		if (address[lane] >= WINDOW_BYTES)
			return warp_finding(warp, at, lane, FINDING_OUT_OF_BOUNDS,
					    "the address 0x%llx is not in shared memory",
					    (unsigned long long)(address[lane] + base));
	}
	return STEP_NEXT;
}

static enum step run_map(struct warp *warp, const struct instruction *at)
{
	const uint64_t base = at->space == PTX_SPACE_GENERIC ? SHARED_WINDOW : 0;
	uint64_t address[LANES];
	uint32_t rank[LANES];

	read_window_addresses(warp, at, address);
	if (require_window(warp, at, address) != STEP_NEXT)
		return STEP_STOPPED;
	memcpy(rank, row_of(warp, at->b), sizeof(rank));
	for (int lane = 0; lane < LANES; lane++) {
		const uint32_t offset = (uint32_t)address[lane] & CLUSTER_OFFSET_MASK;

		/* an address of the own block is the one that it has there */
		address[lane] = base + (rank[lane] == warp->block->rank
						? offset
						: cluster_address(rank[lane], offset));
	}
	write_results(warp, at->dst, at->width, address);
	return STEP_NEXT;
}

static enum step run_rank(struct warp *warp, const struct instruction *at)
{
	uint64_t address[LANES];

	read_window_addresses(warp, at, address);
	if (require_window(warp, at, address) != STEP_NEXT)
		return STEP_STOPPED;
	for (int lane = 0; lane < LANES; lane++)
		address[lane] = cluster_rank(warp->block, (uint32_t)address[lane]);
	write_results(warp, at->dst, 4, address);
	return STEP_NEXT;
}

static enum step run_is_own(struct warp *warp, const struct instruction *at)
{
	const uint32_t own = warp->block->rank;
	uint64_t address[LANES];

	read_window_addresses(warp, at, address);
	for (int lane = 0; lane < LANES; lane++)
		address[lane] =
			address[lane] < WINDOW_BYTES &&
					cluster_rank(warp->block, (uint32_t)address[lane]) == own
				? UINT32_MAX
				: 0;
	write_results(warp, at->dst, 4, address);
	return STEP_NEXT;
}

enum step run_cluster_address(struct warp *warp, const struct instruction *at)
{
	switch (at->kind) {
	case CLUSTER_MAP:
		return run_map(warp, at);
	case CLUSTER_RANK:
		return run_rank(warp, at);
	default:
		return run_is_own(warp, at);
	}
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
