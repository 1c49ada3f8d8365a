/*
 * verdict_rules: the tables of rules behind verdict_of(), and the evidence that
 * the rules examine. Internal to metrics/analysis/.
 */
#ifndef METRICS_ANALYSIS_VERDICT_RULES_H
#define METRICS_ANALYSIS_VERDICT_RULES_H

#include "metrics/analysis/ceilings.h"
#include "metrics/analysis/roofline.h"
#include "metrics/analysis/verdict.h"
#include "metrics/metrics.h"

/* Thresholds. The conditions in docs/verdicts.md repeat these numbers. */
#define NEAR_PCT 60         /* from this share of a roof on, the roof is the limiter */
#define AT_PCT 90           /* from this share on, hiding latency gains nothing */
#define ISSUE_LEAD_PCT 10   /* points by which issue must exceed compute to be the limiter */
#define GRID_KEPT_PCT 95    /* blocks / multiprocessors: above it, idle ones cost next to nothing */
#define READY_WARPS 1       /* per scheduler and cycle: from this on, latency is hidden */
#define ROOF_USED_PCT 5     /* below this share of its roof, saving traffic wins next to nothing */
#define NEAR_LIMIT 3        /* points around NEAR_PCT in which a verdict says that it is close */
#define LAUNCH_NS 5000      /* per launch: a shorter launch consists largely of overhead */
#define OCCUPANCY_PCT 50    /* below this allowed occupancy, too few warps hide latency */
#define OCCUPANCY_KEPT 0.75 /* achieved / allowed occupancy */
#define FULL_WARP 32
#define FULL_THREADS 28.8  /* threads of 32 that take part */
#define KEPT_THREADS 0.85  /* threads with a true predicate / threads that take part */
#define WASTE 1.25         /* bytes moved / bytes needed */
#define LEAST_SECTORS 4.2  /* per request: elements of 4 bytes need 4 sectors */
#define MOST_SECTORS 16.8  /* per request: elements of 16 bytes, the widest, need 16 */
#define QUEUE 2            /* lanes with one address in an atomic of a warp */
#define CONFLICT_SHARE 0.1 /* bank conflicts / wavefronts of shared memory */
#define LEAST_LOST 0.05    /* waste below it is no finding */
#define ABOVE_PCT 3  /* above a roof, beyond both intervals: ceilings differ between sessions */
#define VAGUE_PCT 10 /* above a roof, if an interval is missing */
#define LEAST_LOADS 0.005 /* global loads / instructions */
#define FULL_PCT 90       /* achieved occupancy to which more warps add nothing */
#define WIDE_SECTORS 15.5 /* per request: lanes load 16 bytes each */
#define SCHEDULERS 4      /* per multiprocessor, from compute capability 7.0 on */

#define STRING_OF(number) #number
#define STRING(number) STRING_OF(number)

/* The rules for the limiter: roofs, and what it may be if none is near. */
enum limiter_rule {
	RULE_DRAM,
	RULE_L2,
	RULE_L1,
	RULE_SHARED,
	RULE_COMPUTE,
	RULE_IDLE_LANES,
	RULE_ISSUE,
	ROOF_RULE_COUNT,
	RULE_LAUNCH = ROOF_RULE_COUNT,
	RULE_FEW_BLOCKS,
	RULE_LATENCY,
	RULE_UNKNOWN,
	LIMITER_RULE_COUNT
};

/* The rules for notes. */
enum note_rule {
	NOTE_ABOVE_ROOF,
	NOTE_SPILLS, /* before the bytes that they may have caused */
	NOTE_DRAM_WASTE,
	NOTE_SECTORS,
	NOTE_DIVERGENCE,
	NOTE_PREDICATION,
	NOTE_BANK_CONFLICTS,
	NOTE_ATOMICS,
	NOTE_OCCUPANCY_LOST,
	NOTE_OCCUPANCY_LIMIT,
	NOTE_STARVED,
	NOTE_FLOP_UNCOUNTED,
	NOTE_NOT_JUDGED,
	NOTE_COUNT
};

