/*
 * metrics: the data model. These structs carry measurements from a worker
 * through the database to a report: devices, samples, counters, trials and
 * runs. metrics/catalogue/ defines the metrics; metrics/analysis/ computes from
 * them. This module knows neither CUDA nor SQL; only metrics/cupti/ uses CUPTI.
 *
 * A struct with a release function owns the memory that it points to, unless a
 * comment says "borrowed". Times are in nanoseconds and rates per second.
 */
#ifndef METRICS_METRICS_H
#define METRICS_METRICS_H

#include "base/base.h"
#include "base/hash.h"
#include "emulator/counts.h"
#include "metrics/fields.h"
#include "metrics/settings.h"

/* ---- trials and devices ---- */

/* How a trial ended: symbol, name in the database and in output, meaning. */
#define TRIAL_STATUS_LIST(X)                                                                      \
	X(TRIAL_PENDING, "pending", "planned, not finished")                                      \
	X(TRIAL_OK, "ok", "verified, and timed where the backend has a clock")                    \
	X(TRIAL_SKIPPED, "skipped", "a constraint does not hold; the reason names it")            \
	X(TRIAL_SAMPLED, "sampled", "counted on some of its blocks by an emulator; not verified") \
	X(TRIAL_UNVERIFIED, "unverified",                                                         \
	  "timed or counted like an ok one, but no check shows that its result is right")         \
	X(TRIAL_MISMATCH, "mismatch", "a result differs from the expected one; never timed")      \
	X(TRIAL_FAULT, "fault", "an emulator found an error in the kernel, such as a race")       \
	X(TRIAL_TIMEOUT, "timeout", "ran longer than --timeout; its worker was ended")            \
	X(TRIAL_CRASHED, "crashed", "the worker died: a signal, an abort, or a broken protocol")  \
	X(TRIAL_DEVICE_ERROR, "device_error",                                                     \
	  "the device reported an error, such as an illegal address")                             \
	X(TRIAL_OUT_OF_MEMORY, "out_of_memory", "the device or the host had not enough memory")   \
	X(TRIAL_FAILED, "failed", "anything else; the reason says what")

enum trial_status {
#define X(symbol, name, meaning) symbol,
	TRIAL_STATUS_LIST(X)
#undef X
};
#define TRIAL_STATUS_COUNT (TRIAL_FAILED + 1)
const char *trial_status_name(enum trial_status status);
/* Returns false if there is no such status; *out is unchanged then. */
bool trial_status_parse(enum trial_status *out, const char *name);
/* Returns whether the case ran to its end: ok or unverified. It has times if the backend has a
 * clock, and counters of all its blocks. A verified case is ok and nothing else. */
bool trial_status_measured(enum trial_status status);
/* Returns whether the case has counters: it was measured, or an emulator sampled it. */
bool trial_status_counted(enum trial_status status);
/* Returns whether the status is none of ok, sampled, unverified, skipped and pending. */
bool trial_status_is_failure(enum trial_status status);

/* How far a run is: symbol, name in the database and in output, meaning. */
#define RUN_STATE_LIST(X)                                                          \
	X(RUN_RUNNING, "running", "a process measures it, or was killed doing so") \
	X(RUN_FINISHED, "finished", "measured to its end")                         \
	X(RUN_INTERRUPTED, "interrupted", "ended before; --resume can go on")      \
	X(RUN_STATE_UNKNOWN, "unknown", "a damaged file has another name")

enum run_state {
#define X(symbol, name, meaning) symbol,
	RUN_STATE_LIST(X)
#undef X
};
const char *run_state_name(enum run_state state);
/* Returns false if there is no such state; *out is unchanged then. */
bool run_state_parse(enum run_state *out, const char *name);

/* A device as its driver describes it: see fields.h. */
struct device_info {
	DEVICE_FIELDS(FIELD_MEMBER)
};

/* One timed execution of a case. */
struct sample {
	int round;      /* from 0; each round runs in a fresh worker */
	int sequence;   /* from 0 within the round */
	double time_ns; /* device time of the whole operation */
	double base_ns; /* of the base case, taken beside it; NAN: none was */
};

/* The state of the device while a round was timed: see fields.h. */
struct device_state {
	STATE_FIELDS(FIELD_MEMBER)
};
extern const struct device_state device_state_unknown;

