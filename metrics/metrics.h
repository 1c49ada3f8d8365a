/*
 * metrics: the data model. The structs that travel from a worker through the
 * database to a report: devices, samples, counters, trials and runs. What the
 * metrics mean is in metrics/catalogue/, what is computed from them in
 * metrics/analysis/. Knows neither CUDA nor SQL; only metrics/cupti/ uses
 * CUPTI.
 */
#ifndef METRICS_METRICS_H
#define METRICS_METRICS_H

#include "base/base.h"
#include "emulator/counts.h"
#include "metrics/settings.h"

/* ---- nouns ---- */

/* How a trial ended: name in database and output, meaning. */
#define TRIAL_STATUS_LIST(X)                                                                      \
	X(TRIAL_PENDING, "pending", "planned, not finished")                                      \
	X(TRIAL_OK, "ok", "verified, and timed where the backend has a clock")                    \
	X(TRIAL_SKIPPED, "skipped", "a constraint does not hold; the reason names it")            \
	X(TRIAL_SAMPLED, "sampled", "counted on some of its blocks by an emulator; not verified") \
	X(TRIAL_MISMATCH, "mismatch", "the result differs from the CPU oracle; never timed")      \
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
bool trial_status_parse(enum trial_status *out, const char *name);
/* Neither ok, sampled, skipped nor pending. */
bool trial_status_is_failure(enum trial_status status);

/* A device as its driver describes it. Unknown numbers are 0 only where 0 is impossible; see each.
 */
struct device_info {
	char name[128]; /* "NVIDIA H200" */
	char uuid[48];  /* "GPU-…"; "" unknown */
	char chip[16];  /* CUPTI's name: "GH100"; "" unknown */
	int cc_major, cc_minor;
	int64_t sm_count, max_threads_per_sm, max_threads_per_block, max_blocks_per_sm;
	int64_t registers_per_sm, shared_bytes_per_sm, shared_bytes_per_block;
	int64_t l2_bytes, memory_bytes;
	int64_t sm_clock_max_hz, memory_clock_max_hz, memory_bus_bits; /* 0: unknown */
	char driver[32];      /* "580.159.04"; "" unknown */
	char cuda_driver[16]; /* "13.0": CUDA version of the driver */
	char toolkit[16];     /* "13.0": toolkit the worker was built with */
	char cupti[16];       /* version of the CUPTI loaded; "" none */
};

/* One timed execution of a case. */
struct sample {
	int round;      /* from 0; each round is a fresh worker */
	int sequence;   /* from 0 within the round */
	double time_ns; /* device time of the whole operation */
};

/* The device's state beside a round's samples. NAN and -1: not measured. */
struct device_state {
	double sm_clock_hz, memory_clock_hz;
	double temperature_c, power_w;
	int64_t throttle_reasons; /* NVML clocks-event-reasons bits; -1: not measured */
};

/* One metric of one trial. Invariant: has_value or a reason, never both. */
struct counter_value {
	char *metric; /* catalogue name, or a CUPTI name asked for as such */
	char *unit;
	/* The CUPTI metric it is, "emulated PTX", "derived: FORMULA", "occupancy calculator", or
	 * "plan" of what is known without counting.
	 * Where an emulator ran some blocks only, ", sampled: 5 of 65536 blocks" follows. */
	char *source;
	bool has_value;
	double value;
	char *reason; /* why there is none; NULL when has_value */
};
void counter_value_release(struct counter_value *counter);

struct counter_list {
	struct counter_value *items;
	size_t count, capacity;
};
/* Copies everything; a counter of that name is replaced. A value that is not finite is stored as
 * missing with that reason. */
void counter_list_set(struct counter_list *list, const char *metric, const char *unit,
		      const char *source, double value);
void counter_list_set_missing(struct counter_list *list, const char *metric, const char *unit,
			      const char *source, const char *reason);
const struct counter_value *counter_list_find(const struct counter_list *list, const char *metric);
/* Adds copies of all of `from`. */
void counter_list_copy(struct counter_list *list, const struct counter_list *from);
void counter_list_release(struct counter_list *list);

/* Facts of the launch that binds occupancy (the operation's largest launch). -1 and "": not known.
 */
struct launch_facts {
	int64_t registers_per_thread;
	int64_t shared_static_bytes, shared_dynamic_bytes, local_bytes_per_thread;
	double theoretical_occupancy_pct; /* NAN: not known */
	char occupancy_limiter[24]; /* "registers", "shared memory", "warps", "blocks", "block size"
				     */
	char code_hash[24];         /* of the machine code of every entry, hex; "" unknown */
	char code_kind[16];         /* "cubin sm_90" or "ptx" */
};
extern const struct launch_facts launch_facts_unknown;

/*
 * Summary of samples. The interval is of the median, at least 95 % by order
 * statistics (binomial; Conover, Practical Nonparametric Statistics, 3.2),
 * with no assumption of normality; it needs 6 samples, below that low and
 * high are NAN. mad is the median absolute deviation, unscaled.
 */
struct summary {
	int64_t count;
	double median_ns, mad_ns, low_ns, high_ns, min_ns, max_ns;
};
/* ---- records: what a run holds ---- */

