/*
 * watch_history: compares each measurement of a watch with the last one and with the best so far,
 * case by case. Knows neither workers nor files. Internal to watch/.
 */
#ifndef HARNESS_WATCH_WATCH_HISTORY_H
#define HARNESS_WATCH_WATCH_HISTORY_H

#include "harness/watch/watch.h"

/* The newest measurement of a case that has a result, and the best. */
struct watch_slot {
	char *name;
	struct watch_result last, best; /* best of an emulated case: none */
};

/* All zeroes is empty. */
struct watch_history {
	struct run **runs; /* those that slots or the newest report use */
	size_t run_count, run_capacity;
	struct watch_slot *slots;
	size_t slot_count, slot_capacity;
};

/*
 * Compares a run, which was loaded with rounds, and then remembers it. Takes over the contents of
 * *run. The report borrows from the history until the next call. `ceilings` are those of the
 * device. An outdated run is compared, but neither becomes the last nor the best.
 */
int watch_history_add(struct watch_history *history, struct run *run,
		      const struct ceiling_list *ceilings, bool outdated, struct watch_report *out,
		      struct error *err);
void watch_history_release(struct watch_history *history);

#endif
