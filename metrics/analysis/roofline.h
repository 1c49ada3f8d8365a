/*
 * Rooflines: where a trial stands below what its device showed that it can do
 * at most (metrics/analysis/ceilings.h), what binds it, and what to try. Pure arithmetic
 * over counters, samples and ceilings that are stored; nothing here measures.
 *
 * Sources: Williams, Waterman, Patterson, "Roofline: an insightful visual
 * performance model", CACM 52(4), 2009; for one intensity a memory level:
 * Yang, Kurth, Williams, "Hierarchical Roofline analysis for GPUs",
 * Concurrency and Computation 32(20), 2020.
 */
#ifndef METRICS_ANALYSIS_ROOFLINE_H
#define METRICS_ANALYSIS_ROOFLINE_H

#include "base/base.h"
#include "metrics/analysis/ceilings.h"

struct trial;
struct device_info;

/* ---- where a trial stands ---- */

/*
 * NAN throughout: not measured. A copy has flop, rates of them and intensities
 * of 0: it is bandwidth under a roof, and no point of a plot with logarithmic axes.
 * Nothing is known of a trial that is neither ok nor sampled.
 */
struct roofline_point {
	/* Bytes and operations are those of the PTX by the emulator's counts, never to stand under
	 * the name of a measured one: LEVEL_DRAM are compulsory bytes, LEVEL_L1 sectors of global
	 * memory, LEVEL_SHARED wavefronts; no L2, no rate, no height. */
	bool emulated;
	double flop;              /* counted, of `precision` */
	double flop_per_s;        /* over the median time */
	enum precision precision; /* that with the most counted operations; f32 without any */
	struct roofline_level {
		double bytes;       /* counted */
		double bytes_per_s; /* over the median time */
		double intensity;   /* flop / bytes */
		double roof_pct;    /* bytes_per_s of the level's ceiling */
	} level[MEMORY_LEVEL_COUNT];
	double needed_bytes;          /* compulsory, by the work model */
	double needed_flop;           /* by the work model */
	double needed_intensity;      /* of those two */
	double waste;                 /* counted DRAM bytes / needed bytes */
	double compute_roof_pct;      /* flop_per_s of the ceiling of `precision` */
	double attainable_flop_per_s; /* least of the roofs that are known at its intensities */
};
void roofline_point_of(struct roofline_point *out, const struct trial *trial,
		       const struct ceiling_list *ceilings);

/* ---- verdicts ---- */

/* What binds a kernel: symbol, name, meaning. */
#define BOUND_LIST(X)                                                                          \
	X(BOUND_UNKNOWN, "unknown", "too little was measured to say")                          \
	X(BOUND_DRAM, "dram", "bandwidth of device memory")                                    \
	X(BOUND_L2, "l2", "bandwidth of the second-level cache")                               \
	X(BOUND_L1, "l1", "bandwidth of the first-level cache")                                \
	X(BOUND_SHARED, "shared", "bandwidth of shared memory")                                \
	X(BOUND_COMPUTE, "compute", "rate of floating-point operations")                       \
	X(BOUND_ISSUE, "issue", "rate of instructions, of any kind")                           \
	X(BOUND_LATENCY, "latency", "no roof is near: it waits, for memory, barriers or work") \
	X(BOUND_LAUNCH, "launch", "too short, or too few blocks, for the device to be busy")

enum bound {
#define X(symbol, name, meaning) symbol,
	BOUND_LIST(X)
#undef X
		BOUND_COUNT
};
const char *bound_name(enum bound bound);
const char *bound_meaning(enum bound bound);

/* A rule as docs/verdicts.md has it: what must hold, and what it says to try ("": nothing). */
struct verdict_rule {
	const char *name, *condition, *advice;
};
/* In the order of that page; NULL beyond its end. */
const struct verdict_rule *verdict_rule_at(size_t index);

/* One rule of the table that spoke: its name (docs/verdicts.md), and what it says with the numbers
 * that say so. */
struct verdict_note {
	const char *rule;
	char *text;
};
struct verdict {
	enum bound bound;
	double roof_pct; /* of the roof that binds, else of the nearest one; NAN: no roof known */
	char *summary; /* one sentence: "DRAM-bound: 93 % of the measured 4.28 TB/s (dram_copy)" */
	struct verdict_note *notes; /* occupancy, divergence, predication, sectors … */
	size_t note_count;
	struct verdict_note *advice; /* what to try, the most useful first; at most two */
	size_t advice_count;
	/* Above a measured roof by more than both intervals: the ceiling or the counter is wrong.
	 * NULL: no. */
	char *above_roof;
};
/* ceilings, device: NULL where not known; then what needs them is not judged. */
void verdict_of(struct verdict *out, const struct trial *trial, const struct roofline_point *point,
		const struct ceiling_list *ceilings, const struct device_info *device);
void verdict_release(struct verdict *verdict);

#endif
