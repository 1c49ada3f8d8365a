#include "emulator/machine/copies/bulk.h"

#include "emulator/machine/clusters/cluster.h"
#include "emulator/machine/memory/access.h"
#include "emulator/machine/races/races_global.h"
#include "emulator/machine/races/races_shared.h"
#include "emulator/machine/warp_sync.h"
#include "emulator/tensor_map.h"

#include <stdlib.h>
#include <string.h>

#define PIECE_BYTES 16 /* that are checked together */

/* ---- changes and fences ---- */

/* The last acquire of a map by a block. */
struct map_acquire {
	int64_t block;
	uint32_t version;
};

struct changed_map {
	uint64_t address;
	uint32_t version; /* counts changes */
	bool released;
	int64_t changer; /* block */
	struct map_acquire *acquires;
	size_t acquire_count, acquire_capacity;
};

struct tensormap_updates {
	struct changed_map *items;
	size_t count, capacity;
};

static struct changed_map *find_changed(const struct launch *launch, uint64_t address)
{
	struct tensormap_updates *changes = launch->tensormap_updates;

	for (size_t i = 0; changes && i < changes->count; i++)
		if (changes->items[i].address == address)
			return &changes->items[i];
	return NULL;
}

static struct map_acquire *find_acquire(const struct changed_map *map, int64_t block)
{
	for (size_t i = 0; i < map->acquire_count; i++)
		if (map->acquires[i].block == block)
			return &map->acquires[i];
	return NULL;
}

static void note_change(const struct warp *warp, uint64_t address, bool released)
{
	struct launch *launch = warp->block->launch;
	struct changed_map *map = find_changed(launch, address);

	if (!launch->tensormap_updates)
		launch->tensormap_updates = xcalloc(1, sizeof(*launch->tensormap_updates));
	if (!map) {
		struct tensormap_updates *changes = launch->tensormap_updates;

		changes->items = xgrow(changes->items, &changes->capacity, changes->count + 1,
				       sizeof(*changes->items));
		map = &changes->items[changes->count++];
		*map = (struct changed_map){.address = address};
	}
	map->version++;
	map->released = released;
	map->changer = warp->block->number;
}

static void note_acquire(const struct warp *warp, uint64_t address)
{
	struct changed_map *map = find_changed(warp->block->launch, address);
	struct map_acquire *acquire;

	if (!map || !map->released)
		return;
	acquire = find_acquire(map, warp->block->number);
	if (!acquire) {
		map->acquires = xgrow(map->acquires, &map->acquire_capacity, map->acquire_count + 1,
				      sizeof(*map->acquires));
		acquire = &map->acquires[map->acquire_count++];
		acquire->block = warp->block->number;
	}
	acquire->version = map->version;
}

void tensormap_updates_check(struct warp *warp, const struct instruction *at, int lane,
			     uint64_t address)
{
	const struct changed_map *map = find_changed(warp->block->launch, address);
	const struct map_acquire *acquire;

	if (!map)
		return;
	acquire = find_acquire(map, warp->block->number);
	if (acquire && acquire->version == map->version)
		return;
	warp_finding(warp, at, lane, FINDING_UNFENCED,
		     "a tensor copy with the map at address 0x%llx, which this launch has changed; "
		     "%s",
		     (unsigned long long)address,
		     map->released
			     ? "use fence.proxy.tensormap::generic.acquire on it after the change "
			       "and before the copy"
			     : "release the change by tensormap.cp_fenceproxy or "
			       "fence.proxy.tensormap::generic.release, then use "
			       "fence.proxy.tensormap::generic.acquire on it");
}

void tensormap_updates_free(struct tensormap_updates *changes)
{
	for (size_t i = 0; changes && i < changes->count; i++)
		free(changes->items[i].acquires);
	if (changes)
		free(changes->items);
	free(changes);
}

/* ---- where maps are ---- */

/* 128 bytes of shared memory of the own block, or of global memory. */
struct map_place {
	unsigned char *bytes;
	struct allocation *in; /* NULL: shared memory */
	uint64_t offset;       /* there */
};

static uint64_t map_address(const struct warp *warp, uint32_t row, bool narrow, int64_t offset,
			    int lane)
{
	return lane_value(warp, row, narrow ? 4 : 8, lane) + (uint64_t)offset;
}

/* Finds a map at an address of global memory, or at an offset in shared memory. */
static enum step find_map_in(struct map_place *out, struct warp *warp, const struct instruction *at,
			     int lane, enum ptx_space space, uint64_t address)
{
	const bool global = space == PTX_SPACE_GLOBAL;
	const struct access_range range = {.space = space,
					   .lane = lane,
					   .address = global ? address : (uint32_t)address,
					   .bytes = TENSOR_MAP_BYTES,
					   .align = global ? TENSOR_MAP_ALIGN : TENSOR_MAP_BYTES,
					   .what = global ? "tensor map at" : "tensor map in"};

	if (access_check_range(warp, at, &range) != STEP_NEXT)
		return STEP_STOPPED;
	out->in = global ? device_memory_below(warp->block->launch->memory, address) : NULL;
	out->offset = global ? address - out->in->address : (uint32_t)address;
	out->bytes = (global ? out->in->data : warp->block->shared) + out->offset;
	return STEP_NEXT;
}

