/*
 * lost_device: tells a case that loses its worker from a device that is gone, such as a GPU that
 * has fallen off the bus. Both look alike while the case is measured. The next worker shows it: if
 * its program runs and the device does not open any more, the case is not to blame. It is left
 * pending with its rounds, so that a resumed run measures it again. A case with which a device is
 * lost twice is to blame. An emulator has no device to lose. Internal to sweep/.
 */
#ifndef HARNESS_SWEEP_LOST_DEVICE_H
#define HARNESS_SWEEP_LOST_DEVICE_H

#include "harness/sweep/sweep_state.h"

struct sweep_store;

/* A case has ended. */
void lost_device_case_ended(struct sweep *sweep, size_t index, enum trial_status status);
/* A worker has opened the device: what happened before was not the fault of the device. */
void lost_device_opened(struct sweep *sweep);
/* No worker opens the device any more, and the device is to blame. */
void lost_device_note(struct sweep *sweep);
/* After the last case: if a case is suspected, opens a worker, which acquits the device. Returns
 * the error if the device is lost, or PL_EINTERRUPTED. Any other failure says nothing about the
 * device: a warning says so, and what was measured stays as it is. */
int lost_device_check(struct sweep *sweep, struct error *err);
/* The case in flight when the device was lost; NO_CASE: none was, or the device is not lost. */
size_t lost_device_case(const struct sweep *sweep);
/* If the device is lost: stores why, makes the case in flight pending again, and says so. A case
 * with which a device was lost before, in this run or in another one of its sweep, has crashed
 * instead, or is left without counters. One for which the database refuses this stays as it has
 * ended. In both cases it is no longer the one in flight. */
void lost_device_store(struct sweep *sweep, const struct sweep_store *store,
		       const struct error *why);

#endif
