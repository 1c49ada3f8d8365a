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

#include <sys/types.h>

#include "harness/protocol/channel.h"
#include "harness/protocol/messages.h"
#include "kernels/kernels.h"
#include "metrics/meter.h"
#include "metrics/profile.h"
#include "metrics/settings.h"

struct shared_data;

/* ---- replies: worker_reply.c. One function for each sends one reply to perflab, and returns 0, or
 * PL_EIO if perflab has closed the socket. ---- */

/* The replies to the current request. */
struct worker_reply {
	struct channel *channel;
	bool lost; /* perflab has closed the socket */
};

/* Sends any reply. Steals the reference to `message`. */
int worker_reply_send(struct worker_reply *reply, const char *name, json_t *message);

int worker_reply_check(struct worker_reply *reply, const struct worker_check *check);
int worker_reply_device(struct worker_reply *reply, int ordinal, const struct device_info *device);
int worker_reply_metric(struct worker_reply *reply, const struct worker_metric *metric);
/* To be sent before the phase begins. `pass` counts from 0 in WORKER_PHASE_COUNT and is -1 in every
 * other phase. */
int worker_reply_phase(struct worker_reply *reply, int64_t id, enum worker_phase phase,
		       int64_t pass);
/* `placements`: over how many placements of the data in physical memory the samples are spread;
 * 0: not known. `unmoved`: why there are fewer than the settings ask for; NULL: there are not, or
 * the buffers are small. */
int worker_reply_samples(struct worker_reply *reply, int64_t id, int round, const double *time_ns,
			 size_t count, int64_t placements, const char *unmoved);
/*
 * To be sent once per round if the request names a base case: its samples, which were taken beside
 * those of the case, as many as these and in the same order. same_buffers: both operations used the
 * same device memory, apart from at most 1 % of the bytes.
 */
int worker_reply_beside(struct worker_reply *reply, int64_t id, int round, const double *base_ns,
			size_t count, bool same_buffers);
/* Sent instead if the case was measured alone because its base case cannot be measured. */
int worker_reply_alone(struct worker_reply *reply, int64_t id, int round, const char *reason);
/* To be sent once per round: the relative error of the results, or NAN and the reason. */
int worker_reply_accuracy(struct worker_reply *reply, int64_t id, int round, double relative_error,
			  const char *reason);
/* To be sent in the first round if the metrics ask for clocks: what they read. */
int worker_reply_clocks(struct worker_reply *reply, int64_t id, int round,
			const struct counter_list *clocks);
/* To be sent once, after everything else: what the parts of the request took. */
int worker_reply_times(struct worker_reply *reply, int64_t id, const struct meter *meter);
int worker_reply_state(struct worker_reply *reply, int64_t id, int round,
		       const struct device_state *state);
int worker_reply_counters(struct worker_reply *reply, int64_t id,
			  const struct counter_list *counters);
/* In place of all counters: why there are none in this session. */
/* busy: another process holds the counters. */
int worker_reply_counters_off(struct worker_reply *reply, const char *reason, bool busy);
/*
 * Sends the counts of an emulator for each source line, once per case. The
 * list has at most 262144 lines; the name of a file has 1 to 4095 bytes and no
 * control characters. A long list takes several replies.
 */
int worker_reply_lines(struct worker_reply *reply, int64_t id, const struct line_count_list *lines);

/* To be sent once for each case of a `profile` request. `own`, of each function: it is in the image
 * of the case. */
int worker_reply_profile(struct worker_reply *reply, int64_t id, const struct profile *profile,
			 const bool *own);

/* Adds "; it may be nv-hostengine (process 12)" with all that may hold the counters, or that none
 * can be seen. `on_device`: other processes on the device. */
void counter_holders_add(struct text *out, const pid_t *on_device, size_t count);

/* ---- requests ---- */

/* One case of a `count` request. */
struct count_item {
	int64_t id;
	struct launch_case *work;
};

/* One case of a `profile` request. */
struct profile_item {
	int64_t id;
	struct launch_case *work;
	double time_ns; /* median of its samples */
};
struct profile_items {
	struct profile_item *items;
	size_t count;
	int64_t budget_ns; /* the most time for counting; 0: no limit */
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
	/* metrics NULL: those of the settings. */
	int (*count)(void *backend, const struct count_item *items, size_t count,
		     const struct string_list *metrics, struct worker_reply *reply,
		     enum trial_status *status, struct text *reason, struct error *err);
	/* Samples and counts the instructions of each case. It cannot fail for what a machine
	 * lacks: the profiles say so. NULL: the backend cannot do it. */
	int (*profile)(void *backend, const struct profile_items *items, struct worker_reply *reply,
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

/*
 * Ends this process soon after perflab is gone, even in the middle of a request, which can take as
 * long as --timeout. The signal of perflab's death reaches only a worker that it started itself,
 * not one behind a script, and a library may handle it; so the end of the socket counts, too.
 * Called once, before worker_main().
 */
void worker_watch_perflab(int fd);
/* Serves requests from `fd` until perflab closes the socket. Returns an exit code: 0 if it was
 * closed between two requests, otherwise 1. */
int worker_main(const struct backend_ops *ops, int fd);

#endif
