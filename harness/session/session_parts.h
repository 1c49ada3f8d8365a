/*
 * session_parts: the parts that the steps of sweep_run() share: the settings of
 * a request, the choice of a backend, shards, resumed runs, the store, and the
 * measurement of one run. Internal to harness/session.
 */
#ifndef HARNESS_SESSION_SESSION_PARTS_H
#define HARNESS_SESSION_SESSION_PARTS_H

#include "harness/session/kept_samples.h"
#include "harness/session/session.h"
#include "harness/session/sweep_state.h"
#include "kernels/user/kernel_file.h"

/* ---- the request: request.c ---- */

/* The settings of a request for a backend with these traits: resolves the words of --metrics.
 * PL_EUSAGE: the catalogue has no such metric. */
int request_settings(struct measure_settings *out, const struct sweep_request *request,
		     const struct backend_traits *traits, struct error *err);
/* PL_EUSAGE: a number of the request is beyond what a worker or this machine takes. */
int request_check_limits(const struct sweep_request *request, struct error *err);
/* PL_EUSAGE: there is no folder for the images of --counter-dump. */
int request_check_folder(const struct sweep_request *request, struct error *err);
/* Resolves the words of --metrics to names of the catalogue. PL_EUSAGE as above. */
int request_metrics(struct string_list *wanted, const struct string_list *words, bool emulated,
		    struct error *err);
/* Reads the files of a request; *out stays unchanged if it has none. The caller frees *out.
 * PL_EUSAGE, PL_EUNSUPPORTED: flags or a standard that a compiler does not get. */
int request_read_files(struct kernel_file **out, const struct sweep_request *request,
		       struct error *err);
/* Chooses the cases of a request among the kernels of `files` (NULL: the built-in ones), which must
 * outlive the plan, checks their values, and pairs them with the cases of the base variant. *out
 * may be set on an error. */
int request_plan(struct plan **out, const struct sweep_request *request,
		 const struct kernel_file *files, struct error *err);
/* Whether nothing exists at the path and a file can be created there. db_open() reports other
 * problems with a path. */
bool database_is_new(const char *path);
/* Reports one line to an observer, which may be NULL. */
void tell_observer(const struct sweep_observer *observer, enum notice_kind kind, const char *format,
		   ...) PRINTF_LIKE(3, 4);
/* Reports a text of another program line by line, those behind the first indented, without empty
 * ones. It is cut at 16 KiB. */
void tell_observer_lines(const struct sweep_observer *observer, enum notice_kind kind,
			 const char *text);

/* ---- the plan of a sweep on several GPUs: sweep.c ---- */

struct gpu_share;
/* Checks a request and its database as sweep_run() does, and makes the memory that its processes
 * share. A new database is not made. */
int sweep_share_new(struct gpu_share **out, const struct sweep_request *request, struct error *err);

/* ---- the choice of a backend: backend_choice.c ---- */

/* The backends to try, in this order. perflab takes the first that opens a device. */
struct backend_choice {
	const char *names[2]; /* borrowed */
	size_t count;
	bool automatic;  /* --backend auto */
	bool announced;  /* the message about the chosen backend was shown */
	struct text why; /* why the last backend: an option that only it has, or what others lack */
	int code;        /* the error of the backends that were tried */
};
/* Reads only the request. PL_EUSAGE: options that the named backend does not use. */
int backend_choose(struct backend_choice *choice, const struct sweep_request *request,
		   struct error *err);
/* Leaves one backend, which an earlier sweep of this process chose and announced. */
void backend_choice_settle(struct backend_choice *choice, const char *backend);
/* Returns 0 if a worker exists for one of the backends. */
int backend_choice_find(const struct backend_choice *choice, struct error *err);
/* Records why a backend cannot be used. Returns false if the error is of another kind, which ends
 * the search. */
bool backend_choice_lacks(struct backend_choice *choice, size_t index, int rc,
			  const struct error *cause);
/* Sets the error, with all reasons, when no backend is left. */
int backend_choice_fail(const struct backend_choice *choice, struct error *err);
/* Tells the user if the automatic choice is the emulator. */
void backend_choice_announce(struct backend_choice *choice, size_t index,
			     const struct sweep_request *request,
			     const struct sweep_observer *observer);
void backend_choice_release(struct backend_choice *choice);

/* ---- histories of emulated runs: counter_grid.c ---- */

/* Loads the trials of the shown runs of a grid of emulated runs, and compares the counters of each
 * case of `run` with those of its newest earlier trial with the same inputs. */
int counter_grid_load(struct history_grid *grid, struct db *db, const struct run *run,
		      struct error *err);

/* ---- shards: shard.c ---- */

/* The part of a sweep that a run measures. */
struct sweep_shard {
	size_t number, total; /* from 1; total 0: the whole sweep */
	char *sweep;          /* name; NULL: shards that agree in all else form one sweep */
	size_t cases;         /* of the whole plan */
	char plan_hash[HASH_TEXT_BYTES];
};
/* Reads only the request. */
int shard_from_request(struct sweep_shard *out, const struct sweep_request *request,
		       struct error *err);
/* Keeps the cases of the shard in the plan. PL_EUSAGE: there are fewer cases than shards. */
int shard_take(struct sweep_shard *shard, struct plan *plan, struct error *err);
/* Adds the facts that a merge needs to the environment of a run. The run already has its device and
 * settings. */
void shard_describe(struct run *run, const struct sweep_shard *shard);

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
int resume_read_files(struct kernel_file **out, const struct run *run,
		      const struct sweep_request *request, struct error *err);
/* PL_EUNSUPPORTED: the device is not that of the run. */
int resume_check_device(const struct run *run, const struct device_info *device, struct error *err);
/* Chooses the cases of the run and marks the results that are stored. *trial_ids, by index in the
 * plan, is malloc'd. reopen: cases that were measured are not finished, for they may get more
 * rounds. */
int resume_plan(struct plan **out, int64_t **trial_ids, const struct run *run,
		const struct kernel_file *files, bool reopen, struct error *err);
/* PL_EUNSUPPORTED: a case that continues has other machine code or other launches than when the run
 * began. Needs the results of inspection. */
int resume_check_code(const struct run *run, const struct sweep *sweep, const int64_t *trial_ids,
		      struct error *err);

/* ---- one run: measure_run.c ---- */

/* The inputs of one run. */
struct run_task {
	const struct sweep_request *request;
	const struct sweep_observer *observer;
	const volatile int *stop;
	const char *backend;
	const struct measure_settings *settings; /* for this backend */
	struct plan *plan;                       /* chosen, not resolved */
	const struct kernel_file *files;         /* of the user; NULL: none */
	const struct key_value_list *sources;    /* facts about them */
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
/* Opens the backend, resolves the plan and inspects. Sets out->device and out->failed. */
int inspect_only(const struct run_task *task, struct sweep_preview *out, struct error *err);

/* ---- the store: store.c ---- */

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
/* The same for one case, by its index in the plan. */
int store_drop_rounds_of(struct sweep_store *store, size_t index, int first, struct error *err);
struct sweep_sink store_sink(struct sweep_store *store);
void store_release(struct sweep_store *store);

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

#endif
