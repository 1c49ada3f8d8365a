/*
 * The parts of `perflab sweep`: what was asked for, what to plan, on which
 * backend to run it, where results go, what the user sees meanwhile.
 */
#ifndef CLI_SWEEP_H
#define CLI_SWEEP_H

#include "cli/shared.h"
#include "db/db.h"
#include "harness/plan/plan.h"
#include "harness/session/session.h"
#include "metrics/metrics.h"
#include "metrics/settings.h"

/* ---- progress on stderr ---- */

/*
 * On a terminal one line that is rewritten; elsewhere a line now and then. A
 * message in between goes through progress_say(), so that the two never mix.
 */
struct progress {
	bool quiet, rewrites;
	int width;
	bool shown; /* a rewritten line stands on the terminal */
	int64_t last_ns;
};
void progress_init(struct progress *progress, const struct terminal *terminal, bool quiet);
/* A line of any kind, if it is time for one. */
void progress_line(struct progress *progress, const char *line);
void progress_update(struct progress *progress, const struct sweep_progress *state);
void progress_say(struct progress *progress, const char *line);
/* Takes the rewritten line away. */
void progress_end(struct progress *progress);

/* ---- the plan ---- */

/* The part of a sweep that a run measures. */
struct sweep_shard {
	size_t number, total; /* from 1; total 0: the whole sweep */
	char *sweep;          /* its name; NULL: shards that are alike in all else are of one */
	size_t cases;         /* of the whole plan */
	uint64_t plan_hash;
};

/* What the user asked for, or a stored run to go on with. */
struct sweep_plan {
	struct string_list selectors;
	struct string_list names, values; /* overrides: axis names and their values */
	const struct run *resumed;        /* NULL: a fresh sweep */
	int64_t *trial_ids;               /* of the resumed run, by index in the plan */
	struct sweep_shard shard;
	struct plan *plan; /* made by sweep_plan_build() */
};
/* "NAME=VALUES". */
int sweep_plan_set(struct sweep_plan *plan, const char *assignment, struct error *err);
void sweep_plan_override(struct sweep_plan *plan, const char *name, const char *values);
/* plan_source.build; context is a struct sweep_plan. A second call replaces the first plan. */
int sweep_plan_build(void *context, const struct device_info *device, struct plan **out,
		     struct error *err);
void sweep_plan_release(struct sweep_plan *plan);
/* The plan as a table: case, runnable or skipped, reason. */
int sweep_plan_print(const struct invocation *call, const struct plan *plan,
		     enum report_format format, struct error *err);

/* ---- the request: sweep_request.c ---- */

#define SWEEP_BLOCKS_ALL 1 /* of --blocks: the second word */

struct sweep_options {
	const char *block_sizes, *size, *label, *note, *db, *resume, *backend, *counter_dump, *chip;
	const char *shard, *sweep_id;
	struct string_list sets, metrics;
	uint64_t seed;
	int64_t min_samples, max_time_ns, rounds, timeout_ns, device, jobs;
	double precision;
	int cache, format, blocks, ceilings; /* ceilings: enum ceilings_when */
	bool dry_run, quiet, all_metrics;
	bool stored; /* of perflab ceilings */
};

/* Replaces what *settings held. What metrics there are depends on the backend. */
int sweep_request_settings(struct measure_settings *settings, const struct sweep_options *options,
			   const char *backend, struct error *err);
int sweep_request_plan(struct sweep_plan *plan, const struct invocation *call, struct error *err);

/* Backends to try in this order; the first that opens a device is taken. */
struct backend_choice {
	const char *names[2]; /* borrowed */
	size_t count;
	bool automatic;  /* --backend auto */
	bool said;       /* the user knows which it is */
	struct text why; /* the last of them: an option that asks for it, or what the others lack */
	int code;        /* the error of those that were tried */
};
/* From the words alone. PL_EUSAGE: options that the backend named has no use for. */
int backend_choose(struct backend_choice *choice, const struct invocation *call, struct error *err);
/* 0 if there is a worker for one of them. */
int backend_choice_find(struct backend_choice *choice, struct error *err);
/* Notes why one cannot be used; false: the error is not of that kind, and the last word. */
bool backend_choice_lacks(struct backend_choice *choice, size_t index, int rc,
			  const struct error *cause);
