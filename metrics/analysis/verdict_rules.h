/*
 * verdict_rules: the tables of rules behind verdict_of(), and the evidence that
 * the rules examine. Internal to metrics/analysis/.
 */
#ifndef METRICS_ANALYSIS_VERDICT_RULES_H
#define METRICS_ANALYSIS_VERDICT_RULES_H

#include "metrics/analysis/ceilings.h"
#include "metrics/analysis/roofline.h"
#include "metrics/analysis/statistics.h"
#include "metrics/analysis/verdict.h"
#include "metrics/metrics.h"

/* Thresholds. The conditions in docs/verdicts.md repeat these numbers. */
#define NEAR_PCT 60          /* from this share of a roof on, the roof is the limiter */
#define AT_PCT 90            /* from this share on, hiding latency gains nothing */
#define ARITHMETIC_SHARE 0.7 /* compute / issue: from it on, compute is the limiter */
#define GRID_KEPT_PCT 95    /* blocks / multiprocessors: above it, idle ones cost next to nothing */
#define READY_WARPS 1       /* per scheduler and cycle: from this on, latency is hidden */
#define ROOF_USED_PCT 5     /* below this share of its roof, saving traffic wins next to nothing */
#define NEAR_LIMIT 3        /* points around NEAR_PCT in which a verdict says that it is close */
#define RUNNING_LEAST 0.6   /* of the time: the rest may be that of launching */
#define LAUNCH_TIMES 1.5    /* of an empty kernel: a shorter launch consists largely of overhead */
#define OCCUPANCY_PCT 50    /* below this allowed occupancy, too few warps hide latency */
#define OCCUPANCY_KEPT 0.75 /* achieved / allowed occupancy */
#define FULL_WARP 32
#define FULL_THREADS 28.8  /* threads of 32 that take part */
#define KEPT_THREADS 0.85  /* threads with a true predicate / threads that take part */
#define WASTE 1.25         /* bytes moved / bytes needed */
#define LEAST_SECTORS 4.2  /* per request: elements of 4 bytes need 4 sectors */
#define IDEAL_SECTORS 4    /* per request, of elements of 4 bytes */
#define MOST_SECTORS 16.8  /* per request: elements of 16 bytes, the widest, need 16 */
#define WIDE_LEAST 14      /* per request: from here on most accesses may be of 16 bytes */
#define MMA_MOST_FLOP 8192 /* operations of an mma instruction of a warp: m16n8k32 */
#define QUEUE 2            /* lanes with one address in an atomic of a warp */
#define CONFLICT_SHARE 0.1 /* bank conflicts / wavefronts of shared memory */
#define LEAST_LOST 0.05    /* waste below it is no finding */
#define ABOVE_PCT 3  /* above a roof, beyond both intervals: ceilings differ between sessions */
#define VAGUE_PCT 10 /* above a roof, if an interval is missing */
#define LEAST_LOADS 0.005       /* global loads / instructions */
#define FULL_PCT 90             /* achieved occupancy to which more warps add nothing */
#define WIDE_SECTORS 15.5       /* per request: lanes load 16 bytes each */
#define SCHEDULERS 4            /* per multiprocessor, from compute capability 7.0 on */
#define LEAST_STALLS 500        /* samples: with fewer, a share of them is too vague */
#define BUSY_PCT 80             /* below it, multiprocessors without work are the limiter */
#define TAIL_PART 0.5           /* of the idle time, which the last wave explains */
#define STALL_PCT 30            /* a reason of stalls from which on it may be the limiter */
#define STALL_LEAD_PCT 40       /* and from which on it comes before a roof below LEAD_ROOF_PCT */
#define LEAD_ROOF_PCT 80        /* of the roof before which it still comes */
#define QUEUE_ROOF_PCT 40       /* of a roof whose requests fill the queue of their unit */
#define QUEUE_PCT 30            /* warps that wait for room in it, from which on it is full */
#define QUEUE_LEAD_PCT 50       /* and from which on the L1 is the limiter whatever its bytes are */
#define CLOCK_PCT 90            /* of the highest clock: a clock below it is the limiter */
#define WAVE_BLOCKS 2           /* of a multiprocessor: so few that their ends show */
#define START_RATE 0.5          /* blocks per cycle: about as many as a device starts (H200) */
#define MAIN_STALL 0.75         /* of the largest reason: one that is as important */
#define ATOMIC_SHARE 0.25       /* atomics / sectors between L1 and L2 */
#define SHARED_ATOMIC_SHARE 0.5 /* their wavefronts / those of shared memory */
#define LEAST_GAIN 1.05         /* an advice that can win less is not given */
#define EVENT_NS_OF_H200 1700   /* what events add to times from which they were not taken off */
#define KNOWN_GAIN 1.3          /* a known waste that costs less comes after what is assumed */
#define UNEXPLAINED_PCT 60      /* stalls at shared memory or a special unit */
#define ROOF_TIE_PCT 5          /* points in which roofs are equally near: the first counts */
#define ALSO_STALL 0.5          /* of the most frequent reason: one that is named beside it */
#define ALSO_PCT 10             /* points behind the limiter in which another roof is named */

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
	RULE_TENSOR,
	RULE_SPECIAL,
	ROOF_RULE_COUNT,
	RULE_LAUNCH = ROOF_RULE_COUNT,
	RULE_FEW_BLOCKS,
	RULE_TAIL,
	RULE_IMBALANCE,
	RULE_CLOCK,
	RULE_STARTS,
	RULE_BARRIER,
	RULE_FETCH,
	RULE_ATOMICS,
	RULE_OCCUPANCY,
	RULE_LATENCY,
	RULE_SMALL_GRID,
	RULE_DEPENDENCY,
	RULE_PIPE,
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
	NOTE_CONSTANT,
	NOTE_OCCUPANCY_LOST,
	NOTE_OCCUPANCY_LIMIT,
	NOTE_ONE_WAVE,
	NOTE_STARVED,
	NOTE_CLOCK,
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
	const struct user_rules *rules;      /* NULL: none */
	double median_ns;
	double launches, blocks;
	double per_launch_ns;               /* mean of the launches of the case */
	double achieved_pct, allowed_pct;   /* occupancy */
	double eligible;                    /* warps ready per cycle */
	double threads, threads_on;         /* per instruction: taking part, predicate true */
	double branch_pct;                  /* uniform branches */
	double load_sectors, store_sectors; /* per request */
	double load_waste, store_waste;     /* bytes of sectors / bytes needed */
	double loaded, stored;              /* sectors of all requests */
	double load_requests;               /* of warps, to global memory */
	double local_share;                 /* accesses to local memory / those and global ones */
	double instructions;                /* of warps */
	double wavefronts, conflicts;       /* of shared memory */
	/* Emulated: atomics of warps, and their steps if lanes with one address take turns. */
	double atomics, atomic_steps;
	double issue_pct; /* of the issue slots of the multiprocessors */
	/* Use of the pipes of tensor cores and of special functions, in the median time. */
	double tensor_pct, special_pct;
	double busy; /* mean active cycles of a multiprocessor / those of the one with the most */
	/* Blocks / those that all multiprocessors hold together: 1.01 is a full wave, and a second
	 * one with next to nothing. */
	double waves;
	struct round_clocks clocks; /* of the rounds */
	double clock_pct;           /* of the highest clock of the device */
	double start_rate;          /* blocks / cycle of the device */
	/* Percent of the samples of its warps. Those that wait for room in the queue of memory
	 * instructions are in queue_pct, and wait for memory, too. */
	double stall_pct[STALL_COUNT], queue_pct;
	double l2_atomics;     /* sectors of atomics / sectors between L1 and L2 */
	double atomic_rate;    /* sectors of atomics in the L2 / instructions */
	double shared_atomics; /* wavefronts of atomics / all wavefronts of shared memory */
	double lanes_pct;      /* of the compute roof, scaled up to full warps */
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
	/* near_pct of the multiprocessors that have a block, in the time without that of launching.
	 * It decides, because neither 4 idle ones of 132 nor 3 of 20 µs are the limiter. */
	double busy_pct[LIMITER_RULE_COUNT];
	double running; /* the part of the median time that is not that of launching */
	bool holds[LIMITER_RULE_COUNT];
	/* These are set once the limiter is decided, for notes and advice. */
	enum bound bound;
	enum bound nearest; /* the nearest roof if none is near; BOUND_UNKNOWN: no roof is known */
	double roof_pct;    /* as in struct verdict */
};
void evidence_collect(struct evidence *out, const struct trial *trial,
		      const struct roofline_point *point, const struct verdict_context *context);

