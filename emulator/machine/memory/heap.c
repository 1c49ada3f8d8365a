#include "emulator/machine/memory/device_memory.h"

#include "emulator/machine/control.h"
#include "emulator/machine/finding.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* What a block costs besides its bytes, and the unit of its size. */
#define BLOCK_COST_BYTES 16
#define BLOCK_UNIT_BYTES 16
/* Freed blocks that are remembered at least, to name what a later access or free() does wrong. */
#define FREED_REMEMBERED 65536
/* Blocks below this address are far apart. Addresses are not used again, so those of later ones,
 * of which there may be millions, are near. */
#define FAR_ADDRESS (HEAP_ADDRESS + (UINT64_C(1) << 46))

struct heap_block {
	uint64_t address, bytes;
	struct finding_place place; /* of the malloc() */
	bool freed;
};

struct device_heap {
	struct device_memory *memory;
	struct heap_block *blocks; /* by address, ascending; with the last freed ones */
	size_t count, capacity, freed_count;
	uint64_t next; /* address of the next block */
	int64_t used_bytes;
};

struct device_heap *device_heap_create(struct device_memory *memory)
{
	struct device_heap *heap = xcalloc(1, sizeof(*heap));

	heap->memory = memory;
	heap->next = HEAP_ADDRESS;
	return heap;
}

void device_heap_reset(struct device_heap *heap)
{
	/* From the last on, so that the memory moves nothing. */
	for (size_t i = heap->count; i-- > 0;)
		if (!heap->blocks[i].freed)
			device_memory_release(heap->memory, heap->blocks[i].address);
	heap->count = heap->freed_count = 0;
	heap->used_bytes = 0;
	heap->next = HEAP_ADDRESS;
}

void device_heap_free(struct device_heap *heap)
{
	if (!heap)
		return;
	device_heap_reset(heap);
	free(heap->blocks);
	free(heap);
}

/* The last block that begins at or before the address. NULL: none. */
static struct heap_block *block_below(const struct device_heap *heap, uint64_t address)
{
	size_t low = 0, high = heap->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (heap->blocks[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? &heap->blocks[low - 1] : NULL;
}

bool device_heap_describe(struct text *out, const struct device_heap *heap, uint64_t address)
{
	const struct heap_block *block = heap ? block_below(heap, address) : NULL;

	if (!block || !block->freed || address - block->address >= block->bytes)
		return false;
	text_addf(out, "which is in the %" PRIu64 " bytes that a free() released", block->bytes);
	return true;
}

static int64_t block_cost(uint64_t bytes)
{
	return (int64_t)((bytes + BLOCK_UNIT_BYTES - 1) / BLOCK_UNIT_BYTES * BLOCK_UNIT_BYTES) +
	       BLOCK_COST_BYTES;
}

/* Returns 0 if the heap is full, as malloc() does. */
static uint64_t heap_allocate(struct device_heap *heap, struct warp *warp,
			      const struct instruction *at, int lane, uint64_t bytes)
{
	const uint64_t guard = heap->next < FAR_ADDRESS ? DEVICE_FAR_BYTES : DEVICE_GUARD_BYTES;
	struct error err = {0};
	struct heap_block *block;

	if (bytes > (uint64_t)HEAP_BYTES || block_cost(bytes) > HEAP_BYTES - heap->used_bytes ||
	    device_memory_allocate_at(heap->memory, heap->next, (int64_t)bytes, "malloc()", &err))
		return 0;
	if (warp->block->launch->global || warp->block->launch->follower)
		device_memory_set_unwritten(heap->memory, heap->next, &err);
	heap->blocks = xgrow(heap->blocks, &heap->capacity, heap->count + 1, sizeof(*block));
	block = &heap->blocks[heap->count++];
	*block = (struct heap_block){.address = heap->next, .bytes = bytes};
	finding_place_set(&block->place, warp, at, lane);
	heap->used_bytes += block_cost(bytes);
	heap->next = (block->address + bytes + guard + ALLOCATION_ALIGN_BYTES - 1) /
		     ALLOCATION_ALIGN_BYTES * ALLOCATION_ALIGN_BYTES;
	return block->address;
}

enum step run_heap_malloc(struct warp *warp, const struct instruction *at)
{
	struct device_heap *heap = warp->block->launch->heap;

	EACH_BIT(lane, warp->active) {
		lane_set(warp, at->dst, 8, lane,
			 heap_allocate(heap, warp, at, lane, lane_value(warp, at->a, 8, lane)));
	}
	return STEP_NEXT;
}

/* Forgets the older half of too many freed blocks. Addresses are not used again, so the older ones
 * come first. */
static void forget_freed(struct device_heap *heap)
{
	size_t kept = 0, forgotten = 0;

	if (heap->freed_count < 2 * FREED_REMEMBERED)
		return;
	for (size_t i = 0; i < heap->count; i++)
		if (heap->blocks[i].freed && forgotten < FREED_REMEMBERED)
			forgotten++;
		else
			heap->blocks[kept++] = heap->blocks[i];
	heap->count = kept;
	heap->freed_count -= forgotten;
}

static enum step report_bad_free(struct warp *warp, const struct instruction *at, int lane,
				 uint64_t address, const struct heap_block *block)
{
	if (block && block->freed && block->address == address)
		return warp_finding(warp, at, lane, FINDING_INVALID_FREE,
				    "free() of 0x%" PRIx64 ", which was freed before; free each "
				    "block once",
				    address);
	if (block && address - block->address < block->bytes)
		return warp_finding(warp, at, lane, FINDING_INVALID_FREE,
				    "free() of 0x%" PRIx64 ", which is %" PRIu64
				    " bytes behind the beginning of its block; pass the address "
				    "that malloc() returned",
				    address, address - block->address);
	return warp_finding(warp, at, lane, FINDING_INVALID_FREE,
			    "free() of 0x%" PRIx64 ", which no malloc() of device code returned",
			    address);
}

enum step run_heap_free(struct warp *warp, const struct instruction *at)
{
	struct device_heap *heap = warp->block->launch->heap;

	EACH_BIT(lane, warp->active) {
		const uint64_t address = lane_value(warp, at->a, 8, lane);
		struct heap_block *block;

		if (!address)
			continue;
		block = block_below(heap, address);
		if (!block || block->address != address || block->freed)
			return report_bad_free(warp, at, lane, address, block);
		block->freed = true;
		heap->freed_count++;
		heap->used_bytes -= block_cost(block->bytes);
		device_memory_release(heap->memory, address);
		forget_freed(heap);
	}
	return STEP_NEXT;
}

void device_heap_leaks(const struct device_heap *heap, struct finding_list *findings)
{
	for (size_t i = 0; i < heap->count; i++) {
		const struct heap_block *block = &heap->blocks[i];

		if (!block->freed)
			finding_add_at(findings, FINDING_LEAK, &block->place,
				       "%" PRIu64 " bytes of malloc() that nothing frees; free "
				       "them, in this launch or a later one",
				       block->bytes);
	}
}
