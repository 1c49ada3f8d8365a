#include "emulator/machine/races/global_order.h"

#include "emulator/machine/races/block_clocks.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_SEGMENTS 1024
#define FIRST_SLOTS 64

void order_init(struct order *order, uint32_t first, uint32_t time, size_t most)
{
	*order = (struct order){
		.first = first, .next = first, .time = time, .first_time = time, .most = most};
}

void order_release(struct order *order)
{
	free(order->segments);
	free(order->locations);
}

int64_t order_bytes(const struct order *order)
{
	return (int64_t)(order->capacity * sizeof(*order->segments) +
			 order->location_slots * sizeof(*order->locations));
}

/* ---- blocks ---- */

struct block_order *block_order_create(unsigned warps)
{
	struct block_order *of = xcalloc(1, sizeof(*of));

	of->warps = xcalloc(warps, sizeof(*of->warps));
	return of;
}

void block_order_free(struct block_order *of)
{
	if (!of)
		return;
	free(of->warps);
	free(of->held);
	free(of);
}

void block_order_begin(struct block *block)
{
	struct block_order *of = block->order;

	memset(of->warps, 0, block->warp_count * sizeof(*of->warps));
	of->known = 0;
	of->fenced = false;
	of->held_count = 0;
	memset(of->heard, 0, sizeof(of->heard));
}

void block_order_barrier(struct block *block)
{
	struct block_order *of = block->order;

	for (unsigned i = 0; i < block->warp_count; i++)
		if (of->warps[i].known > of->known)
			of->known = of->warps[i].known;
}

/* ---- clusters ---- */

void order_cluster_barrier(const struct order *order, struct block *block)
{
	const unsigned count = cluster_count(block);
	uint32_t known = 0;

	for (unsigned i = 0; i < count; i++) {
		struct block *member = cluster_block(block, i);

		block_order_barrier(member);
		known = member->order->known > known ? member->order->known : known;
	}
	for (unsigned i = 0; i < count; i++) {
		struct block_order *of = cluster_block(block, i)->order;

		of->known = known;
		for (unsigned rank = 0; rank < count; rank++)
			of->heard[rank] = order->next;
	}
}

static void keep_larger(uint32_t *to, uint32_t from)
{
	*to = from > *to ? from : *to;
}

void order_hand(const struct order *order, struct warp *warp, struct handed_order *into)
{
	struct block_order *block = warp->block->order;
	struct warp_order *of = &block->warps[warp->index];

	/* What the warp does from now on is not handed over. */
	of->segment = 0;
	block->heard[warp->block->rank] = order->next;
	for (unsigned i = 0; i < CLUSTER_BLOCKS_MOST; i++)
		keep_larger(&into->heard[i], block->heard[i]);
	keep_larger(&into->known, block->known);
	keep_larger(&into->known, of->known);
}

void order_hear(struct warp *warp, const struct handed_order *from)
{
	struct block_order *block = warp->block->order;

	for (unsigned i = 0; i < CLUSTER_BLOCKS_MOST; i++)
		keep_larger(&block->heard[i], from->heard[i]);
	keep_larger(&block->known, from->known);
	keep_larger(&block->warps[warp->index].known, from->known);
}

/* ---- segments ---- */

uint32_t order_open_segment(struct order *order, struct warp *warp)
{
	struct block_order *block = warp->block->order;
	struct warp_order *of = &block->warps[warp->index];
	size_t count = order->next - order->first;

	if (count == order->most)
		return 0;
	if (count == order->capacity) {
		size_t capacity = order->capacity ? 2 * order->capacity : FIRST_SEGMENTS;
		struct segment *grown = realloc(order->segments, capacity * sizeof(*grown));

		if (!grown)
			return 0;
		order->segments = grown;
		order->capacity = capacity;
	}
	of->segment = order->next++;
	of->epoch = warp->block->epoch;
	of->sync = warp->sync_epoch;
	if (block->known > of->known)
		of->known = block->known;
	order->segments[count] = (struct segment){
		.block = warp->block->number,
		.epoch = of->epoch,
		.clock = block_clock(warp),
		.warp = (uint16_t)warp->index,
		.rank = (uint16_t)warp->block->rank,
		.cluster = warp->block->cluster ? warp->block->cluster->number + 1 : 0,
	};
	block->held = xgrow(block->held, &block->held_capacity, block->held_count + 1,
			    sizeof(*block->held));
	block->held[block->held_count++] = of->segment;
	return of->segment;
}

void order_close_segment(struct warp *warp)
{
	warp->block->order->warps[warp->index].segment = 0;
}

/* Whether a barrier of some warps of the block, or an mbarrier, lies between a segment of the block
 * and what the warp does now. */
