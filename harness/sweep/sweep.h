/*
 * session: runs sweeps. A sweep opens a worker, resolves the plan for its
 * device, measures every case, stores every result in a database as soon as it
 * arrives, compares the run with its baselines, and returns the run to the
 * caller. Worker processes execute the cases, so perflab itself loads no CUDA
 * (docs/worker-protocol.md).
 *
 * Nothing here prints, exits or reads arguments. The caller fills a struct
 * sweep_request and receives messages for the user through a struct
 * sweep_observer.
 *
 * Functions return 0, or PL_E* with *err set. PL_EUSAGE: the request is wrong.
 * PL_EUNSUPPORTED: no backend can be used here, or every case was skipped.
 * PL_EINTERRUPTED: *stop became non-zero. PL_EWORKER, PL_EPROTOCOL, PL_EDEVICE:
 * no worker could be kept open. Also the errors of db/db.h. A case that fails
 * is a trial with a status, not an error.
 */
#ifndef HARNESS_SWEEP_SWEEP_H
#define HARNESS_SWEEP_SWEEP_H

#include "db/db.h"
#include "harness/request/request.h"
#include "metrics/meter.h"
#include "metrics/metrics.h"

/* ---- the verbs ---- */

/* How long the steps of a sweep took. `measure` includes emulation and the start of the workers of
 * later rounds. The meter says on what the time was spent. */
struct sweep_times {
	int64_t open_ns, compile_ns, inspect_ns, measure_ns, count_ns;
	struct meter meter;
};

struct sweep_result {
	struct db *db;  /* open if a run was stored */
	struct run run; /* with its trials and their rounds, if the sweep succeeded */
	bool begun;     /* the database has the run, even if the sweep failed */
	/* Absolute paths of the files that decided the result besides those of the request: headers
	 * and data, and names that the compiler would have read. */
	struct string_list files;
	struct sweep_times times;
	size_t impossible; /* variants without a case that any device can launch */
};
void sweep_result_release(struct sweep_result *result);

/*
 * Measures and stores a run, or continues request->resume. Checks
 * the request first, then the database, and only then opens a device. With
 * BACKEND_AUTO it takes the first allowed backend that opens. Creates a new
 * database file only after a device is open. If request->ceilings says so, it
 * first measures the ceilings of the device, as a separate run.
 */
int sweep_run(const struct sweep_request *request, const struct sweep_observer *observer,
	      const volatile int *stop, struct sweep_result *out, struct error *err);

/* ---- what is kept between the sweeps of one process: early_worker.c ---- */

struct sweep_kept;
struct sweep_kept *kept_new(void);
/* sweep_run() with what is kept. After an error, too, *kept can be used again. */
int sweep_run_kept(const struct sweep_request *request, const struct sweep_observer *observer,
		   const volatile int *stop, struct sweep_kept *kept, struct sweep_result *out,
		   struct error *err);
/* Ends the worker of the last sweep and opens a standby one for the next. Without one, for any
 * reason, the next sweep opens a worker itself and reports what is wrong. */
void kept_prepare(struct sweep_kept *kept, const struct sweep_request *request,
		  const volatile int *stop);
/* Ends the workers that are kept. Accepts NULL. */
void kept_free(struct sweep_kept *kept);

/* ---- only the plan ---- */

struct sweep_preview {
	struct plan *plan;
	char *device;  /* the name of the device that it was made for; NULL: none could be used */
	char *absent;  /* why no device could be used; NULL: one was */
	size_t failed; /* cases that would end as failed, such as those whose source does not
			* compile; the plan has the reasons */
};
void sweep_preview_release(struct sweep_preview *preview);

/* Plans and inspects like sweep_run(), but measures nothing. Without a usable device it plans for
 * device_limits_minimum. */
int sweep_plan_only(const struct sweep_request *request, const struct sweep_observer *observer,
		    const volatile int *stop, struct sweep_preview *out, struct error *err);

/*
 * Measures ceilings. The selectors of the request are variants of the kernel
 * CEILINGS_KERNEL; no selector means all. PL_EUNSUPPORTED: the backend measures no
 * time, or a profiler is attached.
 */
int ceilings_run(const struct sweep_request *request, const struct sweep_observer *observer,
		 const volatile int *stop, struct sweep_result *out, struct error *err);
/*
 * The settings for ceilings. One round, because each round verifies every case
 * that it times, and that takes longer than timing. No more precision than roofs
 * need: after tens of milliseconds on tensor cores a device lowers its clock to
 * stay within its power limit, and kernels are measured in equally short bursts.
 */
#define CEILINGS_ROUNDS 1
#define CEILINGS_PRECISION 0.01

/* ---- one run on one backend ---- */

/*
 * Plans the request and measures it as a run on request->backend, with these settings for it, of
 * which nothing is copied. The request continues no run and names no files. out->db may be open
 * already; out->run is loaded when the run succeeded. of_ceilings: needs a timed backend and no
 * profiler, and does not use what the request says of --decide and of several GPUs.
 */
int sweep_measure_request(const struct sweep_request *request,
			  const struct measure_settings *settings, bool of_ceilings,
			  const struct sweep_observer *observer, const volatile int *stop,
			  struct sweep_result *out, struct error *err);

/* ---- on several GPUs: gpus/ ---- */

/*
 * * A sweep on several GPUs of this machine. A process for each GPU runs an ordinary sweep and
 * stores its own run in the one database. Split: the cases are spread over equal GPUs, and each is
 * measured once. Spread: every GPU measures every case.
 *
 * A GPU that fails loses the cases that it has not finished: others measure them. If only GPUs that
 * have already ended are left, one of them begins another run for these cases.
 */

struct gpus_request {
	const char *gpus; /* "all", or numbers and UUIDs */
	bool spread;
	enum interference_when interference;
};

struct gpus_run {
	int number; /* of the GPU */
	char *name; /* of its model */
	char uuid[48];
	int64_t run_id;    /* 0: none was begun */
	int code;          /* 0, or how its sweep failed */
	char *error;       /* NULL: it did not fail */
	size_t impossible; /* variants without a case that any device can launch */
	size_t cases;      /* that this run has the result of */
	bool took_over;    /* the GPU had ended before, and took over cases of another */
	int64_t wall_ns;
};

struct gpus_result {
	struct gpus_run *runs; /* by GPU, then those that took over */
	size_t count;
	size_t cases, unmeasured; /* of the plan; cases that no GPU was left for */
	int64_t wall_ns;
};
void gpus_result_release(struct gpus_result *result);

/*
 * Checks what gpus_run() checks before it measures, and adds to *said which GPUs it would use; or,
 * if no GPU can be asked, that the list was not checked, and why. PL_EUSAGE as gpus_run().
 */
int gpus_check(const struct sweep_request *request, const struct gpus_request *gpus,
	       struct text *said, struct error *err);
/*
 * Checks the request, then the GPUs, and measures. Returns 0 if every case has its result in a run
 * that is finished, even if a GPU failed. PL_EUSAGE: options that do not go with several GPUs; no
 * such GPU; GPUs of different models in a split. PL_EINTERRUPTED: each run can be resumed, and
 * together they have every case once. Otherwise the error of the first GPU that failed. *out is
 * valid in any case.
 */
int gpus_run(const struct sweep_request *request, const struct gpus_request *gpus,
	     const struct sweep_observer *observer, const volatile int *stop,
	     struct gpus_result *out, struct error *err);

#endif
