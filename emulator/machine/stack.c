#include "emulator/machine/call_frame.h"

#include <inttypes.h>
#include <string.h>

void local_begin(struct warp *warp, int lane, uint64_t first, uint64_t bytes)
{
	const uint64_t at = (uint64_t)lane * warp->local_bytes + first;

	memset(warp->local + at, (unsigned char)poison_word(warp->block->launch, at % 64), bytes);
	if (warp->local_unwritten)
		memset(warp->local_unwritten + at, 0xff, bytes);
	undefined_memory_begin(&warp->local_undefined, at, bytes);
}

enum step run_alloca(struct warp *warp, const struct instruction *at)
{
	const uint32_t base = warp->block->launch->stack_base;
	const uint64_t align = (uint64_t)at->offset;

	EACH_BIT(lane, warp->active) {
		const uint64_t bytes = lane_value(warp, at->a, at->width, lane);
		const uint64_t used = base + (uint64_t)warp->stack_used[lane];
		const uint64_t place = (used + align - 1) / align * align;

		if (place > base + STACK_BYTES || bytes > base + STACK_BYTES - place)
			return warp_finding(warp, at, lane, FINDING_STACK,
					    "alloca of %" PRIu64 " bytes, with %" PRIu32
					    " of %d bytes taken before; allocate less, or return "
					    "from the functions that allocate",
					    bytes, warp->stack_used[lane], STACK_BYTES);
		local_begin(warp, lane, place, bytes);
		warp->stack_used[lane] = (uint32_t)(place + bytes - base);
		lane_set(warp, at->dst, at->width, lane, place);
	}
	return STEP_NEXT;
}

enum step run_stack_save(struct warp *warp, const struct instruction *at)
{
	EACH_BIT(lane, warp->active) {
		lane_set(warp, at->dst, at->width, lane,
			 (uint64_t)warp->block->launch->stack_base + warp->stack_used[lane]);
	}
	return STEP_NEXT;
}

enum step run_stack_restore(struct warp *warp, const struct instruction *at)
{
	const uint32_t base = warp->block->launch->stack_base;

	EACH_BIT(lane, warp->active) {
		const uint64_t to = lane_value(warp, at->a, at->width, lane);

		if (to < (uint64_t)base + warp->frame->stack_used[lane] ||
		    to > (uint64_t)base + warp->stack_used[lane])
			return warp_finding(warp, at, lane, FINDING_STACK,
					    "stackrestore of 0x%" PRIx64 ", which no stacksave of "
					    "this call gave, or a stackrestore has given back; "
					    "restore what stacksave gave",
					    to);
		warp->stack_used[lane] = (uint32_t)(to - base);
	}
	return STEP_NEXT;
}
