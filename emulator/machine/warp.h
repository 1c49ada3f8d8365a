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

/* Is a's place before b's in program order? */
bool split_precedes(const struct frame *a_frame, uint32_t a_pc, const struct frame *b_frame,
		    uint32_t b_pc);

#endif
