/*
 * async_stores: stores and reductions that signal an mbarrier (st.async, red.async). They write
 * their bytes at once, and to the race check they are ordered before what follows a wait for the
 * mbarrier's phase; a GPU may write at any time until the phase completes. Internal to emulator/.
 */
#ifndef EMULATOR_MACHINE_COPIES_ASYNC_STORES_H
#define EMULATOR_MACHINE_COPIES_ASYNC_STORES_H

#include "emulator/machine/machine.h"

/* Whether a store or an atomic signals an mbarrier. */
static inline bool async_store_signals(const struct instruction *at)
{
	return at->d != 0;
}

/* Signals the mbarriers of the active lanes, after all of them have stored. STEP_STOPPED, with a
 * finding: an mbarrier is invalid, or is not in the block that the lane stored to. */
enum step async_store_signal(struct warp *warp, const struct instruction *at);

#endif