#define LIMITER(bound) (1u << (bound))
#define MEMORY_LIMITERS (LIMITER(BOUND_DRAM) | LIMITER(BOUND_L2) | LIMITER(BOUND_L1))
#define PIPE_LIMITERS                                                            \
	(LIMITER(BOUND_COMPUTE) | LIMITER(BOUND_ISSUE) | LIMITER(BOUND_TENSOR) | \
	 LIMITER(BOUND_SPECIAL))
/* Advice of this rule only hides latency, which gains nothing at a roof. */
#define HIDES_LATENCY (1u << 31)

#define SAVES(function, words) .saves = function, .saved = words
#define HALF(what) .half = what, .saved = "half of the " what, .assumes = true

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
	/* The part of the time that following its advice saves at most, and why. NAN, or NULL: not
	 * known. */
	double (*saves)(struct text *why, const struct evidence *evidence);
	const char *half; /* half of this is assumed to be saved ("bytes"), because nobody knows how
			   * much is needed; NULL: `saves` tells */
	const char *saved; /* that part in words */
	/* It saves an unknown part, and `saves` assumes one: advice of known waste comes first. */
	bool assumes;
	unsigned relieves; /* limiters whose roofs do not bound what it wins */
	/* The note in a few words, as a finding, and what to try. NULL: it is no finding. */
	void (*tell)(struct text *out, const struct evidence *evidence);
	enum finding_rank rank;
	const char *remedy;
	const char *(*remedy_of)(const struct evidence *evidence); /* used instead, if not NULL */
};
/* The rules for the limiter: docs/verdicts.md has their order as a picture. */
extern const struct rule limiter_rules[LIMITER_RULE_COUNT];
/* Sets near_pct, busy_pct and holds. */
void limiters_judge(struct evidence *out);
/* Whether a rule that holds decides although a roof is near, at `roof_pct`. */
bool limiter_comes_before_roof(enum limiter_rule rule, double roof_pct, const struct evidence *e);
/* The limiter of a rule: compute of tensor cores is theirs. */
enum bound limiter_bound(enum limiter_rule rule, const struct evidence *evidence);
/* Whether the advice of the rule is only to look further. */
bool limiter_looks_further(enum limiter_rule rule, const struct evidence *evidence);
void limiter_say(struct text *out, enum limiter_rule rule, const struct evidence *evidence);
/* The rules for notes: every rule that holds adds one. */
extern const struct rule note_rules[NOTE_COUNT];
struct judged_note {
	bool holds;
	double lost; /* as in struct verdict_note, if it is above 0 and finite */
};
void notes_judge(struct judged_note out[NOTE_COUNT], const struct evidence *evidence);

