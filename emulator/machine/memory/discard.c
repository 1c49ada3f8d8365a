#include "emulator/machine/memory/discard.h"

#include "emulator/machine/memory/access.h"
#include "emulator/machine/memory/written_bytes.h"

#include <string.h>

static void discard_line(const struct launch *launch, struct allocation *in, uint64_t first)
{
	/* Another value in each launch, and the same if a line is discarded twice. */
	memset(in->data + first, (int)(0xd5 ^ (launch->number * 29 & 0xff)), DISCARD_BYTES);
	/* Without the check nobody would see that the line is written again. */
	if (launch->global)
		written_remove(in, first, DISCARD_BYTES);
	*launch->may_be_undefined = true;
}

enum step run_discard(struct warp *warp, const struct instruction *at)
{
	const struct launch *launch = warp->block->launch;
	uint64_t last = 0;

	for (uint32_t rest = warp->active; rest; rest &= rest - 1) {
		const int lane = __builtin_ctz(rest);
		struct access_range range = {.space = PTX_SPACE_GLOBAL,
					     .lane = lane,
					     .bytes = DISCARD_BYTES,
					     .align = DISCARD_BYTES,
					     .what = "discard of"};
		struct allocation *in;

		if (at->a)
			range.address = ((const uint64_t *)row_of(warp, at->a))[lane];
		range.address += (uint64_t)at->offset;
		if (range.address == last)
			continue;
		if (access_check_range(warp, at, &range) != STEP_NEXT)
			return STEP_STOPPED;
		last = range.address;
		in = device_memory_below(launch->memory, last);
		discard_line(launch, in, last - in->address);
	}
	return STEP_NEXT;
}
