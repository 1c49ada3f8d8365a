/*
 * mbarrier: the mbarrier objects of a block's shared memory. Internal to
 * emulator/.
 *
 * An object counts arrivals of threads and bytes of asynchronous copies. Its
 * phase completes when no arrival is pending and the bytes announced have come;
 * the next phase then begins with the expected count. The block keeps the state
 * of each object beside shared memory. The 8 bytes of the object hold a copy of
 * it, so a kernel that overwrites them is found. Their layout, and that of the
 * state tokens which arrivals return, is the emulator's own: PTX leaves both
 * opaque.
 *
 * Waits do not suspend a warp; a test that fails returns false, which PTX allows
 * for try_wait at any time. If all warps of a block test in loops and nothing
 * changes, the wait can never end: a deadlock (mbarriers_idle()).
 */
#ifndef EMULATOR_MACHINE_BARRIERS_MBARRIER_H
#define EMULATOR_MACHINE_BARRIERS_MBARRIER_H

#include "emulator/machine/machine.h"

/* Where an mbarrier lies: in shared memory of the own block, or of another one of the cluster. */
struct mbarrier_place {
	struct block *block;
	uint32_t offset; /* in its shared memory; aligned and inside of it */
};

/* The place of the object that a lane of an OP_MBARRIER names. STEP_STOPPED, with a finding: there
 * can be none, or the operation cannot be on another block. */
enum step mbarrier_place_of_lane(struct warp *warp, const struct instruction *at, int lane,
				 struct mbarrier_place *out);
/* The place of an address of the window shared::cluster, for an instruction that may signal
 * mbarriers of other blocks. */
enum step mbarrier_place_of_address(struct warp *warp, const struct instruction *at, int lane,
				    uint64_t address, struct mbarrier_place *out);

/* The offset as the program counts it, for messages. */
unsigned long long mbarrier_own_offset(const struct warp *warp, uint64_t offset);

#define MBARRIER_BYTES 8
/* The largest count of arrivals, and of pending bytes in either direction. */
#define MBARRIER_COUNT_MOST ((1 << 20) - 1)

struct mbarriers;
void mbarriers_begin(struct block *block); /* when a block starts: forgets all objects */
void mbarriers_free(struct block *block);

instruction_handler run_mbarrier; /* OP_MBARRIER */

/*
 * For asynchronous copies that signal an mbarrier: `bytes` of them have arrived for the object at
 * an address of the window shared::cluster (cluster.h). May complete the phase. Write the bytes to
 * shared memory before this call. STEP_STOPPED, with a finding at `at` for `lane`: there is no
 * valid object there, or its bytes are out of range. `releases`: the lane has stored the bytes
 * itself, and the stores are ordered before what follows a wait for the phase.
 */
enum step mbarrier_bytes_arrive(struct warp *warp, const struct instruction *at, int lane,
				uint64_t address, uint32_t bytes, bool releases);

/* Sets *place to where that object is, and *phase to the number of the phase to which such bytes
 * would count now. STEP_STOPPED as above. */
enum step mbarrier_find_phase(struct warp *warp, const struct instruction *at, int lane,
			      uint64_t address, struct mbarrier_place *place, uint32_t *phase);

/*
 * Call when every warp of the block that ran in the last turns waits in a loop.
 * Returns true, with a finding, if an mbarrier is waited for and nothing that
 * the waiting threads could see has changed for MBARRIER_IDLE_TURNS calls.
 */
#define MBARRIER_IDLE_TURNS 200
bool mbarriers_idle(struct block *block);

/* ---- stores and reductions that signal an mbarrier (st.async, red.async) ---- */

/* Whether a store or an atomic signals an mbarrier. */
static inline bool async_store_signals(const struct instruction *at)
{
	return at->d != 0;
}

/* Signals the mbarriers of the active lanes, after all of them have stored: at once, and to the
 * race check the stores are ordered before what follows a wait for the phase. A GPU may write at
 * any time until the phase completes. STEP_STOPPED, with a
 * finding: an mbarrier is invalid, or is not in the block that the lane stored to. */
enum step async_store_signal(struct warp *warp, const struct instruction *at);

#endif
