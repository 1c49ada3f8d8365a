/*
 * early_worker: the worker of the next round, which is started while the present one measures. It
 * gets ready as far as that does not change the samples of the other, and opens its session when
 * the round begins. A worker that is not needed, or that fails, ends without a word: the sweep
 * then starts one as it does without this. Internal to sweep/.
 */
#ifndef HARNESS_SWEEP_EARLY_WORKER_H
#define HARNESS_SWEEP_EARLY_WORKER_H

#include "harness/client/client.h"

struct sweep;

/* All zeroes: none was started. Must stay where it is. */
struct early_worker {
	struct worker_process process; /* pid 0: none runs */
	struct worker_hello hello;
	struct exchange ready; /* begun */
	bool fails;            /* one was of no use; no other is started */
};

/* Starts the worker, if a round follows and none was started for it. Does not wait for it. `uuid`
 * is that of the device; NULL: not known. */
void early_worker_begin(struct sweep *sweep, const char *uuid);
/* Moves the worker to the caller when it is ready, at most after `timeout_ns`. Returns false if
 * there is none of use. */
bool early_worker_take(struct sweep *sweep, struct worker_process *worker, int64_t timeout_ns);
/* Ends the worker, if there is one. */
void early_worker_end(struct sweep *sweep);

#endif
