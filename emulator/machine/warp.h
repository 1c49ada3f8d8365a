/*
 * warp: the loop that runs a warp, and its splits. Internal to emulator/.
 *
 * Between instructions either a split runs (active != 0) and every other split
 * of the warp waits in `waiting`, or none runs and all wait. No two ready
 * splits wait at one (frame, pc).
 */
#ifndef EMULATOR_MACHINE_WARP_H
#define EMULATOR_MACHINE_WARP_H

#include "emulator/machine/machine.h"

static inline uint32_t warp_alive(const struct warp *warp)
{
	return warp->present & ~warp->exited;
}

static inline uint32_t pc_of(const struct warp *warp, const struct instruction *at)
{
	return (uint32_t)(at - warp->frame->function->code);
}

static inline unsigned lanes_in(uint32_t mask)
{
	mask -= mask >> 1 & UINT32_C(0x55555555);
	mask = (mask & UINT32_C(0x33333333)) + (mask >> 2 & UINT32_C(0x33333333));
	return ((mask + (mask >> 4)) & UINT32_C(0x0f0f0f0f)) * UINT32_C(0x01010101) >> 24;
}

/* What a turn of a warp came to. */
enum turn {
	TURN_OVER,    /* it can go on */
	TURN_BLOCKED, /* every split waits for other warps */
	TURN_ENDED,   /* no lane is left */
	TURN_STOPPED, /* the launch ends */
};
/* Runs at most `instructions` (a block of them more); *used says how many it ran. */
enum turn warp_run(struct warp *warp, int64_t instructions, int64_t *used);

/* The running split goes to `target` with the lanes `taken`, and on at `next` with the rest. */
void warp_diverge(struct warp *warp, uint32_t target, uint32_t taken, uint32_t next);
/* The running split goes on in another frame. */
void warp_go(struct warp *warp, struct frame *frame, uint32_t pc);
/* `mask` of the running split goes on waiting at pc; a ready split there takes the lanes in. */
void warp_set_aside(struct warp *warp, struct frame *frame, uint32_t pc, uint32_t mask);
/* The whole running split is put among the waiting ones, in another state than ready. */
struct split *warp_suspend(struct warp *warp, uint32_t pc, enum split_state state);
/* The running split has come to a branch back that may spin. */
void warp_spins(struct warp *warp);

/*
 * The lanes of the running split execute `at`, which takes all living lanes
 * that they name in the row `members` (0: every lane of the warp). STEP_NEXT:
 * they are there, and active. STEP_WAITING: the split was parked, or took
 * others in and has to wait with them. STEP_STOPPED: a lane does not name
 * itself.
 */
enum step warp_gather(struct warp *warp, const struct instruction *at, uint32_t members);
/* Lanes have ended: parked splits may have all that they need, or never get it (STEP_STOPPED). */
enum step warp_lanes_ended(struct warp *warp, uint32_t lanes);
/*
 * No split is ready. Parked ones that need each other at different places,
 * which PTX allows, execute together: STEP_CHANGED. When none of the parked can
 * ever go on: STEP_STOPPED, with a finding. Else STEP_WAITING.
 */
enum step warp_parked_meet(struct warp *warp);
/* Nothing in the block will change anything any more for the parked splits of the warp: a finding
 * for the first of them in program order. STEP_NEXT: there is none. */
enum step warp_parked_forever(struct warp *warp);

/* Is a's place before b's in program order? */
bool split_precedes(const struct frame *a_frame, uint32_t a_pc, const struct frame *b_frame,
		    uint32_t b_pc);

#endif
