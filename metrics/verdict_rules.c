/*
 * The rules of verdicts, one row each. docs/verdicts.md shows the same table:
 * its test reads these rows. The first ones say what binds; of them a roof
 * that is near goes before all else.
 */
#include <math.h>
#include <string.h>

#include "metrics/verdict_rules.h"

#define STRING_OF(number) #number
#define STRING(number) STRING_OF(number)

/* ---- what binds ---- */

static double dram_pct(const struct evidence *e)
{
	return e->point->level[LEVEL_DRAM].roof_pct;
}

static double l2_pct(const struct evidence *e)
{
	return e->point->level[LEVEL_L2].roof_pct;
}

static double l1_pct(const struct evidence *e)
{
	return e->point->level[LEVEL_L1].roof_pct;
}

static double shared_pct(const struct evidence *e)
{
	return e->point->level[LEVEL_SHARED].roof_pct;
}

static double compute_pct(const struct evidence *e)
{
	return e->point->compute_roof_pct;
}

/* A half-empty warp takes a full one's place in the pipe. */
static double idle_lanes_pct(const struct evidence *e)
{
	return e->threads < FULL_THREADS ? e->lanes_pct : NAN;
}

static double issue_pct(const struct evidence *e)
{
	/* arithmetic is issued, too: where it is most of what is, arithmetic is what binds */
	if (e->issue_pct - fmax(compute_pct(e), idle_lanes_pct(e)) < ISSUE_LEAD_PCT)
		return NAN;
	return e->issue_pct;
}

static void say_share(struct text *out, const struct evidence *e, double pct, enum bound bound)
{
	const struct ceiling *roof = evidence_roof(e, bound);

	text_addf(out, "%.0f %% of the measured ", pct);
	rate_text(out, roof->per_s, roof->kind);
	text_addf(out, " (%s)", roof->name);
}

static void say_dram(struct text *out, const struct evidence *e)
{
	text_add(out, "DRAM-bound: ");
	say_share(out, e, dram_pct(e), BOUND_DRAM);
	if (!e->mix)
		return;
	text_addf(out, ", %.0f %% of the ", e->mix_pct);
	rate_text(out, e->mix->per_s, e->mix->kind);
	text_addf(out, " of the nearest mix of reads and writes (%s)%s", e->mix->name,
		  e->mix_pct > 100 ? ", which it exceeds" : "");
}

static void say_l2(struct text *out, const struct evidence *e)
{
	text_add(out, "L2-bound: ");
	say_share(out, e, l2_pct(e), BOUND_L2);
}

static void say_l1(struct text *out, const struct evidence *e)
{
	text_add(out, "L1-bound: ");
	say_share(out, e, l1_pct(e), BOUND_L1);
}

static void say_shared(struct text *out, const struct evidence *e)
{
	text_add(out, "bound by shared memory: ");
	say_share(out, e, shared_pct(e), BOUND_SHARED);
}

static void say_compute(struct text *out, const struct evidence *e)
{
	text_add(out, "compute-bound: ");
	say_share(out, e, compute_pct(e), BOUND_COMPUTE);
}

static void say_idle_lanes(struct text *out, const struct evidence *e)
{
	text_add(out, "compute-bound with idle lanes: ");
	say_share(out, e, compute_pct(e), BOUND_COMPUTE);
	text_addf(out, ", and the instructions for %.0f %% of it", idle_lanes_pct(e));
}

static void say_issue(struct text *out, const struct evidence *e)
{
	text_addf(out,
		  "bound by instructions: %.0f %% of those that %lld multiprocessors can issue",
		  e->issue_pct, (long long)e->device->sm_count);
}

static bool launches_are_short(const struct evidence *e)
{
	return e->launch_ns < LAUNCH_NS;
}

static void say_launches(struct text *out, const struct evidence *e)
{
	char each[32];

	format_duration(each, e->launch_ns);
	if (e->launches > 1)
		text_addf(out, "launch-bound: %.0f launches of %s in the mean", e->launches, each);
	else
		text_addf(out, "launch-bound: it takes %s in all", each);
}

static void advise_launches(struct text *out, const struct evidence *e)
{
	if (e->launches > 1)
		text_addf(out,
			  "do the work of the %.0f launches in fewer, or replay them as a CUDA "
			  "graph",
			  e->launches);
	else
		text_add(out, "give one launch more to do: batch, or fuse with what comes next");
}

static bool blocks_are_few(const struct evidence *e)
{
	return e->device && e->device->sm_count > 0 && e->blocks < (double)e->device->sm_count;
}

