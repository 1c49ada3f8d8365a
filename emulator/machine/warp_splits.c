#include "emulator/machine/warp_splits.h"

#include "emulator/machine/control_flow.h"
#include "emulator/program/program.h"

#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* A branch that may spin takes this many instructions off the turn, so that a warp which waits for
 * another one soon lets it run. */
#define SPIN_COST 1000

/* ---- masks of lanes, and rows that say the same of each lane ---- */

uint32_t predicate_mask(const int32_t *row)
{
	uint32_t mask = 0;

#ifdef __SSE2__
	for (int half = 0; half < 2; half++) {
		const __m128i *from = (const __m128i *)(const void *)(row + 16 * half);
		__m128i low = _mm_packs_epi32(_mm_load_si128(from), _mm_load_si128(from + 1));
		__m128i high = _mm_packs_epi32(_mm_load_si128(from + 2), _mm_load_si128(from + 3));

		mask |= (uint32_t)_mm_movemask_epi8(_mm_packs_epi16(low, high)) << 16 * half;
	}
#else
	for (int lane = 0; lane < LANES; lane++)
		mask |= (uint32_t)(row[lane] != 0) << lane;
#endif
	return mask;
}

/* clang-format off */
#define FOUR_LANES(bits) {-((bits) & 1), -((bits) >> 1 & 1), -((bits) >> 2 & 1), -((bits) >> 3 & 1)}
static const _Alignas(64) int32_t four_lanes[16][4] = {
	FOUR_LANES(0), FOUR_LANES(1), FOUR_LANES(2), FOUR_LANES(3),
	FOUR_LANES(4), FOUR_LANES(5), FOUR_LANES(6), FOUR_LANES(7),
	FOUR_LANES(8), FOUR_LANES(9), FOUR_LANES(10), FOUR_LANES(11),
	FOUR_LANES(12), FOUR_LANES(13), FOUR_LANES(14), FOUR_LANES(15),
};
/* clang-format on */

void warp_set_active(struct warp *warp, uint32_t mask)
{
	warp->active = mask;
	warp->active_count = lanes_in(mask);
	for (int four = 0; four < LANES / 4; four++)
		memcpy(warp->lanes + 4 * four, four_lanes[mask >> 4 * four & 15],
		       sizeof(four_lanes[0]));
}

/* ---- program order ---- */

/* A place in program order. Seen from an outer frame it lies in the middle of the call. */
struct place {
	const struct frame *frame;
	uint64_t half_steps; /* twice the pc; odd within a call */
};

static struct place program_place(const struct frame *frame, uint32_t pc)
{
	return (struct place){frame, 2 * (uint64_t)pc};
}

static struct place caller_place(struct place place)
{
	return (struct place){place.frame->caller, 2 * (uint64_t)place.frame->return_pc - 1};
}

bool split_precedes(const struct frame *a_frame, uint32_t a_pc, const struct frame *b_frame,
		    uint32_t b_pc)
{
	struct place a = program_place(a_frame, a_pc), b = program_place(b_frame, b_pc);

	while (a.frame->depth > b.frame->depth)
		a = caller_place(a);
	while (b.frame->depth > a.frame->depth)
		b = caller_place(b);
	while (a.frame != b.frame) {
		a = caller_place(a);
		b = caller_place(b);
	}
	return a.half_steps < b.half_steps;
}

/* The first pc of the running frame that does not come before a place. UINT32_MAX: none. */
static uint32_t pc_after(const struct frame *running, const struct frame *frame, uint32_t pc)
{
	struct place place = program_place(frame, pc);

	while (place.frame->depth > running->depth)
		place = caller_place(place);
	return place.frame == running ? (uint32_t)((place.half_steps + 1) / 2) : UINT32_MAX;
}

/* ---- splits ---- */

static void update_merge_pc(struct warp *warp)
{
	warp->merge_pc = UINT32_MAX;
	if (warp->favoured || warp->parked_count) {
		if (warp->waiting_count)
			warp->merge_pc = 0;
		return;
	}
	for (unsigned i = 0; i < warp->waiting_count; i++) {
		const struct split *split = &warp->waiting[i];
		uint32_t from = pc_after(warp->frame, split->frame, split->pc);

		if (split->state == SPLIT_READY && from < warp->merge_pc)
			warp->merge_pc = from;
	}
}

void warp_go(struct warp *warp, struct frame *frame, uint32_t pc)
{
	warp->frame = frame;
	warp->file = frame->file;
	warp->pc = pc;
	update_merge_pc(warp);
}

