/*
 * catalogue: the definition of every metric that perflab knows by name: unit,
 * meaning, the hardware counter on each chip, and the formula of a derived
 * metric. Also: what a request such as `--metrics core` asks a backend to count,
 * and the computation of derived metrics from counters.
 *
 * There are two tables. Hardware metrics (hardware_metrics.c) come from a device.
 * Emulated metrics (emulated_metrics.c, "ptx_...") come from the emulator. They
 * share no row and no input.
 */
#ifndef METRICS_CATALOGUE_CATALOGUE_H
#define METRICS_CATALOGUE_CATALOGUE_H

#include "metrics/metrics.h"

/* The direction in which a change of a metric is worse, other things being equal. Instructions and
 * operations of a device have no such direction, because their time is measured. In an emulated
 * run, which measures no time, instructions have one. */
enum worse { WORSE_LESS = -1, WORSE_NEITHER = 0, WORSE_MORE = 1 };

/* Metric sets for `--metrics`: symbol, name, meaning. */
#define METRIC_SET_LIST(X)                                                                       \
	X(METRIC_SET_BASIC, "basic",                                                             \
	  "time, occupancy, DRAM bytes, branches: the cheapest useful set")                      \
	X(METRIC_SET_CORE, "core",                                                               \
	  "basic plus L1, L2, sectors, bank conflicts, instructions, operations")                \
	X(METRIC_SET_MEMORY, "memory", "DRAM, L2, L1, sectors and requests, shared memory")      \
	X(METRIC_SET_FLOPS, "flops", "floating-point operations by type")                        \
	X(METRIC_SET_DIVERGENCE, "divergence", "branches, threads per instruction, predication") \
	X(METRIC_SET_OCCUPANCY, "occupancy", "achieved occupancy, eligible warps, cycles")       \
	X(METRIC_SET_CLOCKS, "clocks", "the time by every clock, beside that of the samples")    \
	X(METRIC_SET_PTX, "ptx", "everything that the emulator counts; not available on a device")

enum metric_set {
#define X(symbol, name, meaning) symbol,
	METRIC_SET_LIST(X)
#undef X
		METRIC_SET_COUNT
};
const char *metric_set_name(enum metric_set set);
const char *metric_set_meaning(enum metric_set set);
/* Returns false if there is no such set; *out is unchanged then. */
bool metric_set_parse(enum metric_set *out, const char *name);

#define METRIC_MAX_INPUTS 6
#define METRIC_MAX_ALIASES 7

/* How a derived metric follows from its inputs a, b, c, d and e. A ratio is undefined if its
 * denominator is not above 0. */
enum formula {
	FORMULA_NONE,              /* the metric is not derived */
	FORMULA_RATIO,             /* a / b */
	FORMULA_SECTORS,           /* a / b, if it is at most 32: one for each lane */
	FORMULA_PERCENT,           /* 100 a / b */
	FORMULA_PERCENT_REMAINING, /* 100 (a - b) / a */
	FORMULA_PERCENT_OF_LANES,  /* 100 a / (32 b) */
	FORMULA_RATIO_TO_SUM,      /* a / (b + c + d) */
	FORMULA_PER_SECOND,        /* 1e9 a / b, with b in ns */
	FORMULA_SUM,               /* a + b */
	FORMULA_SUM_OF_FIVE,       /* a + b + c + d + e */
	FORMULA_COUNTABLE_FLOP,    /* a + b + c + d; undefined if that is 0 and e is not */
	FORMULA_DIFFERENCE,        /* a - b */
	FORMULA_SECTOR_BYTES,      /* 32 a */
	FORMULA_WAVEFRONT_BYTES,   /* 128 (a + b) */
	FORMULA_FLOP,              /* a + b + 2 c: additions, multiplications, fused ones */
};

/* The name of a counter on some chips. The first alias with a matching prefix applies; the prefix
 * "" matches every chip. */
struct metric_alias {
	const char *chip_prefix;
	const char *counter; /* CUPTI name; NULL: the chip has no such counter */
};