/* One round of one trial: what a worker sends when it has timed a case. */
struct round_result {
	int round; /* from 0 */
	struct device_state state;
	double *time_ns; /* in the order taken; owned by the holder */
	size_t count;
};

/* What one round showed: a process of its own. */
struct round_summary {
	int round;
	double median_ns; /* NAN: no samples */
	struct device_state state;
};

/* A key and its value, both owned: the environment of a run. */
struct key_value {
	char *key, *value;
};
struct key_value_list {
	struct key_value *items;
	size_t count, capacity;
};
void key_value_set(struct key_value_list *list, const char *key, const char *value);
const char *key_value_get(const struct key_value_list *list, const char *key); /* NULL: none */
void key_value_list_release(struct key_value_list *list);

struct named_value {
	char name[32];
	int64_t value;
};

/* One case in one run. All zeroes with status pending is an empty one; trial_release() frees what
 * it owns. */
struct trial {
	int64_t id;       /* in its database; 0: not stored */
	int64_t run_id;   /* of its run there; 0: not stored */
	int64_t position; /* in the plan, from 0 */
	char *kernel, *variant;
	char *config; /* canonical: "block=256,n=16777216" */
	struct named_value *axes;
	size_t axis_count;
	enum trial_status status;
	char *reason;                            /* NULL when ok or pending */
	bool has_work;                           /* work model known */
	int64_t flop, bytes_read, bytes_written; /* compulsory, by the work model */
	struct launch_facts facts;
	/* Of what the plan launches: grids, arguments, buffers and how they are filled; hex, ""
	 * unknown. */
	char launch_hash[24];
	struct summary summary; /* over all rounds */
	struct counter_list counters;
	struct line_count_list lines; /* of an emulated trial; else empty */
	int rounds_done;              /* rounds whose samples are stored */
	bool counted;                 /* counters are stored, values or reasons */
	struct round_summary *rounds; /* ascending; only where they were asked for */
	size_t round_count;
};
void trial_release(struct trial *trial);
/* "reduce/shuffle/block=256,n=16777216"; malloc'd. */
char *trial_case_name(const struct trial *trial);

/*
 * What a backend is, so that no code asks for a backend by its name. The worker
 * reports its traits when it opens, and every run stores them.
 */
struct backend_traits {
	bool timed;      /* it measures times */
	bool emulated;   /* it counts PTX instead of reading hardware counters */
	char vendor[16]; /* of the device: "NVIDIA"; "" unknown or none */
	int warp_size;   /* lanes; 0: not known */
};

/* One sweep. */
struct run {
	int64_t id;            /* in its database */
	char uid[33];          /* 32 hex digits, the same in every database that holds this run */
	char *label, *note;    /* NULL: none */
	char *command;         /* as typed */
	char *backend;         /* "cuda" */
	char *version;         /* of perflab */
	char *source_revision; /* of the tree that perflab was built from; NULL unknown */
	struct backend_traits traits;
	/* Everything that --resume needs. An imported run has none. */
	bool has_settings;
	struct measure_settings settings;
	char *settings_json;   /* the same as a JSON object, as older versions stored it */
	char *state;           /* "running", "finished", "interrupted" */
	char *mark, *mark_why; /* "good" or "bad"; NULL: not marked */
	uint64_t seed;
	int rounds;
	int64_t started_ns, finished_ns; /* wall; 0: not finished */
	struct device_info device;
	struct key_value_list environment;
	struct trial *trials;
	size_t trial_count;
};
void run_release(struct run *run);

/* What came of a case: symbol, name, meaning. */
#define CHANGE_LIST(X)                                                                      \
	X(CHANGE_REGRESSED, "regressed", "slower, or a counter worse, by more than chance") \
	X(CHANGE_IMPROVED, "improved", "faster by more than chance")                        \
	X(CHANGE_UNCHANGED, "unchanged", "what may have changed is too little to matter")   \
	X(CHANGE_INCONCLUSIVE, "inconclusive",                                              \
	  "a change that matters is neither shown nor ruled out")                           \
	X(CHANGE_NEW, "new", "only the head has it")                                        \
	X(CHANGE_MISSING, "missing", "only the base has it")                                \
	X(CHANGE_FAILED, "failed", "the head has it, but it did not end well")

enum change {
#define X(symbol, name, meaning) symbol,
	CHANGE_LIST(X)
#undef X
		CHANGE_COUNT
};
const char *change_name(enum change change);
const char *change_meaning(enum change change);
bool change_parse(enum change *out, const char *name);

/* How a trial compares with its baseline, as it is kept. NAN where there is no number. */
struct trial_comparison {
	int64_t trial_id;      /* of the head */
	int64_t base_trial_id; /* 0: there is no baseline */
	enum change verdict;
	double change, low, high; /* as of struct effect */
	double p;                 /* adjusted over all that the run compares */
	char *why;                /* in words, where a person needs them; NULL: nothing to add */
};
struct trial_comparison_list {
	struct trial_comparison *items;
	size_t count, capacity;
};
/* Copies why. */
void comparison_list_add(struct trial_comparison_list *list,
			 const struct trial_comparison *comparison);
void comparison_list_release(struct trial_comparison_list *list);

#endif
