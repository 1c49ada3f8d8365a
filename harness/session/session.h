/*
 * session: runs sweeps. A sweep opens a worker, resolves the plan for its
 * device, measures every case, stores every result in a database as soon as it
 * arrives, compares the run with its baselines, and returns the run to the
 * caller. Worker processes execute the cases, so perflab itself loads no CUDA
 * (docs/worker-protocol.md).
 *
 * Nothing here prints, exits or reads arguments. The caller fills a struct
 * sweep_request and receives messages for the user through a struct
 * sweep_observer. The other public headers of this folder serve other verbs:
 * workers.h asks a worker questions without a session, studies.h measures
 * claims, judge.h compares runs, backends.h has the table of backends, host.h
 * the facts of this machine, run_ends.h how the cases of a run ended.
 *
 * Functions return 0, or PL_E* with *err set. PL_EUSAGE: the request is wrong.
 * PL_EUNSUPPORTED: no backend can be used here, or every case was skipped.
 * PL_EINTERRUPTED: *stop became non-zero. PL_EWORKER, PL_EPROTOCOL, PL_EDEVICE:
 * no worker could be kept open. Also the errors of db/db.h. A case that fails
 * is a trial with a status, not an error.
 */
#ifndef HARNESS_SESSION_SESSION_H
#define HARNESS_SESSION_SESSION_H

#include "db/db.h"
#include "harness/plan/plan.h"
#include "metrics/meter.h"
#include "metrics/metrics.h"
#include "metrics/settings.h"

/* ---- the request ---- */

/* When a sweep measures the ceilings of its device first: if the database has none, every time, or
 * never. */
enum ceilings_when { CEILINGS_AUTO, CEILINGS_ALWAYS, CEILINGS_NEVER };
/* The words for these values, NULL-terminated: "auto", "always", "never". */
extern const char *const ceilings_when_words[];
/* The default: $PERFLAB_CEILINGS, else auto. PL_EUSAGE: the variable has another value. */
int ceilings_when_default(int *out, struct error *err);

/* When a sweep on several GPUs measures how much the GPUs change each other's times: if there are
 * enough cases, every time, or never. */
enum interference_when { INTERFERENCE_AUTO, INTERFERENCE_ALWAYS, INTERFERENCE_NEVER };

/* The word of --baseline for no base variant. */
#define BASE_VARIANT_NONE "none"

struct gpu_part;

struct sweep_request {
	struct string_list selectors; /* as in struct plan_request */
	/* Files of the user (.cu, .cuh, .ptx, .cubin, .capture): their kernels are swept instead of
	 * the built-in ones. None: the built-in kernels. */
	struct string_list files;
	struct string_list annotations;             /* lines that are added to those of the files */
	struct string_list compile_flags;           /* added to those of the files */
	const char *standard, *compiler;            /* "c++17", "nvcc"; NULL: as the files say */
	struct string_list axis_names, axis_values; /* values that replace those of an axis */
	/* "V" or "KERNEL/V", as in struct plan_request; BASE_VARIANT_NONE: none. NULL: the first
	 * variant of the first of several files, otherwise none. */
	const char *base_variant;
	/* All but the metrics, because their names depend on the backend. */
	struct measure_settings settings;
	struct string_list metrics;   /* the words of --metrics */
	struct string_list given;     /* names of the options that the user set: "cache" */
	const char *backend;          /* a name, or BACKEND_AUTO */
	const char *label, *note;     /* NULL or "": none */
	const char *command;          /* as typed, stored with the run */
	const char *shard, *sweep_id; /* "2/8" and the name of the sweep; NULL: none */
	const char *resume;           /* the run to continue; NULL: a new run */
	/* Add rounds to the cases that a comparison with the run `compare` (NULL: BASE_LAST_GOOD)
	 * leaves undecided, for at most decide_ns (0: 80 % of what the sweep took before them). */
	bool decide;
	const char *compare;
	int64_t decide_ns;
	/* Wait so long in all for counters that another process holds; 0: go on without them. */
	int64_t wait_counters_ns;
	const char *db_path;
	enum ceilings_when ceilings;
	struct gpu_part *gpu; /* set by gpus_run() in each of its processes; NULL: one GPU */
};
/* Sets the default settings and no selectors, which means every kernel. Strings are borrowed, lists
 * are owned. */
void sweep_request_init(struct sweep_request *request);
/* Whether an operand is a file of the user, by its suffix: .cu, .cuh, .ptx, .cubin, .capture or
 * .perflab. */
bool is_kernel_file(const char *operand);
/* Adds a file or a selector. PL_EUSAGE: it is a file with another extension. */
int sweep_request_add_operand(struct sweep_request *request, const char *operand,
			      struct error *err);
/* Adds a file that replaces the kernel of the capture among the files. PL_EUSAGE: there is none, or
 * `file` has another extension. */
int sweep_request_add_replacement(struct sweep_request *request, const char *file,
				  struct error *err);
/* `assignment` is "NAME=VALUES". PL_EUSAGE: it does not have this form. */
int sweep_request_set(struct sweep_request *request, const char *assignment, struct error *err);
void sweep_request_set_axis(struct sweep_request *request, const char *name, const char *values);
void sweep_request_release(struct sweep_request *request);

/* ---- messages and progress ---- */

struct sweep_progress {
	size_t done, total;              /* steps: cases * rounds + counting; emulated: cases */
	const char *phase;               /* as worker_phase_name() writes it */
	const struct plan_case *current; /* NULL: none */
	int64_t elapsed_ns, left_ns;     /* left: -1 not known yet */
};

enum notice_kind {
	NOTICE_WARNING, /* the user must see it */
	NOTICE_REMARK   /* may be omitted */
};

/* Called in the thread of the caller. Each function may be NULL; a line lives until it returns. */
struct sweep_observer {
	void *context;
	void (*notice)(void *context, enum notice_kind kind, const char *line);
	void (*progress)(void *context, const struct sweep_progress *progress);
};

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

#endif
