/*
 * warp: the loop that runs a warp, and the splits of a warp. Internal to
 * emulator/.
 *
 * Between instructions either one split runs (active != 0) and all others are
 * in `waiting`, or no split runs and all are in `waiting`. No two ready splits
 * wait at the same (frame, pc).
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

/* How the turn of a warp ended. */
enum turn {
	TURN_OVER,    /* the warp can continue */
	TURN_BLOCKED, /* no split is ready: all are parked or wait at barriers */
	TURN_ENDED,   /* all lanes have ended */
	TURN_STOPPED, /* a finding ends the launch */
};
/* Runs at most `instructions`, rounded up to a basic block. *used: how many it ran. */
enum turn warp_run(struct warp *warp, int64_t instructions, int64_t *used);

/* Splits the running split: the lanes `taken` go to `target`, the others to `next`. */
void warp_diverge(struct warp *warp, uint32_t target, uint32_t taken, uint32_t next);
/* The running split continues at `pc` of another frame. */
void warp_go(struct warp *warp, struct frame *frame, uint32_t pc);
/* Moves the lanes `mask` of the running split to pc as a ready split, or into the ready split that
 * is there. */
void warp_set_aside(struct warp *warp, struct frame *frame, uint32_t pc, uint32_t mask);
/* Moves the whole running split to the waiting ones, in a state other than ready. */
struct split *warp_suspend(struct warp *warp, uint32_t pc, enum split_state state);
/* Call when the running split takes a backward branch that may spin. */
void warp_spins(struct warp *warp);

/* Returns true if the place of a comes before the place of b in program order. */
bool split_precedes(const struct frame *a_frame, uint32_t a_pc, const struct frame *b_frame,
		    uint32_t b_pc);

#endif
