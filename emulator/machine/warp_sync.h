/*
 * warp_sync: instructions that several lanes of a warp execute together, such
 * as shuffles, votes, bar.warp.sync and aligned barriers. The lanes that arrive
 * first wait ("park") until the others arrive. Internal to emulator/.
 */
#ifndef EMULATOR_MACHINE_WARP_SYNC_H
#define EMULATOR_MACHINE_WARP_SYNC_H

#include "emulator/machine/machine.h"

/*
 * Brings together the lanes that `at` needs: all living lanes that the active
 * lanes name in the row `members` (0: every lane of the warp). STEP_NEXT: all
 * of them are active. STEP_WAITING: the split was parked, possibly merged with
 * splits that were parked there before. STEP_STOPPED: a lane does not name
 * itself, which is a finding.
 */
enum step warp_gather(struct warp *warp, const struct instruction *at, uint32_t members);
/* Brings together all 32 lanes. This orders no accesses to memory, so the check for races does not
 * see a synchronisation. A lane that has ended, or that the block does not have, is a finding,
 * since the result would be undefined. */
enum step warp_gather_whole(struct warp *warp, const struct instruction *at);
/*
 * Call after lanes have ended. Parked splits that no longer wait for anyone
 * become ready. STEP_STOPPED, with a finding: a lane that a parked split needs
 * has ended without executing the instruction.
 */
enum step warp_lanes_ended(struct warp *warp, uint32_t lanes);
/*
 * Call when no split is ready. Parked splits that wait for each other at
 * different instructions execute together where PTX allows it: STEP_CHANGED.
 * STEP_STOPPED, with a finding: no parked split can ever continue. Otherwise
 * STEP_WAITING.
 */
enum step warp_parked_meet(struct warp *warp);
/*
 * Call when nothing in the block can release the parked splits of the warp.
 * STEP_STOPPED: reports the first one in program order as a finding. STEP_NEXT:
 * no split is parked.
 */
enum step warp_parked_forever(struct warp *warp);

/*
 * Notes that threads meet at barriers of different source lines. A GPU lets them pass, but CUDA
 * does not define it. Copies of one line by the compiler are one place, unless it was inlined at
 * different lines. Call when lanes arrive at a barrier that counts all threads of the block:
 * programs give a number of threads to those that warps with different tasks reach at different
 * places.
 */
void note_barrier_place(struct warp *warp, const struct instruction *at, unsigned number,
			struct barrier *barrier);

#endif