/*
 * One row of a table. A row is of one of four kinds:
 *
 *   counter       It has aliases, or the emulator counts it.
 *   derived       It has inputs (names of rows above it) and a formula. It is
 *                 missing if an input is missing.
 *   from_launch   The worker adds it when it launches, with `formula` as source.
 *   from_samples  Used only as an input of other rows. The counted range takes
 *                 some microseconds longer than the case, so a rate is a counter
 *                 divided by the median of the timed samples.
 */
struct metric {
	const char *name;    /* "dram_read_bytes" */
	const char *unit;    /* "byte", "byte/s", "percent", "thread/instruction", "ns", "1" … */
	const char *meaning; /* one line */
	unsigned sets;       /* bits 1u << enum metric_set */
	struct metric_alias aliases[METRIC_MAX_ALIASES];
	/* The value repeats bit for bit for the same code, launch and input;
	 * docs/methodology.md says how that was found. Unused in a derived row: see
	 * metric_is_exact(). */
	bool exact;
	enum worse worse;
	/* A row above. NULL: none. The counter takes passes of its own, so it is counted in a later
	 * step than that row, and only in cases in which that row is above 0 or has no value. In
	 * other cases it is 0. */
	const char *only_if;
	bool emulated;       /* of the emulator; no device has it */
	bool modelled;       /* of the work model: stated, neither counted nor measured */
	bool from_launch;    /* "theoretical_occupancy_pct" */
	bool from_samples;   /* "median_time_ns" */
	const char *formula; /* human-readable: "100 * uniform / all"; NULL for a counter */
	const char *inputs[METRIC_MAX_INPUTS];
	enum formula derive;
	const char *undefined; /* why the formula gives no value, for example without any branch */
};
const struct metric *metric_all(size_t *count);          /* the hardware metrics */
const struct metric *metric_all_emulated(size_t *count); /* the emulated metrics */
/* Searches both tables. Returns NULL if there is no such metric. */
const struct metric *metric_find(const char *name);
/* Whether the value repeats: the metric is exact, or derived from exact metrics only. */
bool metric_is_exact(const struct metric *metric);
/* The CUPTI name of the counter on a chip. NULL: the chip has none, or the metric is derived. */
const char *metric_counter_on(const struct metric *metric, const char *chip);
/* The recorded upper bound of the passes that a set needs on a chip, from passes.def. 0: no record
 * for the chip. */
unsigned metric_set_recorded_passes(enum metric_set set, const char *chip);

/*
 * Resolves a request for hardware metrics. `names` are sets, metrics of the
 * catalogue, or CUPTI names (UNIT__COUNTER.ROLLUP). Appends the requested names to
 * `wanted`, each once, and each after its inputs and its `only_if`. Returns PL_EUSAGE, and leaves
 * `wanted` unchanged, for an unknown name (the error suggests the nearest) and
 * for an emulated metric.
 */
int metric_request(struct string_list *wanted, const struct string_list *names, struct error *err);
/* metric_request() for the emulator: accepts the set ptx and its metrics, and refuses hardware
 * metrics. */
int metric_request_emulated(struct string_list *wanted, const struct string_list *names,
			    struct error *err);
/* PL_EUSAGE: no known chip has the unit of this CUPTI name, which has "__". For a sweep that can
 * ask no GPU. */
int metric_unit_check(const char *word, struct error *err);
/* Adds the derived metrics in `wanted`, except rates, to the list that holds their inputs. */
void metric_derive(struct counter_list *counters, const struct string_list *wanted);

/* Adds the rates in `wanted`. If the median of the samples is NAN, the rates are missing. */
void metric_derive_rates(struct counter_list *counters, const struct string_list *wanted,
			 double median_time_ns);

/* A value that the emulator counted. */
struct emulated_value {
	const char *name; /* "ptx_branches" */
	double value;
	const char *reason; /* why there is no value; NULL: there is one */
};
/*
 * Adds all emulated metrics to `out`, in the order of the table: the given
 * values, the numbers of blocks, and the metrics derived from them. A metric
 * without a given value is missing, with that reason. If only some blocks were
 * executed, every source says so, except those of metrics from the launch. The
 * caller decides whether all counts are those of the executed blocks or are
 * scaled to all blocks.
 */
void metric_emulated_counters(struct counter_list *out, const struct emulated_value *values,
			      size_t count, int64_t blocks_executed, int64_t blocks_total);

#endif
