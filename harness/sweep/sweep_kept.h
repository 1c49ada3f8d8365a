/*
 * sweep_kept: what one process keeps between sweeps of the same request, so that the next one
 * starts sooner: the choice of the backend, and a standby worker with an open session. Ceilings are
 * measured before the first sweep only. Internal to sweep/.
 *
 * A standby worker is one that nobody has measured with: every sweep begins in a fresh worker, as
 * without it. Its device may have become idle since it was opened; the worker raises the clocks
 * again. It replies the facts of its environment that may have changed, and the run says how long
 * ago it was opened.
 */
#ifndef HARNESS_SWEEP_SWEEP_KEPT_H
#define HARNESS_SWEEP_SWEEP_KEPT_H

#include "harness/client/client.h"
#include "harness/protocol/messages.h"
#include "harness/sweep/sweep.h"

struct sweep_kept {
	char *backend;                 /* of the first sweep that succeeded; NULL: none yet */
	struct worker_process standby; /* pid 0: there is none */
	struct session_info standby_info;
	int64_t standby_since_ns;
	struct worker_process leaving; /* of the last sweep; pid 0: it has ended */
	struct exchange waking;        /* valid if is_waking: the worker of the sweep wakes */
	bool is_waking;
	struct key_value_list woken; /* facts of the environment that the waking worker replied */
};

/* Moves the standby worker and its session to the caller, and wakes it: the caller calls
 * kept_await_wake() before the next request. Returns false if there is none that still runs. */
bool kept_take_standby(struct sweep_kept *kept, struct worker_process *worker,
		       struct session_info *info);
/* Waits until the worker is awake, or ends it if it cannot be used. Renews the facts of the device
 * in *environment. Does nothing if it was not asked to wake. */
void kept_await_wake(struct sweep_kept *kept, struct worker_process *worker,
		     struct key_value_list *environment);
/* Takes over a worker that has done its work; kept_prepare() ends it. */
void kept_leave(struct sweep_kept *kept, struct worker_process *worker);

#endif