/* The numbers of one trial that the rules examine. NAN: not known. */
struct evidence {
	const struct trial *trial;
	const struct roofline_point *point;
	const struct ceiling_list *ceilings; /* NULL: none */
	const struct device_info *device;    /* NULL: not known */
	bool flushed;                        /* as in struct verdict_context */
	double median_ns;
	double launches, blocks;
	double launch_ns;                   /* mean of the launches */
	double achieved_pct, allowed_pct;   /* occupancy */
	double eligible;                    /* warps ready per cycle */
	double threads, threads_on;         /* per instruction: taking part, predicate true */
	double branch_pct;                  /* uniform branches */
	double load_sectors, store_sectors; /* per request */
	double load_waste, store_waste;     /* bytes of sectors / bytes needed */
	double loaded, stored;              /* sectors of all requests */
	double load_requests;               /* of warps, to global memory */
	double instructions;                /* of warps */
	double wavefronts, conflicts;       /* of shared memory */
	/* Emulated: atomics of warps, and their steps if lanes with one address take turns. */
	double atomics, atomic_steps;
	double issue_pct; /* of the issue slots of the multiprocessors */
	double lanes_pct; /* of the compute roof, scaled up to full warps */
	/* The DRAM ceiling with the nearest share of reads. NULL: not known, or it is the highest
	 * DRAM ceiling. */
	const struct ceiling *mix;
	double mix_pct;      /* of `mix` */
	bool flop_uncounted; /* the work model has operations that no counter counted */
	double compute_pct;  /* of the compute roof; of the work model if they are uncounted */
	/* The least share of the DRAM roof that the work model allows. NAN: DRAM bytes were
	 * counted, or it is not known. */
	double needed_dram_pct;
	/* Set by limiters_judge(). By limiter rule: the share of its roof in percent, of a rule
	 * that has one; whether the rule holds, of another. */
	double near_pct[LIMITER_RULE_COUNT];
	/* near_pct of the multiprocessors that have a block. It decides, because 4 idle ones of 132
	 * are no limiter. */
	double busy_pct[LIMITER_RULE_COUNT];
	bool holds[LIMITER_RULE_COUNT];
	/* These are set once the limiter is decided, for notes and advice. */
	enum bound bound;
	enum bound nearest; /* the nearest roof if none is near; BOUND_UNKNOWN: no roof is known */
	double roof_pct;    /* as in struct verdict */
};
void evidence_collect(struct evidence *out, const struct trial *trial,
		      const struct roofline_point *point, const struct verdict_context *context);

#define LIMITER(bound) (1u << (bound))
/* Advice of this rule only hides latency, which gains nothing at a roof. */
#define HIDES_LATENCY (1u << 31)

enum finding_rank { RANK_WASTE, RANK_SPILLS, RANK_OCCUPANCY };

struct rule {
	struct verdict_rule words;
	enum bound bound; /* of a limiter rule: the limiter */
	unsigned advises; /* of a note rule: the limiters for which it gives its advice */
	void (*say)(struct text *out, const struct evidence *evidence);
	const char *begin; /* of what is said, before the share of the roof, if `say` is NULL */
	/* NULL: the advice in `words` as it is. */
	void (*advise)(struct text *out, const struct evidence *evidence);
	/* Whether following its advice can win enough to be said; NULL: always. */
	bool (*matters)(const struct evidence *evidence);
	/* The note in a few words, as a finding, and what to try. NULL: it is no finding. */
	void (*tell)(struct text *out, const struct evidence *evidence);
	enum finding_rank rank;
	const char *remedy;
	const char *(*remedy_of)(const struct evidence *evidence); /* used instead, if not NULL */
};
/* The rules for the limiter: the nearest roof if it is near, else the first other rule that holds.
 */
extern const struct rule limiter_rules[LIMITER_RULE_COUNT];
/* Sets near_pct and holds. */
void limiters_judge(struct evidence *out);
void limiter_say(struct text *out, enum limiter_rule rule, const struct evidence *evidence);
/* The rules for notes: every rule that holds adds one. */
extern const struct rule note_rules[NOTE_COUNT];
struct judged_note {
	bool holds;
	double lost; /* as in struct verdict_note, if it is above 0 and finite */
};
void notes_judge(struct judged_note out[NOTE_COUNT], const struct evidence *evidence);

/* Whether so many warps are ready that something else than latency must be the limiter; false if
 * that is not known. */
bool evidence_latency_is_hidden(const struct evidence *evidence);
/* Whether the code is that of a library or of the driver, which nobody follows an advice about. */
bool evidence_is_of_library(const struct evidence *evidence);
/* Whether compute is judged by the work model, because its operations were not counted. */
bool evidence_compute_is_modelled(const struct evidence *evidence);
/* Returns how many memory levels, with compute, cannot be compared with a roof. Adds their names
 * and the reasons, unless `out` is NULL: "L2, compute (not counted); DRAM (no measured roof)". */
size_t evidence_unjudged(struct text *out, const struct evidence *evidence);
/* Returns whether a rate is above its measured roof. Adds the rates, the roofs and what it means,
 * unless `out` is NULL. */
bool evidence_above_roof(struct text *out, const struct evidence *evidence);
/* Whether the limiter is so near its roof that hiding latency gains nothing. For DRAM, the ceiling
 * of the mix of reads and writes counts too. */
bool evidence_at_roof(const struct evidence *evidence);
/* The measured roof of a limiter. NULL: none. */
const struct ceiling *evidence_roof(const struct evidence *evidence, enum bound bound);

#endif