/* One metric of one trial. Invariant: it has either a value or a reason. */
struct counter_value {
	char *metric; /* name in the catalogue, or the CUPTI name that the user requested */
	char *unit;
	/* CUPTI's name of the counter, "emulated PTX", "derived: FORMULA", "occupancy calculator",
	 * "verification", or "plan" for what is known before execution. If the emulator executed
	 * only some blocks, ", sampled: 5 of 65536 blocks" follows. If the value is that of an
	 * earlier run, COUNTER_TAKEN and the begin of its UID follow. */
	char *source;
	bool has_value;
	double value;
	char *reason; /* why there is no value; NULL if has_value */
};
#define COUNTER_TAKEN ", taken over from run "
void counter_value_release(struct counter_value *counter);

struct counter_list {
	struct counter_value *items;
	size_t count, capacity;
	struct name_index index; /* of a long list; without all items: not used */
};
/* These copy their arguments and replace a counter of the same name. A value that is not finite is
 * stored as missing, with that reason. */
void counter_list_set(struct counter_list *list, const char *metric, const char *unit,
		      const char *source, double value);
void counter_list_set_missing(struct counter_list *list, const char *metric, const char *unit,
			      const char *source, const char *reason);
const struct counter_value *counter_list_find(const struct counter_list *list, const char *metric);
/* Adds copies of all counters of `from`. */
void counter_list_copy(struct counter_list *list, const struct counter_list *from);
void counter_list_release(struct counter_list *list);

/* Facts about the largest launch of a case: see fields.h. */
struct launch_facts {
	LAUNCH_FIELDS(FIELD_MEMBER)
};
extern const struct launch_facts launch_facts_unknown;

/*
 * Summary of samples. low and high bound the median's confidence interval of at
 * least 95 %. It comes from order statistics (binomial; Conover, Practical
 * Nonparametric Statistics, 3.2), assumes no normal distribution, and needs 6
 * samples; with fewer, low and high are NAN. mad is the median absolute
 * deviation, not scaled.
 */
struct summary {
	int64_t count;
	SUMMARY_FIELDS(FIELD_MEMBER)
};

/* ---- what a run holds ---- */

/* One round of one trial, as a worker sends it after it has timed a case. */
struct round_result {
	int round; /* from 0 */
	struct device_state state;
	double *time_ns; /* in the order of measurement; the creator of the struct frees it */
	size_t count;
	/* What another program states in place of samples; 0: nothing. */
	double given_median_ns;
	/* The samples of the base case, taken beside those of the case, each with that of the same
	 * index; the creator frees it. NULL: the case was measured alone. */
	double *base_ns;
	bool same_buffers;  /* of base_ns: both operations used the same device memory */
	int64_t placements; /* of the data in physical memory during the samples; 0: not known */
	bool scarce;        /* fewer than asked for, because memory was scarce */
};

/* The result of one round, which ran in its own process. */
struct round_summary {
	int round;
	double median_ns; /* NAN: no samples */
	struct device_state state;
	double speedup;       /* as in struct trial_speedup; NAN: not measured beside a base case */
	int64_t same_buffers; /* 1 or 0, of both operations; -1: not measured beside a base case */
	int64_t placements;   /* of the data in physical memory; 0: not known */
};

/* The facts of a run that say how the kernels of a user are verified: "source.check.saxpy/items" is
 * "y = 2 * x + y; tolerance abs = 0, rel = 1e-05". */
#define SOURCE_CHECK_PREFIX "source.check."

/* Whether the other GPUs of a split sweep changed times: "found", "not found" or "not measured: …";
 * with ".1" and so on, by how much for one case; and the largest change, only if one was found. */
#define GPUS_INTERFERENCE_KEY "gpus.interference"
#define GPUS_INTERFERENCE_FOUND_KEY "gpus.interference.found"
/* Why the GPU could not be used any more; also of a run that is no part of such a sweep. */
#define GPUS_FAILED_KEY "gpus.failed"
/* With the name of a case: why the GPU that was lost while it measured or counted this case could
 * not be used any more. Also of a run that is no part of such a sweep. */
