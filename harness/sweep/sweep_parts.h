/*
 * sweep_parts: the steps of sweep_run() besides those of sweep_state.h, and what helps them.
 * Internal to sweep/.
 */
#ifndef HARNESS_SWEEP_SWEEP_PARTS_H
#define HARNESS_SWEEP_SWEEP_PARTS_H

#include "harness/origin/origin.h"
#include "harness/sweep/sweep.h"
#include "harness/sweep/sweep_state.h"
#include "kernels/user/kernel_file.h"

/* Checks a request and its database as sweep_run() does. The plan, which the caller frees even
 * after an error, is not resolved for a device. A new database is not made. */
int sweep_plan(struct plan **out, const struct sweep_request *request, struct error *err);

/* ---- one run on one backend: measure_run.c ---- */

/* The inputs of one run. */
struct run_task {
	const struct sweep_request *request;
	const struct sweep_observer *observer;
	const volatile int *stop;
	const char *backend;
	const struct measure_settings *settings; /* for this backend */
	struct plan *plan;                       /* chosen, not resolved */
	const struct kernel_file *files;         /* of the user; NULL: none */
	const struct revision *against;          /* of the base variants; NULL: none */
	const struct key_value_list *sources;    /* facts about them */
	const struct run *since;                 /* of --changed-since; NULL: none */
	const struct sweep_shard *shard;
	const struct run *resumed; /* NULL: a new run */
	const int64_t *trial_ids;  /* of the resumed run */
	bool of_ceilings;          /* needs a timed backend and no profiler */
	bool announce_backend;     /* once it is open */
	struct sweep_kept *kept;   /* NULL: none */
};
/* Opens the backend, resolves the plan, inspects, stores, measures, judges. out->db may be open
 * already; out->run is loaded when the run succeeded. */
int measure_run(const struct run_task *task, struct sweep_result *out, struct error *err);
/* Opens the backend, resolves the plan and inspects. Sets `device` and `failed` of the struct
 * sweep_preview. */
int inspect_only(const struct run_task *task, void *preview, struct error *err);

/* ---- the source lines of profiles: profile_sources.c ---- */

struct profile_sources;
/* keep: keeps source text and machine code with the run. The writer is borrowed. */
struct profile_sources *profile_sources_new(const struct result_writer *writer, bool keep);
/* Sets the positions of the instructions of a profile, as far as the machine code of the case is
 * there and has lines. `own` as in profile_from_json(). The errors of the writer. */
int profile_sources_find(struct profile_sources *sources, struct profile *profile, const bool *own,
			 const struct launch_case *launch, struct error *err);
void profile_sources_free(struct profile_sources *sources);

/* ---- the files of an earlier revision: against.c ---- */

/* All zeroes: there is none. */
struct against {
	struct revision revision;
	struct kernel_file *files; /* as they were in it */
	char *base_variant;        /* "@MARK" */
};
/* Does nothing if the request has no revision. `now`: its files as they are. The errors of
 * revision_open() and request_read_files(). */
int against_open(struct against *out, const struct sweep_request *request,
		 const struct kernel_file *now, const volatile int *stop, struct error *err);
struct user_kernels against_kernels(const struct against *against, const struct kernel_file *now);
void against_close(struct against *against);
/* Says what the run compares with. */
void against_tell(const struct revision *revision, const struct sweep_observer *observer);
/* Skips the cases that were inspected and have the machine code, the launch and the data of their
 * base case, base cases of no other case, and recorded launches. */
void against_skip(struct sweep *sweep, const struct revision *revision);

/* ---- only what has changed: changed_since.c ---- */

/* Does nothing if the request has no --changed-since. Opens the database unless it is open. Loads
 * the run with its rounds. PL_EUSAGE: options that do not go together; there is no such run, or it
 * has no hashes of machine code. */
int changed_since_load(struct run *out, const struct sweep_request *request, struct db **db,
		       struct error *err);
/* Skips the cases that were inspected and are as they were in task->since, but for a few sentinels,
 * and says what has changed. PL_EUSAGE: the run has another device, driver or the like, so that
 * nothing can be compared. */
