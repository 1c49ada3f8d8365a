/*
 * worker_loop: the worker's side of the protocol, the same for every backend.
 * A worker program fills a table of operations and calls worker_main(). The
 * loop reads, decodes and checks each request, calls the operation for it, and
 * sends `done`.
 *
 * An operation returns 0, or an error code with *err set. For an error, the
 * loop sends the error text as the reason of `done`, and one of these statuses:
 *
 *	PL_EDEVICE	device_error	(the context is lost: perflab ends this worker)
 *	PL_ENOMEM	out_of_memory
 *	PL_EUNSUPPORTED	failed, marked as not possible on this machine
 *	PL_EUSAGE	failed, marked as an error in the user's request
 *	anything else	failed
 *
 * The loop serves `prepare` itself: it needs no device.
 *
 * An operation that succeeds but has a finding about the case, such as skipped,
 * mismatch or unverified, sets *status and *reason instead. They are TRIAL_OK and "" before
 * the call.
 *
 * If a worker_reply_*() fails, perflab has closed the socket. The operation must
 * then return PL_EIO immediately, and the loop ends.
 */
#ifndef HARNESS_WORKERS_WORKER_LOOP_H
#define HARNESS_WORKERS_WORKER_LOOP_H

#include "harness/workers/shared_data.h"
#include "harness/workers/worker_reply.h"
#include "kernels/kernels.h"
#include "metrics/settings.h"

/* One case of a `count` request. */
struct count_item {
	int64_t id;
	struct launch_case *work;
};

/* How a session is opened, beside its settings. */
struct open_manner {
	bool check_counters; /* false: whether there are counters need not be known before count */
	const char *uuid;    /* of the device; NULL: not known. The backend needs no other. */
	int64_t idle_ns;     /* how long ago another worker used the device; -1: not known */
};

/* How a worker gets ready before `open`. */
struct ready_manner {
	int device;          /* as in the settings of `open` */
	bool check_counters; /* as in struct open_manner, like uuid */
	const char *uuid;
};

/*
 * The operations of a backend. The loop passes `backend` to each of them and
 * keeps the order of the protocol: open succeeds once before inspect, measure,
 * count or emulate is called. close is called at the end, even without open.
 * The loop has checked all arguments. They live until the operation returns,
 * except for the settings, which live until close returns.
 */
struct backend_ops {
	const char *name;    /* "cuda" */
	const char *version; /* of the worker */
	void *backend;

	/* These four work on a machine without a device, and before open. */
	int (*doctor)(void *backend, struct worker_reply *reply, struct error *err);
	int (*devices)(void *backend, struct worker_reply *reply, struct error *err);
	int (*metrics)(void *backend, const char *chip, const char *pattern, /* NULL: none given */
		       struct worker_reply *reply, struct error *err);
	int (*passes)(void *backend, const char *chip, const struct string_list *wanted,
		      int64_t *passes, struct string_list *missing, struct error *err);

	/* Lends the data that the next request shares, or NULL after it. NULL: the backend makes
	 * all data itself. */
	void (*share)(void *backend, struct shared_data *shared);
	/* *info is all zeroes before the call; the loop releases it. */
	int (*open)(void *backend, const struct measure_settings *settings,
		    const struct open_manner *manner, struct session_info *info, struct error *err);
	/* Does a part of open in advance, while another worker may measure on the device. NULL:
	 * there is none. After an error, open does all of it. */
	int (*ready)(void *backend, const struct ready_manner *manner, struct error *err);
	/* Makes an open session ready after it may have been idle: see docs/worker-protocol.md.
	 * NULL: it always is. *environment is empty; it gets the facts of the session's environment
	 * that may be others now. */
	int (*wake)(void *backend, struct key_value_list *environment, struct error *err);
	/* *facts is launch_facts_unknown before the call; the loop sends it unless there is an
	 * error. */
	int (*inspect)(void *backend, const struct launch_case *work, struct launch_facts *facts,
		       enum trial_status *status, struct text *reason, struct error *err);
	/* base NULL: the case is measured alone. Otherwise the base case is verified in
	 * WORKER_PHASE_BESIDE, and both are timed in turn. */
	int (*measure)(void *backend, int64_t id, const struct launch_case *work,
		       const struct launch_case *base, int round, struct worker_reply *reply,
		       enum trial_status *status, struct text *reason, struct error *err);
	int (*count)(void *backend, const struct count_item *items, size_t count,
		     struct worker_reply *reply, enum trial_status *status, struct text *reason,
		     struct error *err);
	/*
	 * A backend without a clock has this in place of measure and count (NULL there): executes
	 * the case once, verifies it, and replies counters and lines. Its traits in the
	 * session's info are emulated and not timed.
	 */
	int (*emulate)(void *backend, int64_t id, const struct launch_case *work,
		       struct worker_reply *reply, enum trial_status *status, struct text *reason,
		       struct error *err);
	void (*close)(void *backend);
};

/* Ends this process soon after perflab is gone, even in the middle of a request. Called once,
 * before worker_main(). */
void worker_watch_perflab(int fd);
/* Serves requests from `fd` until perflab closes the socket. Returns an exit code: 0 if it was
 * closed between two requests, otherwise 1. */
int worker_main(const struct backend_ops *ops, int fd);

#endif