#define GPUS_LOST_PREFIX "gpus.lost."
/* Other facts of a run that a sweep on several GPUs stored. */
#define GPUS_GROUP_KEY "gpus.group" /* the same for all runs of the sweep */
#define GPUS_MODE_KEY "gpus.mode"   /* "split" or GPUS_SPREAD */
#define GPUS_SPREAD "spread"
#define GPUS_COUNT_KEY "gpus.count"           /* of the sweep */
#define GPUS_PROCESSORS_KEY "gpus.processors" /* "0-15", or why the process is not pinned */
/* With the number of another GPU of the sweep, which has no run: "UUID: why". */
#define GPUS_ABSENT_PREFIX "gpus.absent."

/* A key and its value. A list of them is the environment of a run. */
struct key_value {
	char *key, *value;
};
struct key_value_list {
	struct key_value *items;
	size_t count, capacity;
};
void key_value_set(struct key_value_list *list, const char *key, const char *value);
const char *key_value_get(const struct key_value_list *list, const char *key); /* NULL: none */
/* Sets every key of `from`. */
void key_value_add_all(struct key_value_list *list, const struct key_value_list *from);
void key_value_list_release(struct key_value_list *list);

struct named_value {
	char name[32];
	int64_t value;
};

/*
 * The verdict on a case that was measured beside its base case: symbol, name, meaning. A case of a
 * run without a base variant has none, and neither have the cases of that variant.
 */
#define SPEEDUP_VERDICT_LIST(X)                                                              \
	X(SPEEDUP_NOT_MEASURED, "not measured", "there is no speed-up; the reason says why") \
	X(SPEEDUP_FASTER, "faster",                                                          \
	  "the case takes less time than its base case, by more than "                       \
	  "chance")                                                                          \
	X(SPEEDUP_SLOWER, "slower",                                                          \
	  "the case takes more time than its base case, by more than "                       \
	  "chance")                                                                          \
	X(SPEEDUP_SAME, "same", "any difference is too small to matter")                     \
	X(SPEEDUP_INCONCLUSIVE, "inconclusive",                                              \
	  "the samples neither show a difference that matters nor rule one out")

enum speedup_verdict {
#define X(symbol, name, meaning) symbol,
	SPEEDUP_VERDICT_LIST(X)
#undef X
		SPEEDUP_VERDICT_COUNT
};
const char *speedup_verdict_name(enum speedup_verdict verdict);
const char *speedup_verdict_meaning(enum speedup_verdict verdict);
/* Returns false if there is no such verdict; *out is unchanged then. */
bool speedup_verdict_parse(enum speedup_verdict *out, const char *name);

/*
 * How fast a case is beside its base case: the case of the base variant with the same axes. Both
 * were timed in turn, in the same rounds and workers. All numbers are NAN unless the verdict is one
 * of a measurement.
 */
struct trial_speedup {
	char *base_variant; /* NULL: the trial has no base case, and the rest means nothing */
	char *base_config;  /* NULL: the base variant has no such case; `why` says so */
	/* The base case's own trial, which was measured alone: its status, counters and median are
	 * its own. 0: the run does not have it, because another shard does. */
	int64_t base_trial_id;
	enum speedup_verdict verdict;
	double speedup;        /* time of the base case / time of the case: above 1, it is faster */
	double low, high;      /* the 95 % interval of the speed-up, not adjusted */
	double p;              /* adjusted for all pairs of the run */
	double base_median_ns; /* of the base case's samples beside this case, over all rounds */
	int64_t rounds;        /* with a pair */
	int64_t same_buffers;  /* 1 or 0: both used the same device memory; -1: not known */
	char *why;             /* why there is no speed-up, or a remark; NULL: none */
};
extern const struct trial_speedup trial_speedup_none;
void trial_speedup_release(struct trial_speedup *speedup);

/* What the warps of a sampled kernel were doing: symbol, name, CUPTI's reasons for it. A reason
 * that is in no row is STALL_OTHER. Source: Nsight Compute, Kernel Profiling Guide, Warp Stall
 * Reasons. */
#define STALL_LIST(X)                                                     \
	X(STALL_READY, "ready", "selected", "not_selected", "")           \
	X(STALL_MEMORY, "memory", "long_scoreboard", "", "")              \
	X(STALL_QUEUE, "queue", "lg_throttle", "tex_throttle", "")        \
	X(STALL_STORES, "stores", "drain", "membar", "")                  \
	X(STALL_SHARED, "shared", "short_scoreboard", "mio_throttle", "") \
	X(STALL_BARRIER, "barrier", "barrier", "warpgroup_arrive", "")    \
	X(STALL_FETCH, "fetch", "no_instructions", "", "")                \
	X(STALL_PIPE, "pipe", "math_pipe_throttle", "gmma", "")           \
	X(STALL_OTHER, "other", "", "", "")

