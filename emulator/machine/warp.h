/*
 * warp: the loop that runs a warp. Internal to emulator/.
 */
#ifndef EMULATOR_MACHINE_WARP_H
#define EMULATOR_MACHINE_WARP_H

#include "emulator/machine/machine.h"

/* How the turn of a warp ended. */
enum turn {
	TURN_OVER,    /* the warp can continue */
	TURN_BLOCKED, /* no split is ready: all are parked or wait at barriers */
	TURN_ENDED,   /* all lanes have ended */
	TURN_STOPPED, /* a finding ends the launch */
};
/* Runs at most `instructions`, rounded up to a basic block. *used: how many it ran. */
enum turn warp_run(struct warp *warp, int64_t instructions, int64_t *used);

#endif
