#include "emulator/machine/stack.h"

#include <inttypes.h>
#include <string.h>

/* Registers of 32 or 64 bits. */
static uint64_t read_lane(const unsigned char *row, unsigned width, int lane)
{
	uint64_t value = 0;

	memcpy(&value, row + (size_t)width * (unsigned)lane, width);
	return value;
}

static void write_lane(unsigned char *row, unsigned width, int lane, uint64_t value)
{
	memcpy(row + (size_t)width * (unsigned)lane, &value, width);
}

/* Launches without an alloca have no stack, and nothing to keep at each call. */
static bool has_stack(const struct warp *warp)
{
	const struct launch *launch = warp->block->launch;

	return launch->stack_base < launch->local_bytes;
}

void stack_begin(struct warp *warp, struct frame *frame)
{
	memset(warp->stack_used, 0, sizeof(warp->stack_used));
	memset(frame->stack_used, 0, sizeof(frame->stack_used));
}

void stack_enter(const struct warp *warp, struct frame *frame, uint32_t lanes)
{
	for (uint32_t rest = has_stack(warp) ? lanes : 0; rest; rest &= rest - 1) {
		const int lane = __builtin_ctz(rest);

		frame->stack_used[lane] = warp->stack_used[lane];
	}
}

void stack_leave(struct warp *warp, const struct frame *frame, uint32_t lanes)
{
	for (uint32_t rest = has_stack(warp) ? lanes : 0; rest; rest &= rest - 1) {
		const int lane = __builtin_ctz(rest);

		warp->stack_used[lane] = frame->stack_used[lane];
	}
}

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
	const unsigned char *sizes = row_of(warp, at->a);
	const uint64_t align = (uint64_t)at->offset;
	unsigned char *out = row_of(warp, at->dst);

	for (uint32_t rest = warp->active; rest; rest &= rest - 1) {
		const int lane = __builtin_ctz(rest);
		const uint64_t bytes = read_lane(sizes, at->width, lane);
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
		write_lane(out, at->width, lane, place);
	}
	return STEP_NEXT;
}

enum step run_stack_save(struct warp *warp, const struct instruction *at)
{
	unsigned char *out = row_of(warp, at->dst);

	for (uint32_t rest = warp->active; rest; rest &= rest - 1) {
		const int lane = __builtin_ctz(rest);

		write_lane(out, at->width, lane,
			   (uint64_t)warp->block->launch->stack_base + warp->stack_used[lane]);
	}
	return STEP_NEXT;
}

enum step run_stack_restore(struct warp *warp, const struct instruction *at)
{
	const uint32_t base = warp->block->launch->stack_base;
	const unsigned char *saved = row_of(warp, at->a);

	for (uint32_t rest = warp->active; rest; rest &= rest - 1) {
		const int lane = __builtin_ctz(rest);
		const uint64_t to = read_lane(saved, at->width, lane);

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