static void resume_split(struct warp *warp, unsigned index)
{
	struct split split = warp->waiting[index];

	warp->waiting[index] = warp->waiting[--warp->waiting_count];
	warp_set_active(warp, split.mask);
	warp_go(warp, split.frame, split.pc);
}

bool warp_select_first(struct warp *warp)
{
	const struct split *first = NULL;

	for (unsigned i = 0; i < warp->waiting_count; i++) {
		const struct split *split = &warp->waiting[i];

		if (split->state == SPLIT_READY &&
		    (!first || split_precedes(split->frame, split->pc, first->frame, first->pc)))
			first = split;
	}
	warp->favoured = false;
	if (!first)
		return false;
	resume_split(warp, (unsigned)(first - warp->waiting));
	return true;
}

static struct split *add_waiting(struct warp *warp, struct frame *frame, uint32_t pc, uint32_t mask)
{
	struct split *split = &warp->waiting[warp->waiting_count++];

	*split = (struct split){.frame = frame, .pc = pc, .mask = mask, .turn = warp->turns};
	return split;
}

void warp_set_aside(struct warp *warp, struct frame *frame, uint32_t pc, uint32_t mask)
{
	for (unsigned i = 0; i < warp->waiting_count; i++) {
		struct split *split = &warp->waiting[i];

		if (split->state == SPLIT_READY && split->frame == frame && split->pc == pc) {
			split->mask |= mask;
			return;
		}
	}
	add_waiting(warp, frame, pc, mask);
}

void warp_diverge(struct warp *warp, uint32_t target, uint32_t taken, uint32_t next)
{
	uint32_t rest = warp->active & ~taken;

	/* A split that runs out of order continues with the lanes that branch. */
	if (target <= next || warp->favoured) {
		warp_set_aside(warp, warp->frame, next, rest);
		warp->pc = target;
		warp_set_active(warp, taken);
	} else {
		warp_set_aside(warp, warp->frame, target, taken);
		warp->pc = next;
		warp_set_active(warp, rest);
	}
	update_merge_pc(warp);
}

struct split *warp_suspend(struct warp *warp, uint32_t pc, enum split_state state)
{
	struct split *split = add_waiting(warp, warp->frame, pc, warp->active);

	split->state = state;
	warp->parked_count += state == SPLIT_PARKED;
	warp_set_active(warp, 0);
	return split;
}

/* Notes for each parked split which lanes are already past it, so they will not arrive. */
static void note_passing(struct warp *warp)
{
	for (unsigned i = 0; i < warp->waiting_count; i++) {
		struct split *split = &warp->waiting[i];
		struct place place = program_place(split->frame, split->pc);

		if (split->state != SPLIT_PARKED)
			continue;
		while (place.frame->depth > warp->frame->depth)
			place = caller_place(place);
		if (place.frame == warp->frame &&
		    control_flow_leads_through(warp->frame->flow, (uint32_t)(place.half_steps / 2),
					       warp->pc))
			split->passed |= warp->active;
	}
}

void warp_merge_splits(struct warp *warp)
{
	for (unsigned i = 0; i < warp->waiting_count;) {
		struct split *split = &warp->waiting[i];

		if (split->state == SPLIT_READY && split->frame == warp->frame &&
		    split->pc == warp->pc) {
			warp_set_active(warp, warp->active | split->mask);
			*split = warp->waiting[--warp->waiting_count];
		} else {
			i++;
		}
	}
	if (!warp->favoured) {
		/* Splits that cannot merge are totally ordered, so this terminates. */
		add_waiting(warp, warp->frame, warp->pc, warp->active);
		warp_select_first(warp);
	}
	update_merge_pc(warp);
	if (warp->parked_count)
		note_passing(warp);
}

void warp_spins(struct warp *warp)
{
	struct split *next = NULL;

	warp->turn_left -= SPIN_COST;
	warp->turn_charged += SPIN_COST;
	if (warp->waiting_count && ++warp->backward_branches < SPLIT_FAIRNESS)
		return;
	warp->backward_branches = 0;
	for (unsigned i = 0; i < warp->waiting_count; i++) {
		struct split *split = &warp->waiting[i];

		if (split->state == SPLIT_READY && (!next || split->turn < next->turn))
			next = split;
	}
	if (!next)
		return;
	warp->turns++;
	add_waiting(warp, warp->frame, warp->pc, warp->active);
	warp->favoured = true;
	resume_split(warp, (unsigned)(next - warp->waiting));
}

void warp_part(struct warp *warp, uint32_t pc, uint32_t lanes)
{
	warp_set_aside(warp, warp->frame, pc, warp->active & ~lanes);
	warp_set_active(warp, lanes);
	update_merge_pc(warp);
}

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
