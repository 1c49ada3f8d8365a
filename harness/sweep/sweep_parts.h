/*
 * sweep_parts: the steps of sweep_run() besides those of sweep_state.h: resumed runs, the
 * store, and ceilings. Internal to sweep/.
 */
#ifndef HARNESS_SWEEP_SWEEP_PARTS_H
#define HARNESS_SWEEP_SWEEP_PARTS_H

#include "harness/sweep/kept_samples.h"
#include "harness/sweep/sweep.h"
#include "harness/sweep/sweep_state.h"
#include "kernels/user/kernel_file.h"

/* Checks a request and its database as sweep_run() does. The plan, which the caller frees even
 * after an error, is not resolved for a device. A new database is not made. */
int sweep_plan(struct plan **out, const struct sweep_request *request, struct error *err);

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
/* Deletes the rounds from number `first` on of one case, by its index in the plan. */
int store_drop_rounds_of(struct sweep_store *store, size_t index, int first, struct error *err);
struct result_writer store_writer(struct sweep_store *store);
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
