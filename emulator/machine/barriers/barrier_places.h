/*
 * barrier_places: notes that threads meet at barriers of different source lines. A GPU lets them
 * pass, but CUDA does not define it. Internal to machine/.
 *
 * Only barriers that count all threads of the block are looked at, since programs give a number of
 * threads to those that warps with different tasks reach at different places. Copies of one line by
 * the compiler are one place, unless it was inlined at different lines.
 */
#ifndef EMULATOR_MACHINE_BARRIERS_BARRIER_PLACES_H
#define EMULATOR_MACHINE_BARRIERS_BARRIER_PLACES_H

#include "emulator/machine/machine.h"

/* Call when lanes arrive at a barrier of the block, which they leave together with the others. */
void note_barrier_place(struct warp *warp, const struct instruction *at, unsigned number,
			struct barrier *barrier);
/* Call when lanes pass bar.warp.sync at `at` together with others of their warp at `other`. */
void note_warp_barrier_place(struct warp *warp, const struct instruction *at,
			     const struct ptx_statement *other);

#endif
