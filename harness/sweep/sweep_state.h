/*
 * sweep_state: the state of a sweep in progress, shared by the files that measure.
 * Internal to sweep/. The order of the calls is
 * sweep_open() (worker_exchange.c), sweep_inspect() (inspect.c), sweep_begin() and
 * sweep_measure() (measure.c, count.c, or emulate.c), sweep_close().
 */
#ifndef HARNESS_SWEEP_SWEEP_STATE_H
#define HARNESS_SWEEP_SWEEP_STATE_H

#include "harness/client/client.h"
#include "harness/plan/plan.h"
#include "harness/protocol/messages.h"
#include "harness/protocol/protocol.h"
#include "harness/sweep/sweep.h"
#include "metrics/metrics.h"
#include "metrics/settings.h"

struct built_in_code;
struct compile_cache_use;
struct preparation;
struct unstored_round;

#define NO_CASE SIZE_MAX

struct sweep;
struct sweep_kept;
struct sweep_store;

/*
 * Where results go. The sweep calls these functions in its own thread. A function that does not
 * return 0 sets *err, and ends the sweep with its code. `index` is into plan->cases.
 */
struct result_writer {
	void *context;
	int (*facts)(void *context, size_t index, const struct launch_facts *facts,
		     struct error *err);
	int (*round)(void *context, size_t index, const struct round_result *round,
		     struct error *err);
	int (*counters)(void *context, size_t index, const struct counter_list *counters,
			struct error *err);
	/* From an emulator only. */
	int (*lines)(void *context, size_t index, const struct line_count_list *lines,
		     struct error *err);
	/* The instructions of a case, or why it has none; replaces an earlier profile. */
	int (*profile)(void *context, size_t index, const struct profile *profile,
		       struct error *err);
	/* Whether a resumed run has samples or counts of the instructions of a case, undamaged. */
	bool (*has_profile)(void *context, size_t index);
	/* Keeps source text or machine code under its hash. */
	int (*content)(void *context, const char *hash, const void *bytes, size_t length,
		       struct error *err);
	/* Says which text a source file has (hash), or why it is not kept. */
	int (*source)(void *context, const char *file, const char *hash, const char *why,
		      struct error *err);
	/* The median of the samples of a case that was measured; otherwise NAN. */
	double (*median_ns)(void *context, size_t index);
	/* The case is no longer measured beside its base case, for this reason. */
	int (*alone)(void *context, size_t index, const char *reason, struct error *err);
	/* What earlier runs counted of the case: db_earlier_counters_load(). */
	int (*earlier_counters)(void *context, size_t index, const char *metrics,
				struct earlier_counters out[EARLIER_MOST], size_t *count,
				struct error *err);
	/* The last call for a case. Not called for a case that the plan skips. */
	int (*finished)(void *context, size_t index, enum trial_status status, const char *reason,
			struct error *err);
	/* What is stored from begin() to end() takes effect together: all of it, or nothing if `rc`
	 * is an error. end() is called if begin() succeeded, and returns `rc` or its own error. */
	int (*begin)(void *context, struct error *err);
	int (*end)(void *context, int rc, struct error *err);
};

/* The worker of the next round: early_worker.c. All zeroes: none was started. Must stay where it
 * is. */
struct early_worker {
	struct worker_process process; /* pid 0: none runs */
	struct worker_hello hello;
	struct exchange ready; /* begun */
	bool fails;            /* one was of no use; no other is started */
};

/* What the sweep knows about one case of the plan. */
struct case_state {
	struct launch_facts facts;
	bool inspected; /* facts are valid */
	bool ended;     /* nothing is left to do */
	bool failed;    /* it has ended, and was not measured */
	bool alone;     /* it is not measured beside its base case */
	bool elsewhere; /* it has ended here, because another GPU has it */
	int rounds_done;
	int64_t round_ns; /* wall time of the last round that this sweep measured; 0: none */
	bool counted;
	bool uncounted; /* it has ended without counters */
	/* The case as JSON, from its first request until it has ended; "": not encoded. */
	struct text json;
	/* The largest error of all rounds that this sweep measured. NAN: there is none, and
	 * no_accuracy has the reason ("": not given). */
	double relative_error;
	char no_accuracy[96];
	struct counter_list clocks; /* what other clocks read in the first round */
	struct counter_list taken;  /* the counters of earlier runs: taken_counters.c */
	/* Why no check shows that the results are right; NULL: they are verified. Such a case ends
	 * as unverified instead of ok. */
	char *unverified;
	/* A failure at inspection, kept until results can be stored; TRIAL_OK: none. */
	enum trial_status early_status;
	char *early_reason;
};

