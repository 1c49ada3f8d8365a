/*
 * session: the sweep. Starts workers, keeps a sweep going when they die, and
 * hands every result to a sink. perflab itself never loads CUDA: a worker
 * process (perflab-worker-cuda, found as git finds git-foo) executes cases and
 * streams results over an inherited socket; docs/worker-protocol.md.
 */
#ifndef HARNESS_SESSION_SESSION_H
#define HARNESS_SESSION_SESSION_H

#include "harness/plan/plan.h"
#include "harness/protocol/messages.h"
#include "metrics/settings.h"

/* ---- workers ---- */

/* Path of the worker of a backend: $PERFLAB_WORKER_<BACKEND>, beside the running program, $PATH.
 * PL_EUNSUPPORTED if there is none, with the remedy. */
int worker_find(struct text *path, const char *backend, struct error *err);

/* These start a worker, ask one thing, and end it. Strings live until the callback returns. */
int worker_doctor(const char *backend,
		  void (*visit)(void *context, const struct worker_check *check), void *context,
		  struct error *err);
int worker_devices(const char *backend,
		   void (*visit)(void *context, int ordinal, const struct device_info *device),
		   void *context, struct error *err);
/* chip NULL: the machine's own, or GH100. pattern NULL: all. */
int worker_metrics(const char *backend, const char *chip, const char *pattern,
		   void (*visit)(void *context, const struct worker_metric *metric), void *context,
		   struct error *err);
/* Passes that `wanted` (metric_request()) needs on a chip, and what it lacks ("NAME: reason"). */
int worker_pass_count(const char *backend, const char *chip, const struct string_list *wanted,
		      int64_t *passes, struct string_list *missing, struct error *err);

/* ---- the sweep ---- */

struct sweep_progress {
	size_t done, total;              /* steps: cases × rounds + counting; untimed: cases */
	const char *phase;               /* as worker_phase_name() has it */
	const struct plan_case *current; /* NULL: none */
	int64_t elapsed_ns, left_ns;     /* left: -1 unknown yet */
};

/*
 * Where results go. The coordinator calls these in its own thread; a non-zero
 * return ends the sweep with that code (the sink sets *err). `index` is into
 * plan->cases. progress and notice may be NULL.
 */
struct sweep_sink {
	void *context;
	/* Once, before any result: the plan is settled (inspection may have added skips). */
	int (*opened)(void *context, const struct session_info *info, const struct plan *plan,
		      struct error *err);
	int (*facts)(void *context, size_t index, const struct launch_facts *facts,
		     struct error *err);
	int (*round)(void *context, size_t index, const struct round_result *round,
		     struct error *err);
	int (*counters)(void *context, size_t index, const struct counter_list *counters,
			struct error *err);
	/* Of an emulator only. */
	int (*lines)(void *context, size_t index, const struct line_count_list *lines,
		     struct error *err);
	/* The last word on a case. Not called for one that the plan skips. */
	int (*finished)(void *context, size_t index, enum trial_status status, const char *reason,
			struct error *err);
	void (*progress)(void *context, const struct sweep_progress *progress);
	void (*notice)(void *context, const char *line); /* one line for the user */
};

struct sweep_outcome {
	size_t ok, skipped, failed; /* cases; skipped and failed by trial status */
	size_t workers;             /* started */
	bool interrupted;
};

/*
 * Makes the plan once the device is known. `device` is NULL for a plan without
 * one. The plan stays the source's; the coordinator borrows it and only adds
 * skips that inspection on the device finds.
 */
struct plan_source {
	void *context;
	int (*build)(void *context, const struct device_info *device, struct plan **out,
		     struct error *err);
};

/*
 * Opens a worker, has the plan built for its device, inspects every case
 * there (registers, occupancy, code hash; a block that its registers do not
 * allow becomes a skip), then calls sink->opened. Then rounds, each in a fresh
 * worker: verify and time the cases in an order drawn from the seed; then
 * counting, in batches, passes outside and cases inside. A worker that dies or
 * hangs costs only the case in flight. Finished parts of a resumed plan are
 * not repeated. Where the session is untimed, every case is emulated once in
 * place of rounds and counting, in settings->jobs workers side by side, and
 * ends in any order. Returns 0 even if cases failed (see *outcome); PL_EUNSUPPORTED
 * when no device can be used; PL_EINTERRUPTED when *stop became non-zero.
 */
int sweep_execute(const char *backend, const struct plan_source *source,
		  const struct measure_settings *settings, const struct sweep_sink *sink,
		  const volatile int *stop, struct sweep_outcome *outcome, struct error *err);

/* Opens, builds and inspects as above, then ends: `sweep --dry-run`. info may be NULL. */
int sweep_inspect(const char *backend, const struct plan_source *source,
		  const struct measure_settings *settings, struct session_info *info,
		  struct error *err);

#endif
