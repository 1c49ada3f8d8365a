/*
 * worker_loop: the worker's side of the protocol, the same for every backend.
 * A worker program fills a table of operations and calls worker_main(); the
 * loop reads requests, checks and decodes them, calls the operation, and
 * answers `done`. Internal to harness/ and its backends.
 *
 * An operation returns 0, or an error code with *err set; then `done` carries
 * the text as its reason, and as its status
 *
 *	PL_EDEVICE	device_error	(the context is lost: perflab ends this worker)
 *	PL_ENOMEM	out_of_memory
 *	PL_EUNSUPPORTED	failed, marked as not possible on this machine
 *	PL_EUSAGE	failed, marked as a slip in what the user asked for
 *	anything else	failed
 *
 * What is no error of the operation but a finding about the case (skipped,
 * mismatch, or a status of the operation's own choice) goes into
 * *status and *reason, which begin as TRIAL_OK and "".
 *
 * worker_reply_*() return 0, or PL_EIO when perflab is no longer there; an
 * operation passes that on at once and the loop ends.
 */
#ifndef HARNESS_WORKERS_WORKER_LOOP_H
#define HARNESS_WORKERS_WORKER_LOOP_H

#include "harness/protocol/messages.h"
#include "kernels/kernels.h"
#include "metrics/settings.h"

/* Where the answers of the request being served go. */
struct worker_reply;

int worker_reply_check(struct worker_reply *reply, const struct worker_check *check);
int worker_reply_device(struct worker_reply *reply, int ordinal, const struct device_info *device);
int worker_reply_metric(struct worker_reply *reply, const struct worker_metric *metric);
/* Before the phase begins. `pass` counts from 0 and is for WORKER_PHASE_COUNT; -1: none. */
int worker_reply_phase(struct worker_reply *reply, int64_t id, enum worker_phase phase,
		       int64_t pass);
int worker_reply_samples(struct worker_reply *reply, int64_t id, int round, const double *time_ns,
			 size_t count);
/* Once a round: `relative_error` of the results, or NAN and the reason why there is none. */
int worker_reply_accuracy(struct worker_reply *reply, int64_t id, int round, double relative_error,
			  const char *reason);
int worker_reply_state(struct worker_reply *reply, int64_t id, int round,
		       const struct device_state *state);
int worker_reply_counters(struct worker_reply *reply, int64_t id,
			  const struct counter_list *counters);
/*
 * What an emulator counted at each source line of a case: at most 262144
 * lines, names of files of 1 to 4095 bytes without control characters. Once a
 * case; a long list goes in several replies.
 */
int worker_reply_lines(struct worker_reply *reply, int64_t id, const struct line_count_list *lines);

/* One case of a `count` request. */
struct count_item {
	int64_t id;
	struct launch_case *work;
};

/*
 * What a backend can do. `backend` of the table goes to every operation. The
 * loop keeps the order of the protocol: open succeeds once before inspect,
 * measure or count are called; close is called at the end, even if open never
 * was. Arguments are checked and live until the operation returns, but the
 * settings, which live until close returns.
 */
struct backend_ops {
	const char *name;    /* "cuda" */
	const char *version; /* of the worker */
	void *backend;

	/* These start no context and work on a machine with no device. */
	int (*doctor)(void *backend, struct worker_reply *reply, struct error *err);
	int (*devices)(void *backend, struct worker_reply *reply, struct error *err);
	int (*metrics)(void *backend, const char *chip, const char *pattern, /* NULL: none given */
		       struct worker_reply *reply, struct error *err);
	int (*passes)(void *backend, const char *chip, const struct string_list *wanted,
		      int64_t *passes, struct string_list *missing, struct error *err);

	/* *info begins as all zeroes; the loop releases it. */
	int (*open)(void *backend, const struct measure_settings *settings,
		    struct session_info *info, struct error *err);
	/* *facts begins as launch_facts_unknown; sent unless there is an error. */
	int (*inspect)(void *backend, const struct launch_case *work, struct launch_facts *facts,
		       enum trial_status *status, struct text *reason, struct error *err);
	int (*measure)(void *backend, int64_t id, const struct launch_case *work, int round,
		       struct worker_reply *reply, enum trial_status *status, struct text *reason,
		       struct error *err);
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

/* Serves requests from `fd` until it closes. Returns an exit code: 0 if perflab closed it in good
 * order. */
int worker_main(const struct backend_ops *ops, int fd);

#endif
