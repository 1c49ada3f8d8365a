/*
 * count_busy: counters that another process holds: waits for them, tries again, and says in the end
 * which cases have them. Internal to sweep/.
 */
#ifndef HARNESS_SWEEP_COUNT_BUSY_H
#define HARNESS_SWEEP_COUNT_BUSY_H

#include "harness/sweep/sweep_state.h"

/* Opens the worker that counts the next batch. One that was refused the counters because they are
 * busy is replaced by a fresh one, after a while if there is time left to wait. They may be off
 * afterwards. PL_EINTERRUPTED, or an error of opening. */
int sweep_have_counters(struct sweep *sweep, struct error *err);
/* The time to wait begins when counters are first missed, not before the rounds. */
void sweep_begin_to_wait_for_counters(struct sweep *sweep);
/* Whether a batch that was refused the counters is to be tried again. */
bool sweep_waits_for_counters(const struct sweep *sweep);
/* Says which cases have counters, if something else was said before. */
void sweep_tell_counted(const struct sweep *sweep, size_t counted, size_t count);

#endif
