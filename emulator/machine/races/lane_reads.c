#include "emulator/machine/races/lane_reads.h"

#include "emulator/program/program.h"

/* The split that the lane waits in. NULL: it has ended, or is where the warp is. */
static const struct split *waiting_split(const struct warp *warp, unsigned lane)
{
	for (unsigned i = 0; i < warp->waiting_count; i++)
		if (warp->waiting[i].mask >> lane & 1)
			return &warp->waiting[i];
	return NULL;
}

bool lane_read_is_over(struct warp *warp, const struct instruction *at, unsigned lane,
		       uint32_t function, uint32_t read)
{
	const struct split *split = waiting_split(warp, lane);
	const struct frame *frame = split ? split->frame : warp->frame;
	const uint32_t now = split ? split->pc : (uint32_t)(at - frame->function->code);

	return !(warp->exited >> lane & 1) && frame->function_index == function &&
	       read_is_finished(&warp->block->launch->finished_reads, frame->function, read, now,
				!split);
}