static void say_few_blocks(struct text *out, const struct evidence *e)
{
	text_addf(out, "launch-bound: %.0f %s for %lld multiprocessors", e->blocks,
		  e->blocks == 1 ? "block" : "blocks", (long long)e->device->sm_count);
}

/* No roof is near, and there is none that could be so unseen. */
static bool waits(const struct evidence *e)
{
	return isfinite(e->median_ns) && !e->flop_uncounted && evidence_unjudged(NULL, e) == 0;
}

/* "the nearest (DRAM)<is> at 10 %"; 59.9 % is not near, and is not rounded to what would be. */
static void say_nearest(struct text *out, const struct evidence *e, const char *is)
{
	static const char *const names[BOUND_COUNT] = {
		[BOUND_DRAM] = "DRAM",       [BOUND_L2] = "L2",
		[BOUND_L1] = "L1",           [BOUND_SHARED] = "shared memory",
		[BOUND_COMPUTE] = "compute", [BOUND_ISSUE] = "instructions",
	};

	text_addf(out, "the nearest (%s)%s at %.0f %%", names[e->nearest], is,
		  fmin(e->roof_pct, NEAR_PCT - 1));
}

static void say_waits(struct text *out, const struct evidence *e)
{
	text_add(out, "latency-bound: no roof is near");
	if (isfinite(e->roof_pct)) {
		text_add(out, ", ");
		say_nearest(out, e, "");
	}
}

static bool always(const struct evidence *e)
{
	(void)e;
	return true;
}

static void say_unknown(struct text *out, const struct evidence *e)
{
	if (e->point->emulated)
		text_add(out, "emulated: there is no time to tell what would bind it");
	else if (!isfinite(e->median_ns))
		text_add(out, "not judged: no time was measured");
	else if (isnan(e->point->level[LEVEL_DRAM].bytes) && isnan(e->point->flop))
		text_add(out, "not judged: nothing was counted");
	else if (!e->ceilings || e->ceilings->count == 0)
		text_add(out, "not judged: no ceilings are stored for this device");
	else if (!isfinite(e->roof_pct))
		text_add(out, "not judged: no roof was measured for what was counted");
	else {
		text_add(out, "not judged: of the roofs that are known ");
		say_nearest(out, e, " is");
	}
}

static void advise_unknown(struct text *out, const struct evidence *e)
{
	bool uncounted = isnan(e->point->flop), roofless = false;

	if (e->point->emulated || !isfinite(e->median_ns))
		return;
	for (int i = 0; i < MEMORY_LEVEL_COUNT; i++) {
		uncounted |= isnan(e->point->level[i].bytes);
		roofless |= !e->ceilings || !ceiling_of_level(e->ceilings, (enum memory_level)i);
	}
	if (uncounted)
		text_add(out, "count it: perflab sweep --metrics core");
	if (roofless)
		text_addf(out, "%smeasure the roofs: perflab ceilings", uncounted ? "; " : "");
}

static void advise_dram(struct text *out, const struct evidence *e)
{
	if (evidence_at_roof(e))
		text_add(out, "it is at the roof: only fewer bytes help, by fusing it with its "
			      "neighbours or by a narrower type");
	else
		text_add(out, "more bytes in flight: wider loads, several a thread");
}

/* ---- notes ---- */

static bool lanes_diverge(const struct evidence *e)
{
	return e->threads < FULL_THREADS;
}

static void say_divergence(struct text *out, const struct evidence *e)
{
	text_addf(out, "%.1f of %d threads take part in an instruction", e->threads, FULL_WARP);
	if (isfinite(e->branch_pct))
		text_addf(out, "; the warp stays together on %.0f %% of its branches",
			  e->branch_pct);
}

static bool lanes_are_predicated(const struct evidence *e)
{
	return e->threads_on < KEPT_THREADS * e->threads;
}

static void say_predication(struct text *out, const struct evidence *e)
{
	text_addf(out, "of the %.1f threads that take part %.1f have a true predicate", e->threads,
		  e->threads_on);
}

/*
 * Elements of 4, 8 and 16 bytes need 4, 8 and 16 sectors a request. Which they
 * are is not known of a device: there 8 and 16 are taken for waste only where
 * memory moves more than it must, too, and the others where their bytes are
 * more than are needed.
 */
