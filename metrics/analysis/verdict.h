/*
 * verdict: the limiter of a case, the evidence and what to try. A verdict is
 * computed from a trial's counters and time, its roofline point
 * (metrics/analysis/roofline.h) and the measured ceilings, by the rules of
 * docs/verdicts.md and by nothing else. What is not known is not judged.
 */
#ifndef METRICS_ANALYSIS_VERDICT_H
#define METRICS_ANALYSIS_VERDICT_H

#include "metrics/analysis/ceilings.h"
#include "metrics/analysis/roofline.h"

struct trial;
struct run;
struct device_info;

/* The database stores verdicts with this number, and judges runs of another one again. Increase it
 * with every change of the rules, their limits or their texts. */
#define VERDICT_RULES_VERSION 10

/* The limiter of a case: symbol, name, meaning. */
#define BOUND_LIST(X)                                                                              \
	X(BOUND_UNKNOWN, "unknown", "too little was measured, or no rule explains the time")       \
	X(BOUND_DRAM, "dram", "bandwidth of device memory")                                        \
	X(BOUND_L2, "l2", "bandwidth of the second-level cache")                                   \
	X(BOUND_L1, "l1", "bandwidth of the first-level cache")                                    \
	X(BOUND_SHARED, "shared", "bandwidth of shared memory")                                    \
	X(BOUND_COMPUTE, "compute", "rate of floating-point operations")                           \
	X(BOUND_ISSUE, "issue", "rate of instructions of any kind")                                \
	X(BOUND_TENSOR, "tensor", "the pipe of the tensor cores")                                  \
	X(BOUND_SPECIAL, "special", "the pipe of special functions and conversions")               \
	X(BOUND_BARRIER, "barrier", "warps wait at barriers")                                      \
	X(BOUND_FETCH, "fetch", "warps wait for instructions")                                     \
	X(BOUND_ATOMICS, "atomics", "atomics that wait for each other")                            \
	X(BOUND_OCCUPANCY, "occupancy", "too few warps fit to hide latency")                       \
	X(BOUND_LATENCY, "latency", "waiting for memory or earlier instructions; no roof is near") \
	X(BOUND_GRID, "grid", "too few blocks to fill the multiprocessors")                        \
	X(BOUND_TAIL, "tail", "the last wave of blocks leaves multiprocessors idle")               \
	X(BOUND_IMBALANCE, "imbalance", "some blocks take longer than others")                     \
	X(BOUND_LAUNCH, "launch", "starting launches or blocks takes much of the time")            \
	X(BOUND_CLOCK, "clock", "power or heat keeps the clock below the highest")

enum bound {
#define X(symbol, name, meaning) symbol,
	BOUND_LIST(X)
#undef X
		BOUND_COUNT
};
const char *bound_name(enum bound bound);
const char *bound_meaning(enum bound bound);
/* Whether it is the share of a roof: of a bandwidth, of a rate or of a pipe. These stand together.
 */
bool bound_is_roof(enum bound bound);

/* A rule as docs/verdicts.md and `perflab list rules` show it. */
struct verdict_rule {
	const char *name, *condition;
	const char *advice;  /* what to try; "": nothing */
	const char *saves;   /* the part of the time that this saves at most; "": not known */
	const char *limiter; /* that the rule finds; NULL: it adds a note */
};
/* The rules in the order of that page. Returns false after the last one. */
bool verdict_rule_at(struct verdict_rule *out, size_t index);

/* The result of one rule: its name (docs/verdicts.md, or a file of the user), and a text with the
 * numbers. */
struct verdict_note {
	const char *rule;
	char *text;
	const char *remedy; /* of advice: its text in two or three words; NULL: it has none */
	/* How many times as fast the case is at most if an advice is followed. NAN: not known.
	 */
	double at_most;
	bool assumes; /* of an advice: at_most assumes a part that nobody knows, such as a half */
	/* The share that did nothing useful of all lanes of instructions, of all sectors of global
	 * memory, of all bytes of DRAM, or of the cycles of instructions, bank conflicts and queues
	 * at atomics: 0.42 if 42 % of the sectors hold nothing that a lane asked for. NAN: the rule
	 * finds no waste, or its size is not known. */
	double lost;
};
struct verdict {
	enum bound bound;
	double roof_pct; /* share of the limiter's roof, else of the nearest; NAN: none known */
	/* The limiter follows from the work model, in place of counters that are missing. The
	 * summary says so. */
	bool from_model;
	char *summary; /* one sentence: "DRAM-bound: 93 % of the measured 4.28 TB/s (dram_copy)" */
	/* Occupancy, divergence, predication, sectors … In an emulated run, which has no limiter,
	 * the one with the largest `lost` comes first. Otherwise the order is that of
	 * docs/verdicts.md. */
	struct verdict_note *notes;
	size_t note_count;
	struct verdict_note *advice; /* what to try, the most useful first; at most two */
	size_t advice_count;
	/* A finding: a rate is above a measured roof, which no kernel can reach. The text has the
	 * rates, the roofs and what may be wrong. NULL: none. */
	char *above_roof;
};

/* For tables that people read: "compute", or "compute (model)" if it is from the work model. */
const char *verdict_limiter_name(const struct verdict *verdict);

/* What is known about the measurement of a trial. Rules that need what is not known are not judged.
 */
struct verdict_context {
	const struct ceiling_list *ceilings; /* NULL: none are known */
	const struct device_info *device;    /* NULL: not known */
	bool flushed; /* the L2 was flushed before each sample; false: it was not, or not known */
	const struct user_rules *rules; /* NULL: none */
};
/* What is known about the measurements of a run. It borrows both arguments. */
struct verdict_context verdict_context_of(const struct run *run,
					  const struct ceiling_list *ceilings);
void verdict_of(struct verdict *out, const struct trial *trial, const struct roofline_point *point,
		const struct verdict_context *context);
/* Whether verdict_of() gives the finding above_roof. Such a trial is the best of nothing. */
bool verdict_is_above_roof(const struct trial *trial, const struct roofline_point *point,
			   const struct verdict_context *context);
void verdict_release(struct verdict *verdict);

/* ---- what the counters of a trial show to be wasted, in a few words, so that the cases of a whole
 * run can be ranked; the notes of a verdict say the same at length ---- */

struct trial_finding {
	const char *rule; /* as docs/verdicts.md names it: "bank_conflicts" */
	double lost;      /* as in struct verdict_note */
	/* Waste ranks before local memory, and that before occupancy that the launch does not
	 * allow; in a rank, the larger weight is worse. */
	int rank;
	double weight;
	char *text;         /* "32.0 sectors per load" */
	const char *remedy; /* "coalesce accesses" */
};

/* All zeroes is an empty list. */
struct trial_findings {
	struct trial_finding *items; /* worst first */
	size_t count, capacity;
};
/* Adds nothing for a trial without counters. */
void trial_findings_of(struct trial_findings *out, const struct trial *trial,
		       const struct roofline_point *point, const struct verdict_context *context);
void trial_findings_release(struct trial_findings *list);

/* Negative: `a` is worse; positive: `b` is. */
int trial_finding_compare(const struct trial_finding *a, const struct trial_finding *b);

#endif
