/*
 * metrics: what a number means. The measurement nouns that travel from a
 * worker through the database to a report, the catalogue of metrics (name,
 * unit, meaning, per-chip counter names), the values derived from counters,
 * and the statistics of samples. Knows neither CUDA nor SQL; CUPTI is spoken
 * only in metrics/cupti/.
 */
#ifndef METRICS_METRICS_H
#define METRICS_METRICS_H

#include "base/base.h"
#include "metrics/change_points.h"
#include "metrics/compare.h"
#include "metrics/emulated_counts.h"
#include "metrics/history.h"
#include "metrics/regress.h"
#include "metrics/roofline.h"
#include "metrics/shards.h"
#include "metrics/study.h"

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

/* What an emulator counted at one source line of a kernel. */
struct line_count {
	char *file; /* as the compiler names it, owned; NULL: `line` is one of the PTX */
	int64_t line;
	int64_t instructions,
		lanes; /* PTX instructions of warps; the same for each lane that ran */
	int64_t branches, divergent;
	int64_t requests, sectors; /* global memory: loads, stores, atomics */
	int64_t shared_requests, wavefronts, conflicts;
};
/* Ascending by file (NULL first) and line, each once. All zeroes is an empty list. */
struct line_count_list {
	struct line_count *items;
	size_t count, capacity;
};
/* A new all-zero line at the end; `file` is copied. */
struct line_count *line_count_list_add(struct line_count_list *list, const char *file,
				       int64_t line);
void line_count_list_release(struct line_count_list *list);

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

/* ---- statistics ---- */

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
/* count 0 gives all NAN. Samples must be finite; they are not modified. */
struct summary summarise(const double *time_ns, size_t count);
/* Half width of the interval over the median; INFINITY when there is none. */
double summary_relative_width(const struct summary *summary);

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

/* One sweep. */
struct run {
	int64_t id;            /* in its database */
	char uid[33];          /* 32 hex digits, the same in every database that holds this run */
	char *label, *note;    /* NULL: none */
	char *command;         /* as typed */
	char *backend;         /* "cuda" */
	char *version;         /* of perflab */
	char *source_revision; /* of the tree that perflab was built from; NULL unknown */
	char *settings;        /* JSON object: everything that --resume needs */
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

/* ---- the catalogue ---- */

/* Metric sets, as `--metrics` names them: symbol, name, meaning. */
#define METRIC_SET_LIST(X)                                                                       \
	X(METRIC_SET_BASIC, "basic",                                                             \
	  "time, occupancy, DRAM bytes, branches: the cheapest useful set")                      \
	X(METRIC_SET_CORE, "core",                                                               \
	  "basic, and L1, L2, sectors, conflicts, instructions, operations")                     \
	X(METRIC_SET_MEMORY, "memory", "DRAM, L2, L1, sectors and requests, shared memory")      \
	X(METRIC_SET_FLOPS, "flops", "floating-point operations by type")                        \
	X(METRIC_SET_DIVERGENCE, "divergence", "branches, threads per instruction, predication") \
	X(METRIC_SET_OCCUPANCY, "occupancy", "achieved occupancy, eligible warps, cycles")       \
	X(METRIC_SET_PTX, "ptx", "everything that the backend ptx counts; no device has it")

enum metric_set {
#define X(symbol, name, meaning) symbol,
	METRIC_SET_LIST(X)
#undef X
		METRIC_SET_COUNT
};
const char *metric_set_name(enum metric_set set);
const char *metric_set_meaning(enum metric_set set);
bool metric_set_parse(enum metric_set *out, const char *name);

#define METRIC_MAX_INPUTS 6
#define METRIC_MAX_ALIASES 5

/* A counter name on some chips. The first row whose prefix the chip's name has, wins; "" is every
 * chip. */
struct metric_alias {
	const char *chip_prefix;
	const char *counter; /* CUPTI name; NULL: the chip has no such counter */
};

/*
 * One row of a catalogue, of one of three kinds. A counter has aliases. A
 * derived metric has inputs (names of other rows) and a formula, and is
 * missing when any input is. A metric from_launch is no counter: whoever
 * launches adds it, with `formula` as its source. One from_samples is only an
 * input: the counted range takes some microseconds longer than the operation,
 * so rates are counters over the median of the timed samples.
 *
 * There are two catalogues that share no row and no input: of what a device
 * counts, and of what the backend ptx does ("ptx_…", emulated).
 */
struct metric {
	const char *name;    /* "dram_read_bytes" */
	const char *unit;    /* "byte", "byte/s", "percent", "thread/instruction", "ns", "1" … */
	const char *meaning; /* one line */
	unsigned sets;       /* bits 1u << enum metric_set */
	struct metric_alias aliases[METRIC_MAX_ALIASES];
	/* Repeats bit for bit for the same code, launch and input (docs/methodology.md says how
	 * that was found); of what is derived, see metric_is_exact(). */
	bool exact;
	enum worse worse;
	bool emulated;       /* by the backend ptx; no device has it */
	bool from_launch;    /* "theoretical_occupancy_pct" */
	bool from_samples;   /* "median_time_ns" */
	const char *formula; /* for people: "100 * uniform / all"; NULL for a counter */
	const char *inputs[METRIC_MAX_INPUTS];
	/* NAN when undefined (say, no branches at all); then `undefined` is the reason. */
	double (*derive)(const double *inputs);
	const char *undefined;
};
const struct metric *metric_all(size_t *count);          /* of devices */
const struct metric *metric_all_emulated(size_t *count); /* of the backend ptx */
/* In both. */
const struct metric *metric_find(const char *name);
/* Whether its value repeats: it is exact, or derived of such alone. */
bool metric_is_exact(const struct metric *metric);
/* The counter's CUPTI name on a chip, NULL if it has none or the metric is derived. */
const char *metric_counter_on(const struct metric *metric, const char *chip);
/* Recorded upper bound of passes of a set on a chip; 0 if the chip is not recorded.
 * metrics/passes.def */
unsigned metric_set_recorded_passes(enum metric_set set, const char *chip);

/*
 * What a request needs of a device. `names` are sets, catalogue names, or
 * CUPTI names (anything with "__"). Fills `wanted` with catalogue or CUPTI
 * names in order, no duplicates, inputs of derived metrics included. PL_EUSAGE
 * with the nearest names for an unknown word, and for an emulated metric.
 */
int metric_request(struct string_list *wanted, const struct string_list *names, struct error *err);
/* The same of the backend ptx: the set ptx and its metrics; a device's are PL_EUSAGE. */
int metric_request_emulated(struct string_list *wanted, const struct string_list *names,
			    struct error *err);
/* Adds the derived metrics among `wanted` to a list that holds their inputs; rates are left alone.
 */
void metric_derive(struct counter_list *counters, const struct string_list *wanted);

/* The same for rates, which need the median of the trial's samples; NAN makes them missing. */
void metric_derive_rates(struct counter_list *counters, const struct string_list *wanted,
			 double median_time_ns);

/* A count that an emulator took, by its name in the catalogue. */
struct emulated_value {
	const char *name; /* "ptx_branches" */
	double value;
	const char *reason; /* why there is none; NULL: there is */
};
/*
 * All rows of the emulated catalogue in its order: the values given, the
 * blocks, what is derived from them; one that is not given is missing with
 * that reason. When fewer blocks were executed than there are, every source
 * but that of the occupancy says so; whether counts are of the executed blocks
 * or scaled to all is the caller's, the same for all of them.
 */
void metric_emulated_counters(struct counter_list *out, const struct emulated_value *values,
			      size_t count, int64_t blocks_executed, int64_t blocks_total);

#endif