struct sweep_outcome {
	/* cases by trial status; `ok` has the sampled ones, too */
	size_t ok, unverified, skipped, failed;
	size_t workers; /* started */
	bool interrupted;
};

/*
 * What an optional feature changes in a sweep: added rounds, or several GPUs, on which other
 * processes measure cases of the same plan. A function that the feature does not need is NULL.
 */
struct sweep_hooks {
	void *context;
	const char *uuid; /* that the device must have; NULL: any */
	/* A worker has opened a device. An error: the device is to blame. Facts may be added to the
	 * environment of the first session, which the sweep stores. */
	int (*opened)(const struct sweep *sweep, struct session_info *info, pid_t worker,
		      struct error *err);
	/* The run is in the database. No case has ended in this process. */
	void (*begun)(struct sweep *sweep, int64_t run_id);
	/* Called before the first round. */
	int (*prepare)(struct sweep *sweep, struct error *err);
	/* Leaves out the cases that other processes have claimed, and takes back those that they
	 * gave back. `all` false: also leaves out those that nobody has claimed, because no round
	 * follows. */
	void (*reclaim)(struct sweep *sweep, bool all);
	/* Sorts the shuffled cases of the first round. */
	void (*order)(const struct sweep *sweep, size_t *order, size_t count);
	/* Claims a case before its first result. false: another process has it, so this one leaves
	 * it out. */
	bool (*take)(struct sweep *sweep, size_t index);
	/* Why no process may measure the case (`measuring`), or count it; NULL: it may. */
	const char *(*refusal)(const struct sweep *sweep, size_t index, bool measuring);
	/* The device was lost with the case for the second time. `measuring` as above. */
	void (*refuse)(struct sweep *sweep, size_t index, bool measuring);
	/* A round of a case was measured. */
	void (*round)(struct sweep *sweep, size_t index, const struct round_result *round);
	/* A case has ended. While sweep->together is set, its results are not in the database yet:
	 * committed() follows, `stored` false if they did not come into it. */
	void (*ended)(struct sweep *sweep, size_t index);
	void (*committed)(struct sweep *sweep, bool stored);
	/* Called after the planned rounds. */
	int (*add_rounds)(struct sweep *sweep, struct error *err);
	/* The sweep has ended with rc. Returns rc, or an error of its own. */
	int (*end)(struct sweep *sweep, struct sweep_store *store, int rc, struct error *err);
};

