/*
 * harness: how a number is obtained. Axes and plan, the coordinator that
 * starts workers and keeps a sweep going when they die, and the protocol
 * between the two. perflab itself never loads CUDA: a worker process
 * (perflab-worker-cuda, found as git finds git-foo) executes cases and
 * streams results over an inherited socket; docs/worker-protocol.md.
 */
#ifndef HARNESS_HARNESS_H
#define HARNESS_HARNESS_H

#include "kernels/kernels.h"
#include "metrics/metrics.h"

/* ---- axes ---- */

/*
 * Values of an axis. Grammar, comma-separated pieces:
 *   64          one value (sizes: 2^24, 16Mi)
 *   64..1024    doubles from 64 while <= 1024
 *   64..1024:+32  steps of 32        64..1024:*4  factors of 4
 * Ascending, no duplicates, every value >= 1, at most AXIS_MAX_VALUES of them.
 */
#define AXIS_MAX_VALUES 4096
struct axis_values {
	int64_t *items;
	size_t count;
};
int axis_parse(struct axis_values *out, const char *text, struct error *err);
void axis_values_release(struct axis_values *values);

/* ---- plan ---- */

/* The word in place of the values of the axis n that stands for each kernel's small_size. */
#define SIZE_SMALL "small"

struct axis_override {
	const char *name, *values; /* "block", "64..1024"; "n", SIZE_SMALL */
};

struct plan_request {
	/*
	 * "reduce", "reduce/shuffle", "reduce/shuffle/block=256,n=4096", with * and ?; none:
	 * everything. Kernels that run on request only (`fault`) are chosen by their name in
	 * full, never by a pattern in its place.
	 */
	const char *const *selectors;
	size_t selector_count;
	const struct axis_override *overrides;
	size_t override_count;
};

struct plan_case {
	char *kernel, *variant, *config; /* config: canonical axes text */
	struct axis_value axes[KERNEL_MAX_CASE_AXES];
	size_t axis_count;
	size_t position;            /* in the whole plan, also of a case of a shard */
	struct launch_case *launch; /* NULL: skipped */
	char *skip_reason;          /* NULL: runnable */
	/* A resumed run: what is stored already. All zero in a fresh plan. */
	int rounds_done;
	bool counted;
	bool finished; /* its status is final */
};

struct plan {
	struct plan_case *cases;
	size_t count;
	size_t runnable;
};

/* PL_EUSAGE for an unknown kernel, variant or axis (with the nearest names), or bad values; an axis
 * that only some selected kernels have applies to those; one that none has is an error. */
int plan_build(struct plan **out, const struct plan_request *request,
	       const struct device_limits *limits, struct error *err);
void plan_free(struct plan *plan);
void plan_case_release(struct plan_case *planned); /* of a plan that keeps it no longer */
/* Leaves the cases of one shard, counted from 1, of so many; all shards of one plan are the plan.
 */
void plan_take_shard(struct plan *plan, size_t shard, size_t total);
/*
 * Of all that a case gives the device beside its machine code and the seed:
 * image, buffers and how they are filled, launches with their arguments. Hex,
 * the same on every machine; equal for equal launches of one perflab.
 */
void launch_hash(char out[24], const struct launch_case *work);
void device_limits_of(struct device_limits *out, const struct device_info *device);

/* ---- settings of a measurement ---- */

enum cache_mode { CACHE_COLD, CACHE_HOT };

struct measure_settings {
	int device; /* ordinal */
	uint64_t seed;
	enum cache_mode cache;
	int64_t min_samples; /* a case */
	int64_t max_time_ns; /* for timing one case, its flushes included, all rounds together */
	double precision;    /* stop when the median's interval is within +- this ratio */
	int rounds;          /* fresh workers */
	int64_t timeout_ns;  /* for one phase of one case */
	struct string_list metrics; /* as metric_request() left them; empty: no counters */
	char *chip;      /* whose limits an emulator takes: "GH100"; NULL: the backend's choice */
	bool all_blocks; /* an emulator runs every block, however many there are */
	int jobs;        /* workers of an emulator side by side; 0: one a processor */
	char *counter_dump; /* NULL, or a folder for counter-data images (tests' fixtures) */
};
extern const struct measure_settings measure_settings_default;
void measure_settings_release(struct measure_settings *settings);
/* JSON text of settings (malloc'd), and back; for storage, --resume and the wire. */
char *measure_settings_to_json(const struct measure_settings *settings);
int measure_settings_from_json(struct measure_settings *out, const char *json, struct error *err);

/* ---- workers ---- */

/* Path of the worker of a backend: $PERFLAB_WORKER_<BACKEND>, beside the running program, $PATH.
 * PL_EUNSUPPORTED if there is none, with the remedy. */
int worker_find(struct text *path, const char *backend, struct error *err);

/* One line of `perflab doctor`. */
struct worker_check {
	const char *name; /* "driver", "device 0", "CUPTI", "counter permission", … */
	bool ok;
	const char *found;  /* "580.159.04", or what is wrong */
	const char *remedy; /* "" when ok */
};

/* One metric as a chip describes it, for `list metrics`. */
struct worker_metric {
	const char *name, *unit, *kind, *description;
};

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

/* What a worker says of the device and its surroundings once it is open. */
struct session_info {
	struct device_info device;
	struct key_value_list environment; /* clocks, persistence mode, profiler … */
	char profiler[16];                 /* "" none, "ncu", "nsys" */
	char *counters_reason; /* why counters are off; NULL: they are on (or none asked for) */
	int64_t passes;        /* of the counter plan */
	bool untimed;          /* an emulator: cases are emulated, not measured and counted */
};
void session_info_release(struct session_info *info);

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