/* None is left: the error with all reasons. */
int backend_choice_fail(const struct backend_choice *choice, struct error *err);
/* One line, where an automatic choice comes to the emulator. */
void backend_choice_say(struct backend_choice *choice, size_t index, const struct invocation *call);
void backend_choice_release(struct backend_choice *choice);

/* ---- shards: sweep_shard.c ---- */

/* From the words alone. */
int sweep_shard_request(struct sweep_plan *plan, const struct sweep_options *options,
			struct error *err);
/* Leaves its cases in the plan. PL_EUSAGE: there are fewer cases than shards. */
int sweep_shard_take(struct sweep_shard *shard, struct plan *plan, struct error *err);
/* Adds to the environment what a merge needs; the run has its device and settings. */
void sweep_shard_describe(struct run *run, const struct sweep_shard *shard);

/* ---- the run: sweep_run.c ---- */

/* One call of the verb. */
struct sweep_call {
	const struct invocation *call;
	const struct sweep_options *options;
	struct measure_settings settings;
	struct sweep_plan plan;
	struct run resumed;
	struct backend_choice choice;
	const char *backend; /* the one of the choice that is tried */
	const char *db_path;
	bool of_ceilings; /* only on what has a clock of its own: no emulator, no profiler */
	struct progress progress;
};

/* Nothing is there, and something can be: what else may be wrong with a path db_open() tells. No
 * database is left behind where nothing can be measured, so a new one waits for a device. */
bool sweep_database_is_new(const char *path);
/* What became of a run. */
struct sweep_stored {
	int64_t run_id;
	bool begun;    /* it is in the database, whatever became of it */
	size_t failed; /* cases */
};
/* Measures and stores on sweep->backend; *db as for sweep_try_backends(). Prints no report. */
int sweep_measure(struct sweep_call *sweep, struct db **db, struct sweep_stored *stored,
		  struct error *err);
/* The last word on a run: call->exit_code by how its trials ended, said; PL_EUNSUPPORTED when all
 * were skipped. */
int sweep_conclude(struct invocation *call, const struct run *run, struct error *err);

/*
 * Sweeps, or plans for --dry-run, on one backend of the choice after the
 * other, until one opens. *db NULL: a new file, which is there once a device
 * is.
 */
int sweep_try_backends(struct invocation *call, struct sweep_call *sweep, struct db **db,
		       struct error *err);
/* --dry-run: where nothing can be measured, a plan can still be shown. */
int sweep_dry_run_anywhere(struct invocation *call, struct sweep_call *sweep, struct error *err);

/* ---- ceilings before a sweep: sweep_ceilings.c ---- */

/* Values of --ceilings: measured when none are stored of the device; each time; not at all. */
enum ceilings_when { CEILINGS_AUTO, CEILINGS_ALWAYS, CEILINGS_NEVER };
extern const char *const ceilings_when_words[];
/* What --ceilings is when it is not given: $PERFLAB_CEILINGS, else auto. PL_EUSAGE: another word.
 */
int ceilings_when_default(int *out, struct error *err);
/*
 * One round, for each verifies all that it times, which takes longer than
 * timing. No more precision than roofs need: after some tens of milliseconds
 * on tensor cores a device takes its clock back to stay within its power, and
 * kernels are measured in bursts as short as these.
 */
#define CEILINGS_ROUNDS 1
#define CEILINGS_PRECISION 0.01
/* Settings of a run of ceilings: those of a sweep, and no counters. */
int ceilings_settings(struct measure_settings *settings, const struct sweep_options *options,
		      const char *backend, struct error *err);
/*
 * Measures them as a run of its own in the same session, if --ceilings, the
 * backend and the database want it. What goes wrong is said, and no error,
 * for the sweep can do without; but for PL_EINTERRUPTED.
 */
int ceilings_before(const struct sweep_call *sweep, struct db **db, struct error *err);

/* ---- the store ---- */

struct sweep_store {
	struct db *db;        /* NULL: not made yet; borrowed */
	const char *new_path; /* where it is made when there is a run to store */
	struct sweep_plan *plan;
	struct progress *progress;
	bool say_backend;                  /* once it is open */
	bool of_ceilings;                  /* refuses an emulator and a profiler */
	const struct string_list *metrics; /* as metric_request() left them */
	struct run run; /* what is known before the device is; its id once it is stored */
	bool begun;     /* the run is in the database */
	int64_t *trial_ids;
};
struct sweep_sink sweep_store_sink(struct sweep_store *store);
void sweep_store_release(struct sweep_store *store);

#endif