/* Finds the map of tensormap.replace. */
static enum step find_map_place(struct map_place *out, struct warp *warp,
				const struct instruction *at, int lane)
{
	const uint64_t address = map_address(warp, at->a, at->narrow_address, at->offset, lane);

	if (at->space == PTX_SPACE_SHARED)
		return find_map_in(out, warp, at, lane, PTX_SPACE_SHARED, address);
	if (at->space == PTX_SPACE_GENERIC && address - LOCAL_WINDOW < WINDOW_BYTES)
		return warp_finding(warp, at, lane, FINDING_BAD_MAP,
				    "tensormap.replace of a parameter or of local memory; copy the "
				    "map to shared or global memory first");
	if (at->space != PTX_SPACE_GENERIC || address - SHARED_WINDOW >= WINDOW_BYTES)
		return find_map_in(out, warp, at, lane, PTX_SPACE_GLOBAL, address);
	return find_map_in(out, warp, at, lane, PTX_SPACE_SHARED, address - SHARED_WINDOW);
}

/* ---- checks ---- */

static void check_shared_map(struct warp *warp, const struct instruction *at, int lane,
			     const struct map_place *place, const unsigned char *values)
{
	unsigned char piece[LANES * PIECE_BYTES] = {0};
	uint32_t offsets[LANES] = {0};

	if (!warp->block->shadow)
		return;
	for (unsigned i = 0; i < TENSOR_MAP_BYTES; i += PIECE_BYTES) {
		offsets[lane] = (uint32_t)place->offset + i;
		shared_races_load(warp, warp->block, at, UINT32_C(1) << lane, offsets, PIECE_BYTES);
		if (!values)
			continue;
		memcpy(piece + (size_t)lane * PIECE_BYTES, values + i, PIECE_BYTES);
		shared_races_store(warp, warp->block, at, UINT32_C(1) << lane, offsets, PIECE_BYTES,
				   piece);
	}
}

static void touch_map(const struct map_place *place, bool reads)
{
	const uint64_t first = place->offset / SECTOR_BYTES;
	const uint64_t last = (place->offset + TENSOR_MAP_BYTES - 1) / SECTOR_BYTES;

	if (reads)
		touch_read(place->in, first, last);
	touch_written(place->in, first, last);
}

/* ---- the instructions ---- */

static enum step replace_field(struct warp *warp, const struct instruction *at, int lane)
{
	const uint64_t value = map_address(warp, at->b, at->width == 4, 0, lane);
	unsigned char changed[TENSOR_MAP_BYTES];
	struct map_place place = {0};
	const char *why;

	if (find_map_place(&place, warp, at, lane) != STEP_NEXT)
		return STEP_STOPPED;
	memcpy(changed, place.bytes, sizeof(changed));
	why = tensor_map_replace(changed, (enum tensor_field)at->kind, at->target, value);
	if (why)
		return warp_finding(warp, at, lane, FINDING_BAD_MAP, "tensormap.replace: %s", why);
	if (place.in) {
		global_races_range(warp, at, (unsigned)lane, place.in, place.offset,
				   TENSOR_MAP_BYTES, true, true);
		touch_map(&place, true);
		note_change(warp, place.in->address + place.offset, false);
	} else {
		check_shared_map(warp, at, lane, &place, changed);
	}
	memcpy(place.bytes, changed, sizeof(changed));
	return STEP_NEXT;
}

enum step run_map_replace(struct warp *warp, const struct instruction *at)
{
	EACH_BIT(lane, warp->active)
		if (replace_field(warp, at, lane) != STEP_NEXT)
			return STEP_STOPPED;
	return STEP_NEXT;
}

enum step run_map_copy(struct warp *warp, const struct instruction *at)
{
	struct map_place source = {0}, target = {0};
	enum step step = warp_gather(warp, at, 0);
	uint64_t from, to;
	bool same = true;
	int lane;

	if (step != STEP_NEXT || !warp->active)
		return step;
	if (warp->active != warp->present)
		warp_finding(warp, at, -1, FINDING_ABSENT_LANES,
			     "lanes 0x%08x of warp %u execute it, but PTX demands all of the warp; "
			     "let no lane end before",
			     warp->active, warp->index);
	lane = __builtin_ctz(warp->active);
	from = map_address(warp, at->a, at->narrow_address, at->offset, lane);
	to = map_address(warp, at->b, false, at->from_offset, lane);
	EACH_BIT(other, warp->active)
		same &= map_address(warp, at->a, at->narrow_address, at->offset, other) == from &&
			map_address(warp, at->b, false, at->from_offset, other) == to;
	if (!same)
		return warp_finding(warp, at, -1, FINDING_UNSUPPORTED,
				    "tensormap.cp_fenceproxy with different addresses in the lanes "
				    "of a warp; PTX does not say what it copies");
	if (find_map_in(&source, warp, at, lane, PTX_SPACE_SHARED, from) != STEP_NEXT ||
	    find_map_in(&target, warp, at, lane, PTX_SPACE_GLOBAL, to) != STEP_NEXT)
		return STEP_STOPPED;
	check_shared_map(warp, at, lane, &source, NULL);
	global_races_range(warp, at, (unsigned)lane, target.in, target.offset, TENSOR_MAP_BYTES,
			   false, true);
	touch_map(&target, false);
	memcpy(target.bytes, source.bytes, TENSOR_MAP_BYTES);
	note_change(warp, to, true);
	return STEP_NEXT;
}

enum step run_map_fence(struct warp *warp, const struct instruction *at)
{
	struct tensormap_updates *changes = warp->block->launch->tensormap_updates;

	if (at->a) {
		EACH_BIT(lane, warp->active)
			note_acquire(warp, map_address(warp, at->a, at->narrow_address, at->offset,
						       lane));
	} else {
		for (size_t i = 0; changes && i < changes->count; i++)
			if (changes->items[i].changer == warp->block->number)
				changes->items[i].released = true;
	}
	return STEP_NEXT;
}