static bool is_known(const struct segment *of, const struct warp *warp)
{
	return block_clock_known(warp, of->rank * BLOCK_WARPS_MOST + of->warp, of->clock);
}

bool order_is_before(const struct order *order, uint32_t segment, const struct warp *warp)
{
	const struct warp_order *me = &warp->block->order->warps[warp->index];
	const struct segment *of = order_find(order, segment);

	if (of->block != warp->block->number)
		return (of->released && of->released <= me->known) ||
		       (warp->block->cluster && of->cluster == warp->block->cluster->number + 1 &&
			segment < warp->block->order->heard[of->rank]);
	return of->epoch != warp->block->epoch || is_known(of, warp) || of->fenced ||
	       (of->warp == warp->index && segment != me->segment);
}

/* ---- fences, releases ---- */

void order_fence(struct order *order, struct warp *warp, bool device)
{
	struct block_order *block = warp->block->order;
	struct warp_order *of = &block->warps[warp->index];

	for (size_t i = 0; i < block->held_count; i++) {
		struct segment *held = &order->segments[block->held[i] - order->first];

		held->fenced |= held->warp == warp->index;
		held->device_fenced |= held->warp == warp->index && device;
	}
	of->segment = 0;
	if (!device)
		return;
	block->fenced = of->fenced = true;
	of->fence_epoch = warp->block->epoch;
}

/* Whether the release of a warp covers what a warp of its block did in an earlier segment. */
static bool covers_own(const struct segment *held, const struct warp *warp)
{
	const struct warp_order *of = &warp->block->order->warps[warp->index];
	bool known = is_known(held, warp);
	bool earlier = held->warp == warp->index || held->epoch < warp->block->epoch || known;

	return (held->device_fenced && earlier) ||
	       (of->fenced &&
		(held->epoch < of->fence_epoch || (held->epoch == of->fence_epoch && known)));
}

/* Releases segments of a block, which is of the warp's cluster. Returns whether there are any. */
static bool release_held(struct order *order, struct warp *warp, struct block *holder, uint32_t now)
{
	const struct block_order *own = warp->block->order;
	struct block_order *of = holder->order;
	size_t kept = 0, count = of->held_count;

	for (size_t i = 0; i < count; i++) {
		struct segment *held = &order->segments[of->held[i] - order->first];
		bool covered = holder == warp->block
				       ? covers_own(held, warp)
				       : own->warps[warp->index].fenced &&
						 of->held[i] < own->heard[holder->rank];

		if (covered)
			held->released = now;
		else
			of->held[kept++] = of->held[i];
	}
	of->held_count = kept;
	return kept < count;
}

/* The slot of an address, or the free one where it belongs. */
static struct sync_location *find_location(const struct order *order, uint64_t address)
{
	size_t at = (size_t)(address * UINT64_C(0x9e3779b97f4a7c15) >> 32);

	for (;; at++) {
		struct sync_location *found = &order->locations[at & (order->location_slots - 1)];

		if (!found->address || found->address == address)
			return found;
	}
}

static void grow_locations(struct order *order)
{
	struct sync_location *old = order->locations;
	size_t count = order->location_slots;

	order->location_slots = count ? 2 * count : FIRST_SLOTS;
	order->locations = xcalloc(order->location_slots, sizeof(*order->locations));
	for (size_t i = 0; i < count; i++)
		if (old[i].address)
			*find_location(order, old[i].address) = old[i];
	free(old);
}

void order_strong_write(struct order *order, struct warp *warp, uint64_t address)
{
	struct warp_order *of = &warp->block->order->warps[warp->index];
	struct sync_location *location;
	bool released = false;

	if (!warp->block->order->fenced)
		return;
	for (unsigned i = 0; i < cluster_count(warp->block); i++)
		released |=
			release_held(order, warp, cluster_block(warp->block, i), order->time + 1);
	if (!released && !of->fenced)
		return;
	/* A release that knows no more than the last one needs no new time. */
	if (released || !of->release || of->known != of->release_known) {
		of->release = ++order->time;
		of->release_known = of->known;
	}
	if (2 * order->location_count >= order->location_slots)
		grow_locations(order);
	location = find_location(order, address);
	order->location_count += location->address == 0;
	location->address = address;
	if (location->time < of->release)
		location->time = of->release;
}

void order_strong_read(struct order *order, struct warp *warp, uint64_t address)
{
	struct warp_order *of = &warp->block->order->warps[warp->index];
	const struct sync_location *location;

	if (!order->location_count)
		return;
	location = find_location(order, address);
	if (location->address && location->time > of->known)
		of->known = location->time;
}