struct sweep {
	const struct measure_settings *settings;
	const struct sweep_observer *observer;
	const volatile int *stop;
	const struct result_writer *writer; /* NULL: nothing is stored yet */
	struct text worker_path;
	struct sweep_outcome outcome;
	struct plan *plan; /* borrowed; inspection adds skips */
	struct case_state *cases;
	struct session_info info; /* of the first session */
	bool info_known;
	bool uuids_fail;          /* the backend opened the device only without its UUID */
	bool preview;             /* the cases are only inspected, one after the other */
	bool compares;            /* their launches are compared after that */
	size_t cases_answered;    /* whose counters a worker gave */
	bool takes_counters;      /* exact ones of earlier runs are not counted again */
	size_t cases_taken;       /* with such counters */
	bool counters_off_shown;  /* a notice said that a session had none */
	bool unmoved_shown;       /* a notice said that data was not moved */
	char *counters_reason;    /* of the current session; NULL: counters are on, or not tried */
	bool counters_busy;       /* that reason may pass: another process holds them */
	bool counters_wait_shown; /* a notice said that they are waited for */
	enum lines_when lines;    /* which cases are profiled */
	struct profile_sources *profile_sources; /* where their lines come from */
	int64_t wait_counters_ns;                /* the most time for it; 0: none */
	int64_t counters_deadline_ns;            /* 0: nothing was missed yet */
	bool counts_next;                        /* a worker that is opened now will count, too */
	int rounds;                              /* 0 if the backend is not timed */
	bool rounds_over;                        /* cases are only counted now */
	struct string_list files;                /* see struct sweep_result */
	struct sweep_times times;                /* with the meter of the sweep */
	struct worker_process worker, leaving;   /* `leaving` begins to end, or is none */
	int64_t device_used_ns; /* when a worker had last timed a case, by monotonic_ns(); 0: never
				 */
	struct early_worker early;        /* of the round that follows */
	bool round_follows;               /* the round that is measured is not the last */
	bool follows_last;                /* the worker of the round that follows will count */
	struct unstored_round *unstored;  /* of rounds.c; NULL: none */
	struct worker_output output;      /* what the workers print */
	struct preparation *preparation;  /* of the data of cases; NULL: none is shared */
	struct compile_cache_use *images; /* workers load images in every round; NULL: none */
	struct built_in_code *built_in;   /* of the device; NULL: none */
	size_t steps_done, steps_total;
	int64_t started_ns;
	struct sweep_hooks hooks;
	bool together;  /* what is stored now takes effect with what follows it */
	size_t suspect; /* the case that ended last because its worker was lost, if none has opened
			   the device since; NO_CASE: none */
	/* The case whose counters were read when the worker was lost, and why it has none; it ends
	 * when another worker has opened the device. NO_CASE: none; the reason is owned. */
	size_t uncounted;
	char *uncounted_reason;
	bool device_lost; /* no worker opens the device any more */
};
#define SWEEP_INIT(settings_used, seen_by, stop_flag)                                    \
	{                                                                                \
		.settings = (settings_used), .observer = (seen_by), .stop = (stop_flag), \
		.worker_path = TEXT_INIT, .suspect = NO_CASE, .uncounted = NO_CASE       \
	}

/* ---- sessions: worker_exchange.c ---- */

/* Finds the worker of a backend and opens the first session, unless `kept` (NULL: nothing is kept)
 * has an open one. Sets sweep->info. */
int sweep_open(struct sweep *sweep, const char *backend, struct sweep_kept *kept,
	       struct error *err);
/* Lets the worker of the sweep end, so that the next one is a fresh one. */
void sweep_end_worker(struct sweep *sweep);
/* Starts and opens the worker of the sweep, unless it already runs, and waits until the one before
 * it has ended: it ends while the next one starts. */
int sweep_have_worker(struct sweep *sweep, struct error *err);
/* Starts and opens this worker, unless it already runs. Takes the early one, if there is one. */
int sweep_open_worker(struct sweep *sweep, struct worker_process *worker, struct error *err);
/* The UUID of the device; NULL: not known yet, or of no use. */
const char *sweep_known_uuid(const struct sweep *sweep);
/*
 * Turns the end of an exchange into the status of the case in flight: returns 0
 * with *status and *reason, or a code that ends the sweep. `where` completes the
 * reason ("phase time"). Ends a worker that cannot be used again.
 */
int exchange_settle(struct worker_process *worker, enum exchange_end end,
		    const struct exchange *exchange, const char *where, const struct error *cause,
		    enum trial_status *status, struct text *reason, struct error *err);
/* Ends the worker, immediately if rc is an error, and releases everything. */
void sweep_close(struct sweep *sweep, int rc);

/* ---- cases: cases.c ---- */

void sweep_cases_init(struct sweep *sweep, struct plan *plan);
void sweep_cases_release(struct sweep *sweep);
void sweep_show_progress(const struct sweep *sweep, const char *phase, size_t index);
/* The steps that a case still needs. */
size_t case_steps_left(const struct sweep *sweep, size_t index);
int case_finish(struct sweep *sweep, size_t index, enum trial_status status, const char *reason,
		struct error *err);
/* Ends a case that was timed: as unverified if no check shows that its results are right, else as
 * ok. */