static bool sectors_are_wasted(const struct evidence *e, double sectors, double waste)
{
	bool ideal_of_wide = fabs(sectors / 8 - 1) < 0.02 || fabs(sectors / 16 - 1) < 0.02;

	if (!(sectors > LEAST_SECTORS))
		return false;
	if (e->point->emulated)
		return waste >= WASTE;
	if (sectors > MOST_SECTORS)
		return true;
	return ideal_of_wide ? e->point->waste >= WASTE : !(waste < WASTE);
}

static bool loads_are_scattered(const struct evidence *e)
{
	return sectors_are_wasted(e, e->load_sectors, e->load_waste);
}

static bool stores_are_scattered(const struct evidence *e)
{
	return sectors_are_wasted(e, e->store_sectors, e->store_waste);
}

static void say_sectors(struct text *out, const struct evidence *e)
{
	bool loads = loads_are_scattered(e);
	bool stores = stores_are_scattered(e);

	if (loads)
		text_addf(out, "%.1f sectors a load", e->load_sectors);
	if (stores)
		text_addf(out, "%s%.1f sectors a store", loads ? " and " : "", e->store_sectors);
	text_add(out, " of a warp, where elements of 4 bytes need 4, of 8 bytes 8, of 16 bytes 16");
}

static bool accesses_are_scattered(const struct evidence *e)
{
	return loads_are_scattered(e) || stores_are_scattered(e);
}

static bool banks_conflict(const struct evidence *e)
{
	return e->conflicts >= CONFLICT_SHARE * e->wavefronts && e->wavefronts > 0;
}

static void say_conflicts(struct text *out, const struct evidence *e)
{
	text_addf(out, "%.0f %% of the wavefronts of shared memory are bank conflicts",
		  100 * e->conflicts / e->wavefronts);
}

static bool dram_is_wasted(const struct evidence *e)
{
	return e->point->waste >= WASTE;
}

static void say_waste(struct text *out, const struct evidence *e)
{
	char moved[32], needed[32];

	format_bytes(moved, e->point->level[LEVEL_DRAM].bytes);
	format_bytes(needed, e->point->needed_bytes);
	text_addf(out, "DRAM moved %s where %s are needed: %.2f times as much", moved, needed,
		  e->point->waste);
}

static bool registers_spill(const struct evidence *e)
{
	return e->trial->facts.local_bytes_per_thread > 0;
}

static void say_spills(struct text *out, const struct evidence *e)
{
	text_addf(out, "%lld bytes of local memory a thread",
		  (long long)e->trial->facts.local_bytes_per_thread);
}

static bool occupancy_is_limited(const struct evidence *e)
{
	return e->allowed_pct < 99.9;
}

static void say_limit(struct text *out, const struct evidence *e)
{
	const struct launch_facts *facts = &e->trial->facts;

	text_addf(out, "the launch allows %.0f %% occupancy", e->allowed_pct);
	if (facts->occupancy_limiter[0])
		text_addf(out, ", limited by %s", facts->occupancy_limiter);
	if (strcmp(facts->occupancy_limiter, "registers") == 0 && facts->registers_per_thread > 0)
		text_addf(out, " (%lld a thread)", (long long)facts->registers_per_thread);
	if (strcmp(facts->occupancy_limiter, "shared memory") == 0 &&
	    facts->shared_static_bytes >= 0 && facts->shared_dynamic_bytes >= 0)
		text_addf(out, " (%lld bytes a block)",
			  (long long)(facts->shared_static_bytes + facts->shared_dynamic_bytes));
}

static void advise_limit(struct text *out, const struct evidence *e)
{
	const char *limiter = e->trial->facts.occupancy_limiter;

	if (!(e->allowed_pct < OCCUPANCY_PCT))
		return;
	if (strcmp(limiter, "registers") == 0)
		text_add(out, "fewer registers a thread (__launch_bounds__), so that more warps "
			      "hide the waiting");
	else if (strcmp(limiter, "shared memory") == 0)
		text_add(out, "less shared memory a block, so that more blocks are resident");
	else
		text_add(out, "another block size, so that more warps are resident");
}

static bool occupancy_is_lost(const struct evidence *e)
{
	return e->achieved_pct < OCCUPANCY_KEPT * e->allowed_pct;
}

static void say_lost(struct text *out, const struct evidence *e)
{
	text_addf(out, "%.0f %% occupancy was achieved of the %.0f %% that the launch allows",
		  e->achieved_pct, e->allowed_pct);
}

static bool schedulers_starve(const struct evidence *e)
{
	return (e->bound == BOUND_LATENCY || e->bound == BOUND_UNKNOWN) && e->eligible < 1;
}