/* Whether fewer than half of the warps that cannot issue wait for memory, stores or special units,
 * or, if they were not sampled, so many warps are ready that something else must be the limiter.
 * False if that is not known. */
bool evidence_latency_is_hidden(const struct evidence *evidence);
/* The reason of the most stalls of warps that could not issue. STALL_READY: not sampled. */
enum stall evidence_main_stall(const struct evidence *evidence);
/* In words that follow "wait": "for global or local memory". */
const char *stall_words(enum stall stall);
/* Which part of the warps that cannot issue waits for memory, stores, or units beside the
 * arithmetic pipes. In percent; NAN: not sampled. */
double evidence_waiting_pct(const struct evidence *evidence);
/* Whether warps wait for shared memory or a special unit, and neither shared memory nor its atomics
 * nor special functions are the reason: indexed constants and shuffles remain. */
bool evidence_queue_is_unexplained(const struct evidence *evidence);
/* The least time of one launch, as its rounds measured it, or of an H200. */
double evidence_one_launch_ns(const struct evidence *evidence);
/* Whether a launch of the case takes hardly longer than an empty kernel. */
bool evidence_is_launching(const struct evidence *evidence);
/* The least time that so many launches take, with the events around them if their cost was not
 * taken off; 0 for an imported time of a processor. */
double evidence_launch_floor_ns(const struct evidence *evidence, double launches);
/* Whether power or heat lowered the clock in at least half of the rounds. */
bool evidence_is_throttled(const struct evidence *evidence);
/* Whether the code is that of a library or of the driver, which the user cannot change. */
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