int case_finish_measured(struct sweep *sweep, size_t index, struct error *err);
/* Keeps why no check shows that the results of the case are right. */
void case_keep_unverified(struct case_state *state, const char *reason);
/* Adds the case as JSON. Encodes it at its first use. */
void case_add_json(struct text *out, struct sweep *sweep, size_t index);
/* As the hooks `take` and `refusal`, where there are none, too. */
bool case_take(struct sweep *sweep, size_t index);
const char *case_refusal(const struct sweep *sweep, size_t index, bool measuring);
/* The case beside which this one can be measured now; NO_CASE: none. */
size_t case_base(const struct sweep *sweep, size_t index);
/* PL_EPROTOCOL: the reply is about another case. */
int reply_check_id(const json_t *message, int64_t wanted, struct error *err);
/* Adds every requested metric that `counters` lacks as missing, with the reason. Returns the number
 * added. */
size_t case_add_missing(const struct sweep *sweep, struct counter_list *counters,
			const char *reason);

/* Writes a request about one case, with the data that are prepared for it. round -1: the request
 * belongs to no round. base: the case beside which it is measured; NO_CASE: none. */
void case_request(struct text *out, struct sweep *sweep, const char *request, size_t index,
		  int round, size_t base);

/* ---- steps ---- */

/* Compiles the sources of users' kernels for the device of the session. A case whose source does
 * not compile, or whose arguments do not match, gets plan_case.failure. PL_EINTERRUPTED. */
int sweep_compile(struct sweep *sweep, struct plan *plan, const struct sweep_request *request,
		  struct error *err);
/* Enters the cache of compiled files, once. See compile_cache_enter(). */
int sweep_enter_cache(struct sweep *sweep, struct error *err);
/* Shows the progress of compile_many(); the context is the sweep. */
struct compile_job;
void sweep_show_compiled(void *context, const struct compile_job *job, size_t done, size_t count);
/* The driver compiles code, for this reason, which the run stores: times belong to its version. */
void sweep_note_driver(struct sweep *sweep, const char *what, const char *reason);
/* Inspects every runnable case that is not finished; adds skips to the plan. */
int sweep_inspect(struct sweep *sweep, struct plan *plan, struct error *err);
/* Turns cases that failed at inspection into skipped ones, for a plan that is only shown. Returns
 * their number. */
size_t sweep_skip_failed(struct sweep *sweep);
/* Gives the results of inspection to the writer. Later results go to the writer directly. */
int sweep_begin(struct sweep *sweep, const struct result_writer *writer, struct error *err);
/* Says that the session has no counters, if that was not said before. Another session may have
 * them: sweep_count() says at the end what was counted. */
void sweep_tell_counters_off(struct sweep *sweep);
/* Waits for the data of a case. PL_EINTERRUPTED. */
int sweep_await_data(struct sweep *sweep, size_t index, struct error *err);
/* Runs rounds and counts, or emulates. */
int sweep_measure(struct sweep *sweep, struct error *err);

/* Measures a round of a case: rounds.c. It is stored while the next one is measured. A base case
 * that fails costs the case its speed-up, and nothing else. */
int round_of_case(struct sweep *sweep, size_t index, int round, struct error *err);
/* Stores the round that is not stored yet, if there is one. */
int round_store_kept(struct sweep *sweep, struct error *err);
/* Measures the next round of each of these cases, in a fresh worker. Puts them in the order of this
 * round; a case may have had it. */
int sweep_round_again(struct sweep *sweep, int round, size_t *cases, size_t count,
		      struct error *err);
/* Counts in batches. A timed case stays ok or unverified even if counting
 * fails. */
int sweep_count(struct sweep *sweep, struct error *err);
/* Whether the instructions of cases are sampled and counted after all are counted. */
bool sweep_profiles(const struct sweep *sweep);
/* Samples and counts the instructions of cases that were measured: profile.c. */
int sweep_profile(struct sweep *sweep, struct error *err);
/* Ends a case that was timed without counters, for this reason. */
int case_uncounted(struct sweep *sweep, size_t index, const char *reason, struct error *err);
/* Executes every case once, in several workers side by side. */
int sweep_emulate(struct sweep *sweep, struct error *err);

#endif
