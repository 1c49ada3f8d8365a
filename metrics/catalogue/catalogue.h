/*
 * catalogue: what each metric means: its name, unit and definition, the
 * counters it is read from on each chip, and the formulas of derived metrics.
 */
#ifndef METRICS_CATALOGUE_CATALOGUE_H
#define METRICS_CATALOGUE_CATALOGUE_H

#include "metrics/metrics.h"

/* Which way a metric changes for the worse, other things being equal. A device's instructions and
 * operations have none: their time is measured. Where no time is, they are all that tells. */
enum worse { WORSE_LESS = -1, WORSE_NEITHER = 0, WORSE_MORE = 1 };

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
 * metrics/catalogue/passes.def */
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