int changed_since_skip(struct sweep *sweep, const struct run_task *task, struct error *err);
/* Adds which run it was, and the sentinels of the plan. */
void changed_since_add_facts(struct key_value_list *facts, const struct run *since,
			     const struct plan *plan);

/* ---- resumed runs: resume.c ---- */

/* Loads the run that request->resume names, and its settings. The request replaces the settings
 * that a resume may change. PL_EUSAGE: the run is finished, or an option may not be changed;
 * PL_EBUSY: it still runs. */
int resume_load(struct run *run, struct measure_settings *settings,
		const struct sweep_request *request, struct db *db, struct error *err);
/* Reads only the request. */
int resume_check_options(const struct sweep_request *request, struct error *err);
/* Reads the files that the run measured, as the run says; *out stays unchanged if it measured
 * built-in kernels. The request may repeat the words of the run, but not change them. */
int resume_read_files(struct kernel_file **out, struct against *against, const struct run *run,
		      const struct sweep_request *request, const volatile int *stop,
		      struct error *err);
/* PL_EUNSUPPORTED: the device is not that of the run. */
int resume_check_device(const struct run *run, const struct device_info *device, struct error *err);
/* Chooses the cases of the run and marks the results that are stored. *trial_ids, by index in the
 * plan, is malloc'd. reopen: cases that were measured are not finished, for they may get more
 * rounds. */
int resume_plan(struct plan **out, int64_t **trial_ids, const struct run *run,
		const struct user_kernels *kernels, bool reopen, struct error *err);
/* PL_EUNSUPPORTED: a case that continues has other machine code or other launches than when the run
 * began. Needs the results of inspection. */
int resume_check_code(const struct run *run, const struct sweep *sweep, const int64_t *trial_ids,
		      struct error *err);

/* ---- the store: store.c ---- */

/* The samples of the trials that have not ended, for their summaries. All zeroes: there are none.
 */
struct kept_samples {
	struct kept_trial *trials; /* by the index of the case in the plan */
	size_t count;              /* samples of all trials */
};

struct sweep_store {
	struct db *db; /* borrowed */
	const struct string_list *metrics;
	int64_t run_id;
	bool begun; /* the database has the run */
	size_t trial_count;
	int64_t *trial_ids;
	struct kept_samples kept;
	const struct run *resumed; /* borrowed; NULL: a new run */
	struct meter *meter;       /* of the sweep; NULL: none */
};
/* Stores a new run with its plan, or reopens the resumed one. */
int store_begin(struct sweep_store *store, const struct run_task *task,
		const struct session_info *info, struct error *err);
/* Deletes the rounds from number `first` on of all trials, which have not ended. */
int store_drop_rounds(struct sweep_store *store, int first, struct error *err);
/* Deletes the rounds from number `first` on of one case, by its index in the plan. */
int store_drop_rounds_of(struct sweep_store *store, size_t index, int first, struct error *err);
struct result_writer store_writer(struct sweep_store *store);
void store_release(struct sweep_store *store);

/* ---- counters of earlier runs: taken_counters.c ---- */

/* Finds the cases of `pending` whose exact counters earlier runs have, and moves them to its end.
 * They have `taken`. */
int sweep_take_counters(struct sweep *sweep, size_t *pending, size_t count, struct error *err);
/* Adds the metrics of the sweep that such cases still need. */
void counters_left_to_count(struct string_list *out, const struct sweep *sweep);

/* ---- ceilings: ceilings.c ---- */

/*
 * Measures the ceilings of the device as a separate run, if the request, the
 * backend and the database call for it. Reports failures but returns no error
 * for them, because the sweep does not need ceilings. The exception is
 * PL_EINTERRUPTED.
 */
int ceilings_before(const struct sweep_request *request, const struct sweep_observer *observer,
		    const volatile int *stop, const char *backend, struct sweep_result *out,
		    struct error *err);

/* ---- lost devices: worker_exchange.c; measure_run.c stores the loss ---- */

/*
 * Tells a case that loses its worker from a device that is gone, such as a GPU that
 * has fallen off the bus. Both look alike while the case is measured. The next worker shows it: if
 * its program runs and the device does not open any more, the case is not to blame. It is left
 * pending with its rounds, so that a resumed run measures it again. A case with which a device is
 * lost twice is to blame. An emulator has no device to lose.
 */

