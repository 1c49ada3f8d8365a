/*
 * memory_regular: loads and stores of global memory in which all 32 lanes take part and access
 * places one behind the other, or loads of one place by all lanes. Most requests of most kernels
 * are such. They need no list of addresses, and the bounds are those of one range.
 *
 * Has the same outcome as the path for any addresses in memory_generic.c, which executes what these
 * functions refuse.
 */
#ifndef EMULATOR_LANES_MEMORY_REGULAR_H
#define EMULATOR_LANES_MEMORY_REGULAR_H

#include "emulator/lanes/memory.h"
#include "emulator/machine/races/global_stream.h"

/* How far ahead the host fetches memory. Streams of a kernel go on in the next warp or block. But
 * if each thread steps through memory, the host sees no stream: it sees strides as long as the
 * grid. */
#define FETCH_AHEAD_BYTES 2048

/* Whether the row holds first, first + step, first + 2 * step and so on. */
ALWAYS_INLINE bool row_ascends(const unsigned char *row, uint64_t first, unsigned step)
{
	uint64_t differ = 0;

	for (unsigned lane = 0; lane < LANES; lane++)
		differ |= memory_get(row + 8 * lane, 8, false) ^ (first + (uint64_t)lane * step);
	return !differ;
}

/* Has the check of global memory see each lane. Not inlined, to keep the fast paths short. */
static __attribute__((noinline, unused)) void regular_check(struct warp *warp,
							    const struct instruction *at,
							    struct allocation *in, uint64_t begin,
							    unsigned bytes, unsigned step)
{
	uint64_t offset[LANES];

	for (unsigned lane = 0; lane < LANES; lane++)
		offset[lane] = begin + (uint64_t)lane * step;
	memory_check_global(warp, at, ALL_LANES, in, offset, bytes, step != 0,
			    step ? UINT64_MAX : 0);
}

/* Finds what a request accesses: `size` bytes from `address` on, or more. Returns false if they are
 * not in one allocation, or not aligned for the lanes. */
ALWAYS_INLINE bool regular_find(struct regular_request *by, uint64_t address, uint64_t size)
{
	by->number = (size_t)(by->at - by->warp->frame->function->code);
	by->in = device_memory_find(by->warp->block->launch->memory, by->number, address);
	if (!by->in)
		return false;
	by->begin = address - by->in->address;
	return size <= by->in->bytes - by->begin && !(by->begin & (by->bytes - 1));
}

/* Counts a request for that many unique bytes. */
ALWAYS_INLINE void regular_count(const struct regular_request *by, unsigned size)
{
	const struct warp *warp = by->warp;
	struct instruction_count *count =
		&warp->block->launch->counts[warp->frame->function_index][by->number];
	const uint64_t first = by->begin / SECTOR_BYTES;
	const uint64_t last = (by->begin + size - 1) / SECTOR_BYTES;

	count->requests++;
	count->bytes += size;
	count->sectors += last - first + 1;
	touch_range(by->in, first, last, by->writes);
}

/* Lanes one behind the other, from `address` on. Returns false if nothing was executed. */
ALWAYS_INLINE bool regular_stream(struct warp *warp, const struct instruction *at, uint64_t address,
				  unsigned width, unsigned vector, bool store)
{
	const unsigned bytes = width * vector;
	struct regular_request by = {.warp = warp, .at = at, .bytes = bytes, .writes = store};
	unsigned char *data;

	if (!regular_find(&by, address, LANES * bytes))
		return false;
	data = by.in->data + by.begin;
	/* A number, because the place may lie behind the allocation. */
	for (unsigned line = 0; line < LANES * bytes; line += 64)
		__builtin_prefetch((void *)((uintptr_t)data + FETCH_AHEAD_BYTES + line));
	if (warp->block->launch->global && !global_stream_passes(&by))
		regular_check(warp, at, by.in, by.begin, bytes, bytes);
	regular_count(&by, LANES * bytes);
	if (vector == 1 && width >= 4) {
		if (store)
			memcpy(data, row_of(warp, at->rows[0]), LANES * width);
		else
			memcpy(row_of(warp, at->rows[0]), data, LANES * width);
	} else {
		const struct memory_places places = {.data = data, .step = bytes};

		if (store)
			memory_store(warp, at, ALL_LANES, &places, width, vector);
		else
			memory_load(warp, at, ALL_LANES, &places, width, vector);
	}
	return true;
}

/* A load of all lanes at `address`. Returns false if nothing was executed. */
ALWAYS_INLINE bool regular_place(struct warp *warp, const struct instruction *at, uint64_t address,
				 unsigned width, unsigned vector)
{
	const unsigned bytes = width * vector;
	struct regular_request by = {.warp = warp, .at = at, .bytes = bytes};

	if (!regular_find(&by, address, bytes))
		return false;
	if (warp->block->launch->global && !global_place_passes(&by))
		regular_check(warp, at, by.in, by.begin, bytes, 0);
	regular_count(&by, bytes);
	for (unsigned element = 0; element < vector; element++) {
		unsigned char *row = row_of(warp, at->rows[element]);
		const uint64_t value = memory_get(by.in->data + by.begin + element * width, width,
						  at->extension == EXTEND_SIGN);

		for (int lane = 0; lane < LANES; lane++)
			row_put(row, lane, value, width);
	}
	return true;
}

/* Executes a load or store of all lanes. Returns false if nothing was executed, because it is not
 * regular or has an invalid address. */
ALWAYS_INLINE bool regular_access(struct warp *warp, const struct instruction *at, unsigned width,
				  unsigned vector, bool store)
{
	const unsigned char *row = row_of(warp, at->a);
	uint64_t first, step;

	if (at->a == 0 || at->narrow_address)
		return false;
	first = memory_get(row, 8, false);
	step = memory_get(row + 8, 8, false) - first;
	if (step == width * vector)
		return row_ascends(row, first, width * vector) &&
		       regular_stream(warp, at, first + (uint64_t)at->offset, width, vector, store);
	if (step == 0 && !store)
		return row_ascends(row, first, 0) &&
		       regular_place(warp, at, first + (uint64_t)at->offset, width, vector);
	return false;
}

#endif
