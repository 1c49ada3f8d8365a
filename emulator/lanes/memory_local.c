/*
 * Loads and stores of local memory: .local, and the parameters of calls. The
 * parameters are registers on the hardware and so are not counted.
 */
#include "emulator/lanes/memory.h"

/* Notes what is written, and whether a load reads a byte that is not. */
ALWAYS_INLINE void note_unwritten(struct warp *warp, const struct instruction *at, uint32_t mask,
				  const uint64_t offset[LANES], unsigned bytes)
{
	unsigned char any = 0;

	for (uint32_t rest = mask; rest; rest &= rest - 1) {
		unsigned char *unwritten = warp->local_unwritten + offset[__builtin_ctz(rest)];

		if (at->operation == OP_STORE)
			memset(unwritten, 0, bytes);
		for (unsigned i = 0; i < bytes; i++)
			any |= unwritten[i];
	}
	if (any)
		*warp->block->launch->may_be_undefined = true;
}

ALWAYS_INLINE enum step local_lanes(struct warp *warp, const struct instruction *at, uint32_t mask,
				    uint64_t address[LANES], unsigned width, unsigned vector)
{
	const unsigned bytes = width * vector;
	const uint64_t limit = (uint64_t)warp->local_bytes - bytes;
	uint64_t offset[LANES], outside = 0, low = 0;
	const struct memory_places places = {.data = warp->local, .wide = offset};

	if (mask != ALL_LANES)
		MEMORY_FILL(address, mask);
	for (unsigned lane = 0; lane < LANES; lane++) {
		outside |= address[lane] | (limit - address[lane]);
		low |= address[lane];
		offset[lane] = (uint64_t)lane * warp->local_bytes + address[lane];
	}
	if (warp->local_bytes < bytes || outside >> 63 || low & (bytes - 1))
		return access_check(warp, at, PTX_SPACE_LOCAL, mask, address);
	if (warp->local_unwritten)
		note_unwritten(warp, at, mask, offset, bytes);
	if (at->operation == OP_STORE)
		memory_store(warp, at, mask, &places, width, vector);
	else
		memory_load(warp, at, mask, &places, width, vector);
	return STEP_NEXT;
}

enum step LANES_NAME(local_access)(struct warp *warp, const struct instruction *at, uint32_t mask,
				   uint64_t address[LANES])
{
	return local_lanes(warp, at, mask, address, at->width, at->vector);
}

static enum step access_local(struct warp *warp, const struct instruction *at)
{
	uint32_t mask = warp->active, narrow[LANES];
	uint64_t address[LANES];

	if (mask == 0)
		return STEP_NEXT;
	memory_offsets(narrow, warp, at);
	for (int lane = 0; lane < LANES; lane++)
		address[lane] = narrow[lane];
	if (at->space != PTX_SPACE_PARAM)
		count_at(warp, at)->requests++;
	if (at->width == 4 && at->vector == 1)
		return local_lanes(warp, at, mask, address, 4, 1);
	return LANES_NAME(local_access)(warp, at, mask, address);
}

instruction_handler *LANES_NAME(local_handler)(const struct instruction *at)
{
	(void)at;
	return access_local;
}