enum stall {
#define X(symbol, name, first, second, third) symbol,
	STALL_LIST(X)
#undef X
		STALL_COUNT
};
const char *stall_name(enum stall stall);
enum stall stall_of_reason(const char *reason);
/* Whether a function is of a library of NVIDIA or of PyTorch, whose users do not change its code,
 * by its mangled name. */
bool function_is_of_library(const char *name);

/* One case in one run. All zeroes is an empty trial: TRIAL_PENDING is 0. */
struct trial {
	int64_t id;       /* in the database; 0: not stored */
	int64_t run_id;   /* of its run in the database; 0: not stored */
	int64_t position; /* in the plan, from 0 */
	char *kernel, *variant;
	char *config; /* canonical: "block=256,n=16777216" */
	struct named_value *axes;
	size_t axis_count;
	enum trial_status status;
	char *reason;                            /* NULL if ok or pending */
	bool has_work;                           /* the work model is known */
	int64_t flop, bytes_read, bytes_written; /* of the work model */
	struct launch_facts facts;
	/* Hash of the launches: grids, arguments, buffers and their fills; hex, "": unknown. */
	char launch_hash[HASH_TEXT_BYTES];
	struct summary summary; /* over all rounds */
	double mean_ns;         /* what an imported file states in place of samples; 0: nothing */
	struct counter_list counters;
	struct line_count_list lines; /* empty unless emulated */
	/* Samples of its warps, by what they were doing. All 0: not sampled. */
	int64_t stall_samples[STALL_COUNT];
	/* The functions that were sampled, and those of them that are of a library. */
	size_t functions, library_functions;
	/* The source line with the most samples, outside the headers of the toolkit, and its share
	 * of all. NULL: not known. */
	char *hot_file;
	int64_t hot_line;
	double hot_share;
	int rounds_done;              /* number of rounds with stored samples */
	bool counted;                 /* the counters are stored, with values or reasons */
	struct round_summary *rounds; /* ascending; empty unless the loader was asked for them */
	size_t round_count;
	struct trial_speedup speedup; /* beside the base variant of the run, if it has one */
	/* What run_take_comparisons() found: slower or faster than in the earlier run with which it
	 * was compared, and the time as a multiple of that one. */
	bool slower, faster;
	double times_before;
};
/* Whether a library launched its code, or all of its sampled functions are of one. */
bool trial_is_of_library(const struct trial *trial);
void trial_release(struct trial *trial);
/* "reduce/shuffle/block=256,n=16777216"; malloc'd. */
char *trial_case_name(const struct trial *trial);
/* Whether `perflab sweep --changed-since` left the case out because nothing of it had changed. The
 * facts and the launch hash of such a skipped trial are those that were found equal. */
bool trial_is_unchanged(const struct trial *trial);
/* How its reason begins; the number of the run follows. */
#define UNCHANGED_REASON "same code: machine code, launch and data are those of run "
/* Whether both are known to have the same machine code, or the same launches. */
bool trials_have_same_code(const struct trial *a, const struct trial *b);
bool trials_have_same_launch(const struct trial *a, const struct trial *b);
/* The fact of a run of --changed-since: the uid of the run that it was compared with. */
#define CHANGED_SINCE_KEY "changed_since.run"
/* And the cases that were measured only to show the state of the session: one fact for each, from
 * 1, with the name of the case. */
#define SENTINEL_PREFIX "changed_since.sentinel."

/*
 * Properties of a backend. Code tests these instead of the backend's name. The
 * worker reports them when it opens, and every run stores them.
 */
struct backend_traits {
	bool timed;      /* the backend measures times */
	bool emulated;   /* it counts PTX instructions instead of reading hardware counters */
	char vendor[16]; /* of the device: "NVIDIA"; "": unknown or none */
	int warp_size;   /* in lanes; 0: not known */
};