/* After the last case: if a case is suspected, opens a worker, which acquits the device. Returns
 * the error if the device is lost, or PL_EINTERRUPTED. Any other failure says nothing about the
 * device: a warning says so, and what was measured stays as it is. */
int lost_device_check(struct sweep *sweep, struct error *err);

/* ---- workers that are started ahead: early_worker.c ---- */

/*
 * The worker of the next round, which is started while the present one measures. It
 * gets ready as far as that does not change the samples of the other, and opens its session when
 * the round begins. A worker that is not needed, or that fails, ends without a word: the sweep
 * then starts one as it does without this.
 */

/* Starts the worker, if a round follows and none was started for it. Does not wait for it. `uuid`
 * is that of the device; NULL: not known. */
void early_worker_begin(struct sweep *sweep, const char *uuid);
/* Moves the worker to the caller when it is ready, at most after `timeout_ns`. Returns false if
 * there is none of use. */
bool early_worker_take(struct sweep *sweep, struct worker_process *worker, int64_t timeout_ns);
/* Ends the worker, if there is one. */
void early_worker_end(struct sweep *sweep);

/*
 * What one process keeps between sweeps of the same request, so that the next one
 * starts sooner: the choice of the backend, and a standby worker with an open session. Ceilings are
 * measured before the first sweep only.
 *
 * A standby worker is one that nobody has measured with: every sweep begins in a fresh worker, as
 * without it. Its device may have become idle since it was opened; the worker raises the clocks
 * again. It replies the facts of its environment that may have changed, and the run says how long
 * ago it was opened.
 */
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

/* ---- counters that another process holds: count_busy.c ---- */

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

/* ---- the code of built-in kernels for the device of a sweep: built_in.c ---- */

/*
 * A worker that loads machine code gets it from the cache of compiled files; ptxas makes it of the
 * PTX that perflab ships when a device first needs it. Without ptxas the worker gets PTX.
 */

/*
 * Compiles the images of the cases of a plan that a worker may execute. *out stays NULL if the
 * worker loads no code or the plan has no such image. An image that does not compile is left to the
 * driver, which gives the reason. The errors of compile_cache_enter(), and PL_EINTERRUPTED.
 */
int built_in_compile(struct built_in_code **out, struct sweep *sweep, const struct plan *plan,
		     struct error *err);
/* Gives a case the code of its image. `code` may be NULL. */
void built_in_bind(const struct built_in_code *code, struct launch_case *launch);
void built_in_free(struct built_in_code *code); /* accepts NULL */

/*
 * ---- what a worker answered about launches: inspect.c ----
 *
 * For further cases with the same launches. Only for a worker that inspects by launch
 * (docs/worker-protocol.md, "Cases that are inspected alike").
 */

/* The answer to `inspect`. */
struct inspection {
	enum trial_status status;
	bool has_facts;
	struct launch_facts facts;
	char *reason; /* NULL if the status is ok */
};

struct inspections {
	struct inspection_entry *entries;
	size_t count, capacity;
	struct name_index by_key;
	struct text key; /* of the case that was looked for last */
};
#define INSPECTIONS_INIT         \
	{                        \
		.key = TEXT_INIT \
	}
void inspections_release(struct inspections *inspections);

/* The answer about a case that such a worker cannot tell from this one; NULL: there is none. */
const struct inspection *inspections_find(struct inspections *inspections,
					  const struct launch_case *work);
/* Keeps a copy of the answer about the case that inspections_find() did not find just now. Does
 * nothing if another case need not get the same one: the worker failed, or a library is called. */
void inspections_add(struct inspections *inspections, const struct inspection *answer);

/* ---- reasons: cases.c ---- */

/*
 * Appends the reason. A worker knows kernels by their names in the image, which can have hundreds
 * of characters: they become names of C++, shortened, unless the launches of the variant name them
 * so, or the reason offers them in parentheses for the user to write.
 */
void shown_reason_add(struct text *out, const char *reason, const struct kernel_variant *variant);

#endif