static void say_starved(struct text *out, const struct evidence *e)
{
	text_addf(out, "%.2f warps a cycle are ready for a scheduler that can issue one",
		  e->eligible);
}

static bool flop_is_uncounted(const struct evidence *e)
{
	return e->flop_uncounted;
}

static void say_uncounted(struct text *out, const struct evidence *e)
{
	text_addf(out,
		  "the work model has %.3g operations and no counter saw one: half precision and "
		  "tensor cores are not counted, so compute is not judged",
		  e->point->needed_flop);
}

static bool something_is_unjudged(const struct evidence *e)
{
	return !e->point->emulated && isfinite(e->median_ns) && evidence_unjudged(NULL, e) > 0;
}

static void say_unjudged(struct text *out, const struct evidence *e)
{
	text_add(out, "not judged: ");
	evidence_unjudged(out, e);
}

static bool is_above_a_roof(const struct evidence *e)
{
	return evidence_above_roof(NULL, e);
}

static void say_above(struct text *out, const struct evidence *e)
{
	evidence_above_roof(out, e);
}

/* ---- the table ---- */

#define ROOF(rule, binds, percent, says, condition, advice)                    \
	.words = {rule, condition, advice}, .kind = RULE_ROOF, .bound = binds, \
	.near_pct = percent, .say = says
#define BINDS(rule, binds, when, says, condition, advice)                                      \
	.words = {rule, condition, advice}, .kind = RULE_BOUND, .bound = binds, .holds = when, \
	.say = says
#define NOTE(rule, bounds, when, says, condition, advice)                                        \
	.words = {rule, condition, advice}, .kind = RULE_NOTE, .advises = bounds, .holds = when, \
	.say = says

#define NEAREST "the nearest roof, at " STRING(NEAR_PCT) " % or more: "
#define NO_ROOF "no roof is near; "
#define DRAM BIND(BOUND_DRAM)
#define L1 BIND(BOUND_L1)
#define SHARED BIND(BOUND_SHARED)
#define WAITING (BIND(BOUND_LATENCY) | BIND(BOUND_UNKNOWN))
#define ANY (BIND(BOUND_COUNT) - 1)
#define MEMORY (DRAM | BIND(BOUND_L2) | L1)
#define INSTRUCTIONS (BIND(BOUND_COMPUTE) | BIND(BOUND_ISSUE))