/* One sweep. */
struct run {
	int64_t id;         /* in the database */
	char uid[33];       /* 32 hex digits, the same in every database that holds the run */
	char *label, *note; /* NULL: none */
	char *command;      /* the command line that measured the run */
	char *backend;      /* "cuda" */
	char *version;      /* of perflab */
	/* The commit of the kernels: that of the user's repository, or the one that perflab was
	 * built from. NULL: unknown. */
	char *source_revision;
	/* Where the kernels of a user come from: "github.com/a/b:src/saxpy.cu", or the absolute
	 * path of a file without a remote repository. NULL: the kernels are built in. Kernels of
	 * one name and of different origins are different kernels. */
	char *origin;
	struct backend_traits traits;
	bool has_settings; /* enough settings are known for --resume; false for an imported run */
	unsigned settings_known; /* bits of enum setting; the other members of settings mean
				  * nothing */
	struct measure_settings settings;
	char *settings_json; /* the settings as JSON, as older versions stored them */
	enum run_state state;
	char *mark, *mark_why; /* "good" or "bad"; NULL: not marked */
	uint64_t seed;
	int rounds;
	int64_t started_ns, finished_ns; /* wall time; 0: not finished */
	struct device_info device;
	struct key_value_list environment;
	struct trial *trials;
	size_t trial_count;
	/* The cases of all GPUs of a sweep, for a report (metrics/analysis/gpu_group.h): the GPU of
	 * each run that it was put together from. Borrowed. NULL: an ordinary run. */
	const struct run_gpu *gpus;
	size_t gpu_count;
	/* Rules of a user for its verdicts (metrics/analysis/user_rules.h). Borrowed; NULL: none.
	 */
	const struct user_rules *rules;
};

struct run_gpu {
	int number;                          /* of the device */
	int64_t run_id;                      /* of the run that it measured */
	const char *run_uid, *device, *uuid; /* borrowed */
};
/* The GPU that measured a trial; NULL: the run is an ordinary one. */
const struct run_gpu *trial_gpu(const struct run *run, const struct trial *trial);
void run_release(struct run *run);
/* The trial of this id; NULL: the run has none, or `id` is 0. */
const struct trial *run_trial(const struct run *run, int64_t id);

/* ---- comparisons with a baseline ---- */

/* The verdict of comparing a case (the head) with its baseline (the base): symbol, name, meaning.
 */
#define CHANGE_LIST(X)                                                                       \
	X(CHANGE_REGRESSED, "regressed", "slower, or a counter worse, by more than chance")  \
	X(CHANGE_IMPROVED, "improved", "faster, or a counter better, by more than chance")   \
	X(CHANGE_UNCHANGED, "unchanged", "any change is too small to matter")                \
	X(CHANGE_SAME_CODE, "same code",                                                     \
	  "machine code, launch, data and toolchain are equal: a difference is environment") \
	X(CHANGE_INCONCLUSIVE, "inconclusive",                                               \
	  "the data neither show a change that matters nor rule one out")                    \
	X(CHANGE_NEW, "new", "only the head has the case")                                   \
	X(CHANGE_MISSING, "missing", "only the base has the case")                           \
	X(CHANGE_FAILED, "failed", "the case failed in the head")

enum change {
#define X(symbol, name, meaning) symbol,
	CHANGE_LIST(X)
#undef X
		CHANGE_COUNT
};
const char *change_name(enum change change);
const char *change_meaning(enum change change);
/* Returns false if there is no such verdict; *out is unchanged then. */
bool change_parse(enum change *out, const char *name);

/* The stored comparison of a trial with its baseline. NAN: no number. */
struct trial_comparison {
	int64_t trial_id;      /* of the head */
	int64_t base_trial_id; /* 0: there is no baseline */
	enum change verdict;
	double change, low, high; /* as in struct effect of metrics/analysis/compare.h */
	double p;                 /* adjusted for all cases that the run compares */
	const char *time_verdict; /* change_name() by the times alone; NULL: not timed */
	const char *covers;       /* effect_covers(); NULL: not timed */
	char *why;                /* the explanation; NULL: none */
};
struct trial_comparison_list {
	struct trial_comparison *items;
	size_t count, capacity;
};
/* Copies `why`. */
void comparison_list_add(struct trial_comparison_list *list,
			 const struct trial_comparison *comparison);
void comparison_list_release(struct trial_comparison_list *list);
/* Sets `slower`, `faster` and `times_before` of the trials. */
void run_take_comparisons(struct run *run, const struct trial_comparison_list *list);

#endif
