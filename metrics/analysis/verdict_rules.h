/*
 * verdict_rules: the tables behind verdict_of(), and what their rules look at.
 * Internal to metrics/.
 */
#ifndef METRICS_ANALYSIS_VERDICT_RULES_H
#define METRICS_ANALYSIS_VERDICT_RULES_H

#include "metrics/analysis/ceilings.h"
#include "metrics/analysis/roofline.h"
#include "metrics/metrics.h"

/* Thresholds, as numbers in the conditions that docs/verdicts.md repeats. */
#define NEAR_PCT 60         /* of a roof: near enough to be what binds */
#define AT_PCT 90           /* of a roof: nothing is to be had by hiding latency */
#define ISSUE_LEAD_PCT 10   /* points by which issue must lead to bind */
#define LAUNCH_NS 5000      /* a launch: below, launching is a good part of it */
#define OCCUPANCY_PCT 50    /* allowed: below, too few warps to hide latency */
#define OCCUPANCY_KEPT 0.75 /* achieved of allowed */
#define FULL_WARP 32
#define FULL_THREADS 28.8  /* of 32 take part */
#define KEPT_THREADS 0.85  /* of those with a true predicate */
#define WASTE 1.25         /* bytes moved of bytes needed */
#define LEAST_SECTORS 4.2  /* a request: elements of 4 bytes need 4 */
#define MOST_SECTORS 16.8  /* of 16 bytes 16, and there are none wider */
#define CONFLICT_SHARE 0.1 /* of the wavefronts of shared memory */
#define ABOVE_PCT 10       /* above a roof, where an interval is missing */
#define SCHEDULERS 4       /* a multiprocessor of compute capability 7.0 and later */

#define STRING_OF(number) #number
#define STRING(number) STRING_OF(number)

/* One trial in the numbers that rules ask for. NAN: not known. */
struct evidence {
	const struct trial *trial;
	const struct roofline_point *point;
	const struct ceiling_list *ceilings; /* NULL: none */
	const struct device_info *device;    /* NULL: not known */
	double median_ns;
	double launches, blocks;
	double launch_ns;                   /* of one launch, in the mean */
	double achieved_pct, allowed_pct;   /* occupancy */
	double eligible;                    /* warps ready, a cycle */
	double threads, threads_on;         /* a warp's instruction: taking part; predicate true */
	double branch_pct;                  /* uniform */
	double load_sectors, store_sectors; /* a request */
	double load_waste, store_waste;     /* bytes of sectors of bytes needed */
	double wavefronts, conflicts;       /* of shared memory */
	double issue_pct;                   /* of the instructions that could have been issued */
	double lanes_pct;                   /* of the compute roof, if all 32 lanes had worked */
	const struct ceiling *mix; /* of DRAM, of the nearest share of reads; NULL: not known, or it
				      is the highest */
	double mix_pct;            /* of that one */
	bool flop_uncounted;       /* the model has operations that no counter of ours sees */
	enum bound bound;          /* what binds, once that is decided: for notes and advice */
	enum bound nearest; /* whose roof is the nearest where none is near; unknown: no roof is */
	double roof_pct;    /* as in struct verdict */
};
void evidence_take(struct evidence *out, const struct trial *trial,
		   const struct roofline_point *point, const struct ceiling_list *ceilings,
		   const struct device_info *device);

#define BIND(bound) (1u << (bound))
/* The rules that only help to hide latency have nothing to offer at a roof. */
#define HIDES_LATENCY (1u << 31)

struct rule {
	struct verdict_rule words;
	enum bound bound; /* that it says to bind; not of a note */
	unsigned advises; /* of a note: the bounds that its advice is for */
	/* Of a roof: percent of it that counts for the choice; NAN: not known. NULL: not a roof. */
	double (*near_pct)(const struct evidence *evidence);
	bool (*holds)(const struct evidence *evidence); /* NULL: a roof */
	void (*say)(struct text *out, const struct evidence *evidence);
	void (*advise)(struct text *out,
		       const struct evidence *evidence); /* NULL: as in the words */
};
/* What binds: of the roofs the nearest if it is near, else the first of the others that holds. */
extern const struct rule binding_rules[];
extern const size_t binding_rule_count;
/* What adds to any verdict: all that hold. */
extern const struct rule note_rules[];
extern const size_t note_rule_count;

/* How many of the levels and compute cannot be held against a roof; out NULL, or which and why:
 * "L2, compute (not counted); DRAM (no measured roof)". */
size_t evidence_unjudged(struct text *out, const struct evidence *evidence);
/* Whether a rate is above its measured roof, and (out NULL: not) which by how much. */
bool evidence_above_roof(struct text *out, const struct evidence *evidence);
/* Whether what binds is so near its roof that hiding latency gains nothing: for DRAM, also that of
 * its mix of reads and writes. */
bool evidence_at_roof(const struct evidence *evidence);
/* The measured roof that a bound stands for; NULL: none. */
const struct ceiling *evidence_roof(const struct evidence *evidence, enum bound bound);

#endif