/* clang-format off */
const struct rule verdict_rules[] = {
	{ROOF("dram", BOUND_DRAM, dram_pct, say_dram,
	      NEAREST "DRAM bytes a second, of the highest DRAM ceiling",
	      "more bytes in flight: wider loads, several a thread; from " STRING(AT_PCT) " % on: "
	      "fewer bytes, by fusing it with its neighbours or by a narrower type"),
	 .advise = advise_dram},
	{ROOF("l2", BOUND_L2, l2_pct, say_l2,
	      NEAREST "bytes a second between L1 and L2, of the highest L2 ceiling",
	      "ask the L2 for less: keep what blocks share in shared memory, in larger tiles")},
	{ROOF("l1", BOUND_L1, l1_pct, say_l1,
	      NEAREST "L1 bytes a second, of the highest L1 ceiling",
	      "ask the L1 for less: compute several results a thread from registers")},
	{ROOF("shared", BOUND_SHARED, shared_pct, say_shared,
	      NEAREST "128 bytes a wavefront, a second, of the highest ceiling of shared memory",
	      "compute several results a thread from registers, and load wider")},
	{ROOF("compute", BOUND_COMPUTE, compute_pct, say_compute,
	      NEAREST "operations a second, of the highest ceiling of their precision",
	      "fewer operations, a narrower type, or tensor cores")},
	{ROOF("idle_lanes", BOUND_COMPUTE, idle_lanes_pct, say_idle_lanes,
	      NEAREST "as compute, times 32 over the threads that take part, where those are "
	      "fewer than " STRING(FULL_THREADS),
	      "")},
	{ROOF("issue", BOUND_ISSUE, issue_pct, say_issue,
	      NEAREST "instructions, of " STRING(SCHEDULERS) " a cycle and multiprocessor (compute "
	      "capability 7.0 and later); " STRING(ISSUE_LEAD_PCT) " points above compute and "
	      "idle_lanes",
	      "fewer instructions: wider loads, unrolled loops, cheaper indices")},
	{BINDS("launch", BOUND_LAUNCH, launches_are_short, say_launches,
	       NO_ROOF "the median over the launches is under " STRING(LAUNCH_NS) " ns",
	       "do the work in fewer launches, or replay them as a CUDA graph; a single one: batch, "
	       "or fuse with what comes next"),
	 .advise = advise_launches},
	{BINDS("few_blocks", BOUND_LAUNCH, blocks_are_few, say_few_blocks,
	       NO_ROOF "fewer blocks than multiprocessors",
	       "cut the work into at least as many blocks as multiprocessors: smaller ones, or "
	       "split sums")},
	{BINDS("latency", BOUND_LATENCY, waits, say_waits,
	       NO_ROOF "DRAM, L2, L1, shared memory and compute are all judged",
	       "give each thread more independent loads to wait for at once, or run more warps")},
	{BINDS("unknown", BOUND_UNKNOWN, always, say_unknown,
	       "none of the above",
	       "what is missing: `perflab sweep --metrics core`, or `perflab ceilings`"),
	 .advise = advise_unknown},
	{NOTE("above_roof", ANY, is_above_a_roof, say_above,
	      "the low end of a rate's interval is above the high end of its ceiling's; where one "
	      "has no interval, the rate is " STRING(ABOVE_PCT) " % above",
	      "measure the roofs again (perflab ceilings): if it stays above them, a counter is "
	      "wrong")},
	{NOTE("dram_waste", DRAM | WAITING | BIND(BOUND_LAUNCH), dram_is_wasted, say_waste,
	      "DRAM bytes are at least " STRING(WASTE) " times the compulsory ones",
	      "read and write each byte once: fuse passes, keep what is used again in registers, "
	      "shared memory or tiles that fit the L2")},
	{NOTE("sectors", MEMORY | WAITING, accesses_are_scattered, say_sectors,
	      "more than " STRING(LEAST_SECTORS) " sectors a request, and: more than "
	      STRING(MOST_SECTORS) "; or near 8 or 16 with dram_waste; or sector bytes at least "
	      STRING(WASTE) " times those needed, or those not known. Emulated: sector bytes at "
	      "least " STRING(WASTE) " times those asked for",
	      "let neighbouring threads access neighbouring, aligned elements: turn the loop or the "
	      "layout, or go through shared memory")},
	{NOTE("divergence", INSTRUCTIONS | WAITING, lanes_diverge, say_divergence,
	      "fewer than " STRING(FULL_THREADS) " threads take part in an instruction",
	      "let whole warps take one branch, by regrouping the work")},
	{NOTE("predication", INSTRUCTIONS | WAITING, lanes_are_predicated, say_predication,
	      "less than " STRING(KEPT_THREADS) " of the threads that take part have a true "
	      "predicate",
	      "move conditions out of loops, or to whole warps")},
	{NOTE("bank_conflicts", SHARED | L1 | WAITING, banks_conflict, say_conflicts,
	      "at least " STRING(CONFLICT_SHARE) " of the wavefronts of shared memory are conflicts",
	      "pad the rows of the array in shared memory by one element, or swizzle")},
	{NOTE("spills", MEMORY | WAITING, registers_spill, say_spills,
	      "local memory is used",
	      "keep local memory out of it: fewer live values, or arrays indexed by constants "
	      "only")},
	{NOTE("occupancy_lost", MEMORY | WAITING | HIDES_LATENCY, occupancy_is_lost, say_lost,
	      "achieved occupancy is less than " STRING(OCCUPANCY_KEPT) " of what the launch allows",
	      "more work a thread or larger blocks: multiprocessors wait for blocks to start and "
	      "end")},
	{NOTE("occupancy_limit", MEMORY | WAITING | HIDES_LATENCY, occupancy_is_limited, say_limit,
	      "the launch allows less than full occupancy",
	      "below " STRING(OCCUPANCY_PCT) " % allowed: less of what limits it, so that more "
	      "warps hide the waiting"),
	 .advise = advise_limit},
	{NOTE("starved", 0, schedulers_starve, say_starved,
	      "latency or unknown, and less than one warp a cycle is ready",
	      "")},
	{NOTE("flop_uncounted", 0, flop_is_uncounted, say_uncounted,
	      "the work model has operations, and none was counted",
	      "")},
	{NOTE("not_judged", 0, something_is_unjudged, say_unjudged,
	      "a level or the precision has no ceiling, or its counter is missing",
	      "")},
};
/* clang-format on */
const size_t verdict_rule_count = ARRAY_SIZE(verdict_rules);

const struct verdict_rule *verdict_rule_at(size_t index)
{
	return index < verdict_rule_count ? &verdict_rules[index].words : NULL;
}
