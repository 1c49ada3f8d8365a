/*
 * The rules that add a note to any verdict, one row each, and those of them that are findings.
 * docs/verdicts.md repeats these rows in its last table.
 */
#include <math.h>
#include <string.h>

#include "metrics/analysis/ceilings.h"
#include "metrics/analysis/roofline.h"
#include "metrics/analysis/statistics.h"
#include "metrics/analysis/verdict_rules.h"

static void say_divergence(struct text *out, const struct evidence *e)
{
	text_addf(out, "%.1f of %d threads take part in an instruction", e->threads, FULL_WARP);
	if (isfinite(e->branch_pct))
		text_addf(out, "; %.0f %% of the branches are uniform", e->branch_pct);
}

static void tell_divergence(struct text *out, const struct evidence *e)
{
	text_addf(out, "%.1f of %d lanes take part", e->threads, FULL_WARP);
}

static void say_predication(struct text *out, const struct evidence *e)
{
	text_addf(out, "only %.1f of 32 lanes do work; %.1f more are predicated off", e->threads_on,
		  e->threads - e->threads_on);
}

static void tell_predication(struct text *out, const struct evidence *e)
{
	text_addf(out, "%.1f of %.1f lanes predicated on", e->threads_on, e->threads);
}

/*
 * Elements of 4, 8 and 16 bytes need 4, 8 and 16 sectors per request. The counters
 * of a device do not tell the size of the elements. There, 8 and 16 sectors count
 * as waste only if DRAM also moves more than it needs to, and other numbers count
 * as waste if their bytes are more than the operation needs.
 */
static bool is_ideal_of_wide(double sectors)
{
	return fabs(sectors / 8 - 1) < 0.02 || fabs(sectors / 16 - 1) < 0.02;
}

/* Most accesses may be of 16 bytes and the others narrower. */
static bool is_nearly_wide(double sectors)
{
	return sectors >= WIDE_LEAST && sectors <= MOST_SECTORS;
}

static bool sectors_are_wasted(const struct evidence *e, double sectors, double waste)
{
	if (!(sectors > LEAST_SECTORS))
		return false;
	if (e->point->emulated)
		return waste >= WASTE;
	if (sectors > MOST_SECTORS)
		return true;
	if (is_nearly_wide(sectors) && !isfinite(waste))
		return e->point->waste >= WASTE;
	return is_ideal_of_wide(sectors) ? e->point->waste >= WASTE : !(waste < WASTE);
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
		text_addf(out, "%.1f sectors per load", e->load_sectors);
	if (stores)
		text_addf(out, "%s%.1f sectors per store", loads ? " and " : "", e->store_sectors);
	text_add(out, " of a warp; ideal: 4 (float), 8 (float2), 16 (float4)");
}

/* NAN: not known. Requests for the same bytes may be as many as those for others. */
static double wasted_sectors(double sectors, double waste)
{
	return waste > 1 ? sectors * (1 - 1 / waste) : NAN;
}

/* Accesses that waste too little for the rule do not count. */
static bool stores_waste_more(const struct evidence *e)
{
	if (!loads_are_scattered(e) || !stores_are_scattered(e))
		return stores_are_scattered(e);
	if (isfinite(wasted_sectors(e->loaded, e->load_waste)) &&
	    isfinite(wasted_sectors(e->stored, e->store_waste)))
		return wasted_sectors(e->stored, e->store_waste) >
		       wasted_sectors(e->loaded, e->load_waste);
	return e->store_sectors > e->load_sectors;
}

/* The part of all sectors that no lane asked for. NAN: not known. */
static double lost_sectors(const struct evidence *e)
{
	const double loads = loads_are_scattered(e) ? wasted_sectors(e->loaded, e->load_waste) : 0;
	const double stores =
		stores_are_scattered(e) ? wasted_sectors(e->stored, e->store_waste) : 0;

	return finite_quotient(loads + stores, e->loaded + e->stored);
}

/* A conflict takes the pipe of shared memory as long as an instruction takes the scheduler. */
static double lost_to_conflicts(const struct evidence *e)
{
	return finite_quotient(e->conflicts, e->conflicts + e->instructions);
}

static void tell_sectors(struct text *out, const struct evidence *e)
{
	if (stores_waste_more(e))
		text_addf(out, "%.1f sectors per store", e->store_sectors);
	else
		text_addf(out, "%.1f sectors per load", e->load_sectors);
}

static void say_conflicts(struct text *out, const struct evidence *e)
{
	text_addf(out, "%.0f %% of the wavefronts of shared memory are bank conflicts",
		  100 * e->conflicts / e->wavefronts);
}

static void tell_conflicts(struct text *out, const struct evidence *e)
{
	text_addf(out, "%.0f %% bank conflicts", 100 * e->conflicts / e->wavefronts);
}

static void say_atomics(struct text *out, const struct evidence *e)
{
	text_addf(out, "%.1f lanes of a warp queue for one address in an atomic",
		  e->atomic_steps / e->atomics);
}

static void tell_atomics(struct text *out, const struct evidence *e)
{
	text_addf(out, "%.0f lanes queue at atomics", e->atomic_steps / e->atomics);
}

/* A step of a queue takes as long as an instruction, at least. */
static double lost_to_queues(const struct evidence *e)
{
	const double waits = e->atomic_steps - e->atomics;

	return finite_quotient(waits, waits + e->instructions);
}

static void say_queue(struct text *out, const struct evidence *e)
{
	text_addf(out,
		  "%.0f %% of the warps wait for shared memory or a special unit, which neither "
		  "accesses to shared memory nor special functions explain",
		  e->stall_pct[STALL_SHARED]);
}

static void say_waste(struct text *out, const struct evidence *e)
{
	char moved[32], needed[32];

	format_bytes(moved, e->point->level[LEVEL_DRAM].bytes);
	format_bytes(needed, e->point->needed_bytes);
	text_addf(out, "DRAM moved %s, %.2f times the %s that are needed", moved, e->point->waste,
		  needed);
}

static void tell_dram(struct text *out, const struct evidence *e)
{
	text_addf(out, "%.2f times the DRAM bytes", e->point->waste);
}

static void say_spills(struct text *out, const struct evidence *e)
{
	text_addf(out, "%lld bytes of local memory per thread",
		  (long long)e->trial->facts.local_bytes_per_thread);
}

static void tell_spills(struct text *out, const struct evidence *e)
{
	text_addf(out, "%lld B of local memory", (long long)e->trial->facts.local_bytes_per_thread);
}

static void say_limit(struct text *out, const struct evidence *e)
{
	const struct launch_facts *facts = &e->trial->facts;

	text_addf(out, "the launch allows %.0f %% occupancy", e->allowed_pct);
	if (facts->occupancy_limiter[0])
		text_addf(out, ", limited by %s", facts->occupancy_limiter);
	if (strcmp(facts->occupancy_limiter, "registers") == 0 && facts->registers_per_thread > 0)
		text_addf(out, " (%lld per thread)", (long long)facts->registers_per_thread);
	if (strcmp(facts->occupancy_limiter, "shared memory") == 0 &&
	    facts->shared_static_bytes >= 0 && facts->shared_dynamic_bytes >= 0)
		text_addf(out, " (%lld bytes per block)",
			  (long long)(facts->shared_static_bytes + facts->shared_dynamic_bytes));
}

static bool uses_tensor_cores(const struct evidence *e)
{
	return e->point->flop > 0 && e->point->precision >= PRECISION_TENSOR_F64;
}

static void advise_limit(struct text *out, const struct evidence *e)
{
	const char *limiter = e->trial->facts.occupancy_limiter;

	/* with less than a wave, no block waits for room */
	if (!(e->allowed_pct < OCCUPANCY_PCT) || e->waves < 1)
		return;
	/* a warp of a matrix product on tensor cores needs its registers: it hides latency itself
	 */
	if (strcmp(limiter, "registers") == 0 && uses_tensor_cores(e))
		return;
	if (strcmp(limiter, "registers") == 0)
		text_add(out, "use fewer registers per thread (__launch_bounds__), so that more "
			      "warps hide latency");
	else if (strcmp(limiter, "shared memory") == 0)
		text_add(out, "use less shared memory per block, so that more blocks are resident");
	else
		text_add(out, "try another block size, so that more warps are resident");
}

static void tell_limit(struct text *out, const struct evidence *e)
{
	text_addf(out, "%.0f %% occupancy allowed", e->allowed_pct);
}

static const char *remedy_of_limit(const struct evidence *e)
{
	const char *limiter = e->trial->facts.occupancy_limiter;

	if (strcmp(limiter, "registers") == 0)
		return "fewer registers";
	return strcmp(limiter, "shared memory") == 0 ? "less shared memory" : "another block size";
}

static void say_lost(struct text *out, const struct evidence *e)
{
	text_addf(out, "the achieved occupancy is %.0f %%; the launch allows %.0f %%",
		  e->achieved_pct, e->allowed_pct);
}

static void say_starved(struct text *out, const struct evidence *e)
{
	text_addf(out, "%.2f warps are ready per scheduler and cycle; the scheduler can issue one",
		  e->eligible);
}

static void say_one_wave(struct text *out, const struct evidence *e)
{
	text_addf(out, "all %.0f blocks run at once, so nothing covers their beginning and end",
		  e->blocks);
}

static void say_lowered_clock(struct text *out, const struct evidence *e)
{
	text_addf(out, "power or heat lowered the clock in %zu of %zu rounds", e->clocks.throttled,
		  e->clocks.count);
	if (isfinite(e->clock_pct))
		text_addf(out, ", to %.0f %% of the highest", e->clock_pct);
}

static void say_uncounted(struct text *out, const struct evidence *e)
{
	const struct roofline_model *model = &e->point->model;

	text_addf(out, "the work model has %.3g operations", e->point->needed_flop);
	if (model->has_precision)
		text_addf(out, " (%s)", precision_name(model->precision));
	text_add(out, isnan(e->point->flop) ? ", which were not counted, so "
					    : ", of which the counters show less than half, so ");
	if (evidence_compute_is_modelled(e))
		text_addf(out, "compute is judged from the work model: %.0f %% of its roof",
			  e->compute_pct);
	else if (model->has_precision)
		text_add(out, "compute is not judged: no roof was measured for this precision");
	else
		text_add(out, "compute is not judged: the work model does not name its precision");
}

static void say_unjudged(struct text *out, const struct evidence *e)
{
	text_add(out, "not judged: ");
	evidence_unjudged(out, e);
}

static void say_above(struct text *out, const struct evidence *e)
{
	evidence_above_roof(out, e);
}

/* ---- which advice matters ---- */

static bool memory_level_is_used(const struct evidence *e, enum memory_level level)
{
	return !(e->point->level[level].roof_pct < ROOF_USED_PCT);
}

/* Whether scattered accesses may be those of elements of 8 or 16 bytes, which need as many sectors.
 */
static bool may_be_wide(const struct evidence *e)
{
	return (loads_are_scattered(e) && is_ideal_of_wide(e->load_sectors)) ||
	       (stores_are_scattered(e) && is_ideal_of_wide(e->store_sectors));
}

/* Scattered accesses are the cause of wasted bytes, so their advice stands for both. */
static bool dram_is_wasted(const struct evidence *e)
{
	const bool scattered = loads_are_scattered(e) || stores_are_scattered(e);

	return memory_level_is_used(e, LEVEL_DRAM) && !(scattered && !may_be_wide(e));
}

static bool shared_is_used(const struct evidence *e)
{
	return memory_level_is_used(e, LEVEL_SHARED);
}

static bool caches_are_used(const struct evidence *e)
{
	return memory_level_is_used(e, LEVEL_L1) || memory_level_is_used(e, LEVEL_L2) ||
	       memory_level_is_used(e, LEVEL_DRAM);
}

/* In less than a wave the warps are missing from the beginning. */
static bool blocks_end_and_begin(const struct evidence *e)
{
	return !(e->waves < 1);
}

/* ---- what it can win ---- */

/* Warps that wait for memory, for stores, or for the unit that sends both. NAN: not sampled. */
static double memory_stalls_pct(const struct evidence *e)
{
	return e->stall_pct[STALL_MEMORY] + e->stall_pct[STALL_STORES] + e->stall_pct[STALL_SHARED];
}

/* The part of the time that goes with bytes: all of it at their roof, else that of the stalls. */
static double memory_part(struct text *why, const struct evidence *e, unsigned roofs)
{
	const double pct = memory_stalls_pct(e);

	if (LIMITER(e->bound) & roofs)
		return 1;
	if (isfinite(pct))
		text_addf(why, "%.0f %% of the warps wait for memory, and ", pct);
	return pct / 100;
}

/* Without a work model, 4 sectors are taken to be needed. */
static double saves_sectors(struct text *why, const struct evidence *e)
{
	const double part = memory_part(why, e, MEMORY_LIMITERS);
	const double counted = lost_sectors(e);
	const double most = stores_waste_more(e) ? e->store_sectors : e->load_sectors;
	const double wasted = isfinite(counted) ? counted : 1 - IDEAL_SECTORS / most;

	/* DRAM says how many of their bytes are wasted */
	if (may_be_wide(e))
		return NAN;
	text_addf(why, "%.0f %% of the sectors hold nothing that is needed%s", 100 * wasted,
		  isfinite(counted) ? "" : ", if elements have 4 bytes");
	return part * wasted;
}

static double saves_dram_waste(struct text *why, const struct evidence *e)
{
	const double part = memory_part(why, e, LIMITER(BOUND_DRAM));

	text_addf(why, "%.0f %% of the bytes are not needed", 100 - 100 / e->point->waste);
	return part * (1 - 1 / e->point->waste);
}

static double saves_conflicts(struct text *why, const struct evidence *e)
{
	const double lost = e->conflicts / e->wavefronts;
	double part = 1;

	if (e->bound != BOUND_SHARED && isfinite(e->stall_pct[STALL_SHARED])) {
		part = e->stall_pct[STALL_SHARED] / 100;
		text_addf(why, "%.0f %% of the warps wait for it, and ", 100 * part);
	} else if (LIMITER(e->bound) & PIPE_LIMITERS) {
		part = e->near_pct[RULE_SHARED] / 100;
		text_addf(why, "shared memory is at %.0f %% of its roof, and ", 100 * part);
	} else if (e->bound != BOUND_SHARED) {
		return NAN;
	}
	text_addf(why, "%.0f %% of the wavefronts are conflicts", 100 * lost);
	return part * lost;
}

/* Idle lanes take the time of instructions, which is all of it only at their roof. */
static double saves_lanes(struct text *why, const struct evidence *e, double kept)
{
	const bool at_pipes = LIMITER(e->bound) & PIPE_LIMITERS;

	text_addf(why, "%.0f %% of the lanes are idle", 100 - 100 * kept);
	return (at_pipes ? 1 : e->issue_pct / 100) * (1 - kept);
}

static double saves_divergence(struct text *why, const struct evidence *e)
{
	return saves_lanes(why, e, e->threads / FULL_WARP);
}

static double saves_predication(struct text *why, const struct evidence *e)
{
	return saves_lanes(why, e, e->threads_on / e->threads);
}

static double saves_queue(struct text *why, const struct evidence *e)
{
	const double pct = e->stall_pct[STALL_SHARED];

	text_addf(why,
		  "%.0f %% of the warps wait; if for indexed constants, for up to %d one after "
		  "another",
		  pct, FULL_WARP);
	return pct / 100 * (1 - 1.0 / FULL_WARP);
}

static double saves_spills(struct text *why, const struct evidence *e)
{
	const double pct = memory_stalls_pct(e);
	const double share = isfinite(e->local_share) ? e->local_share : 1;

	text_addf(why, "%.0f %% of the warps wait for memory", pct);
	if (isfinite(e->local_share))
		text_addf(why, ", and %.0f %% of its accesses are local", 100 * share);
	return pct / 100 * share;
}

static double saves_lost_warps(struct text *why, const struct evidence *e)
{
	text_add(why, "with all warps that the launch allows");
	return 1 - e->achieved_pct / e->allowed_pct;
}

static double saves_missing_warps(struct text *why, const struct evidence *e)
{
	text_add(why, "at full occupancy");
	return 1 - e->allowed_pct / 100;
}

/* ---- which rules hold ---- */

void notes_judge(struct judged_note out[NOTE_COUNT], const struct evidence *e)
{
	for (size_t i = 0; i < NOTE_COUNT; i++)
		out[i].lost = NAN;
	out[NOTE_ABOVE_ROOF].holds = evidence_above_roof(NULL, e);
	out[NOTE_DRAM_WASTE].holds = e->point->waste >= WASTE;
	out[NOTE_DRAM_WASTE].lost = 1 - 1 / e->point->waste;
	out[NOTE_SECTORS].holds = loads_are_scattered(e) || stores_are_scattered(e);
	out[NOTE_SECTORS].lost = lost_sectors(e);
	out[NOTE_DIVERGENCE].holds = e->threads < FULL_THREADS;
	out[NOTE_DIVERGENCE].lost = 1 - e->threads / FULL_WARP;
	out[NOTE_PREDICATION].holds = e->threads_on < KEPT_THREADS * e->threads;
	out[NOTE_PREDICATION].lost = 1 - e->threads_on / e->threads;
	out[NOTE_BANK_CONFLICTS].holds =
		e->conflicts >= CONFLICT_SHARE * e->wavefronts && e->wavefronts > 0;
	out[NOTE_BANK_CONFLICTS].lost = lost_to_conflicts(e);
	out[NOTE_SPILLS].holds =
		e->trial->facts.local_bytes_per_thread > 0 && !(e->local_share <= 0);
	out[NOTE_ATOMICS].holds = e->atomics > 0 && e->atomic_steps >= QUEUE * e->atomics;
	out[NOTE_ATOMICS].lost = lost_to_queues(e);
	out[NOTE_CONSTANT].holds = evidence_queue_is_unexplained(e);
	out[NOTE_OCCUPANCY_LOST].holds = e->achieved_pct < OCCUPANCY_KEPT * e->allowed_pct;
	out[NOTE_OCCUPANCY_LIMIT].holds = e->allowed_pct < 99.9;
	out[NOTE_ONE_WAVE].holds = LIMITER(e->bound) & PIPE_LIMITERS && !evidence_at_roof(e) &&
				   e->launches == 1 && e->waves <= 1 &&
				   e->blocks <= WAVE_BLOCKS * (double)e->device->sm_count;
	out[NOTE_CLOCK].holds = e->bound != BOUND_CLOCK && evidence_is_throttled(e);
	out[NOTE_STARVED].holds =
		(e->bound == BOUND_LATENCY || e->bound == BOUND_UNKNOWN) && e->eligible < 1;
	out[NOTE_FLOP_UNCOUNTED].holds = e->flop_uncounted;
	out[NOTE_NOT_JUDGED].holds =
		!e->point->emulated && isfinite(e->median_ns) && evidence_unjudged(NULL, e) > 0;
}

/* ---- the table ---- */

#define NOTE(rule, bounds, says, condition, advice) \
	.words = {rule, condition, advice}, .advises = bounds, .say = says
#define FINDING(rank_of, tells, remedy_is) .rank = rank_of, .tell = tells, .remedy = remedy_is

#define DRAM LIMITER(BOUND_DRAM)
#define L1 LIMITER(BOUND_L1)
#define SHARED LIMITER(BOUND_SHARED)
#define WAITING                                                                       \
	(LIMITER(BOUND_LATENCY) | LIMITER(BOUND_OCCUPANCY) | LIMITER(BOUND_ATOMICS) | \
	 LIMITER(BOUND_UNKNOWN))
#define ANY (LIMITER(BOUND_COUNT) - 1)
#define MEMORY MEMORY_LIMITERS
#define INSTRUCTIONS PIPE_LIMITERS

/* clang-format off */
const struct rule note_rules[NOTE_COUNT] = {
	[NOTE_ABOVE_ROOF] = {NOTE("above_roof", ANY, say_above,
	      "the low end of a rate's interval is more than " STRING(ABOVE_PCT) " % above the high "
	      "end of its ceiling's interval; without an interval, the rate is more than "
	      STRING(VAGUE_PCT) " % above its ceiling",
	      "measure the roofs again (perflab ceilings); if the rate stays above them, look for "
	      "an error in the work model, and for work that the kernel leaves out"),
	 .remedy = "measure the roofs again"},
	[NOTE_SPILLS] = {NOTE("spills", MEMORY | WAITING, say_spills,
	      "threads have local memory and, if that was counted, access it",
	      "avoid local memory: use fewer live values, and index arrays with constants only"),
	 FINDING(RANK_SPILLS, tell_spills, "fewer live values"),
	 SAVES(saves_spills, "the warps that wait for memory, times the part of the accesses that is local"), .relieves = MEMORY},
	[NOTE_DRAM_WASTE] = {NOTE("dram_waste", DRAM | WAITING | LIMITER(BOUND_GRID) | LIMITER(BOUND_LAUNCH), say_waste,
	      "DRAM bytes are at least " STRING(WASTE) " times the bytes that the algorithm needs",
	      "read and write each byte once: fuse passes, and keep reused data in registers, "
	      "shared memory or tiles that fit the L2"),
	 .matters = dram_is_wasted, FINDING(RANK_WASTE, tell_dram, "read each byte once"),
	 SAVES(saves_dram_waste, "the wasted bytes; if DRAM is not the limiter, times the warps that wait for memory"), .relieves = MEMORY},
	[NOTE_SECTORS] = {NOTE("sectors", MEMORY | WAITING, say_sectors,
	      "more than " STRING(LEAST_SECTORS) " sectors per request, and one of these: more than "
	      STRING(MOST_SECTORS) "; 8, or " STRING(WIDE_LEAST) " and more, with dram_waste; bytes of sectors at least "
	      STRING(WASTE) " times the needed bytes, or these are not known. Emulated: bytes of "
	      "sectors at least " STRING(WASTE) " times the requested bytes",
	      "let neighbouring threads access neighbouring, aligned elements: exchange the loops, "
	      "change the layout, or go through shared memory"),
	 .matters = caches_are_used, FINDING(RANK_WASTE, tell_sectors, "coalesce accesses"),
	 SAVES(saves_sectors, "the wasted sectors; if no memory is the limiter, times the warps that wait for memory"), .relieves = MEMORY},
	[NOTE_DIVERGENCE] = {NOTE("divergence", INSTRUCTIONS | WAITING, say_divergence,
	      "fewer than " STRING(FULL_THREADS) " threads take part in an instruction",
	      "regroup the work so that whole warps take one branch"),
	 FINDING(RANK_WASTE, tell_divergence, "regroup by warp"),
	 SAVES(saves_divergence, "the idle lanes; if instructions are not the limiter, times the share of `issue`"), .relieves = INSTRUCTIONS},
	[NOTE_PREDICATION] = {NOTE("predication", INSTRUCTIONS | WAITING, say_predication,
	      "less than " STRING(KEPT_THREADS) " of the threads that take part have a true "
	      "predicate",
	      "move conditions out of loops, or let whole warps share one condition"),
	 FINDING(RANK_WASTE, tell_predication, "hoist conditions"),
	 SAVES(saves_predication, "as `divergence`"), .relieves = INSTRUCTIONS},
	[NOTE_BANK_CONFLICTS] = {NOTE("bank_conflicts", SHARED | L1 | WAITING | INSTRUCTIONS | LIMITER(BOUND_BARRIER), say_conflicts,
	      "at least " STRING(CONFLICT_SHARE) " of the wavefronts of shared memory are conflicts",
	      "pad the rows of the array in shared memory by one element, or swizzle"),
	 .matters = shared_is_used, FINDING(RANK_WASTE, tell_conflicts, "pad or swizzle"),
	 SAVES(saves_conflicts, "the conflicts; if shared memory is not the limiter, times the warps that wait for it, or its share of the roof"), .relieves = SHARED},
	[NOTE_ATOMICS] = {NOTE("atomics", WAITING, say_atomics,
	      "emulated: in an atomic of a warp, at least " STRING(QUEUE) " lanes queue for one "
	      "address on average",
	      "combine the values of a warp or a block first (__reduce_add_sync, shared memory), "
	      "with one atomic for all"),
	 FINDING(RANK_WASTE, tell_atomics, "combine first")},
	[NOTE_CONSTANT] = {NOTE("constant", LIMITER(BOUND_LATENCY), say_queue,
	      "at least " STRING(UNEXPLAINED_PCT) " % of the sampled warps wait for shared memory or a "
	      "special unit, while shared memory and special functions are below half of " STRING(NEAR_PCT) " % of their "
	      "roofs, and atomics below " STRING(SHARED_ATOMIC_SHARE) " of the wavefronts of shared memory",
	      "look for indexed constants, which are read one after another if the lanes of a warp want "
	      "different ones (put the table into shared memory), and for shuffles"),
	 .remedy = "constants or shuffles", SAVES(saves_queue, "31 of 32 warps that wait for it")},
	[NOTE_OCCUPANCY_LOST] = {NOTE("occupancy_lost", MEMORY | WAITING | HIDES_LATENCY, say_lost,
	      "the achieved occupancy is less than " STRING(OCCUPANCY_KEPT) " of what the launch "
	      "allows",
	      "give threads more work, or use larger blocks: multiprocessors wait while blocks start "
	      "and end"),
	 .matters = blocks_end_and_begin,
	 .remedy = "longer or larger blocks", SAVES(saves_lost_warps, "the warps that are missing, of those that the launch allows"), .assumes = true},
	[NOTE_OCCUPANCY_LIMIT] = {NOTE("occupancy_limit", MEMORY | WAITING | HIDES_LATENCY, say_limit,
	      "the launch allows less than full occupancy",
	      "below " STRING(OCCUPANCY_PCT) " % allowed, with a full wave of blocks: use less of the resource that limits it, "
	      "so that more warps hide latency"),
	 .advise = advise_limit, FINDING(RANK_OCCUPANCY, tell_limit, NULL),
	 .remedy_of = remedy_of_limit, SAVES(saves_missing_warps, "the warps that the launch does not allow"), .assumes = true},
	[NOTE_ONE_WAVE] = {NOTE("one_wave", PIPE_LIMITERS, say_one_wave,
	      "the limiter is a pipe below " STRING(AT_PCT) " % of its roof, a single launch has at most one wave, "
	      "and a multiprocessor at most " STRING(WAVE_BLOCKS) " blocks",
	      "overlap the beginning and the end of blocks: smaller blocks, or blocks that load the next tile "
	      "while they store"),
	 .remedy = "overlap blocks", .assumes = true},
	[NOTE_STARVED] = {NOTE("starved", 0, say_starved,
	      "the limiter is latency or unknown, and less than one warp per cycle is ready",
	      "")},
	[NOTE_CLOCK] = {NOTE("clock", 0, say_lowered_clock,
	      "power or heat lowered the clock in at least half of the rounds, and is not the limiter",
	      "")},
	[NOTE_FLOP_UNCOUNTED] = {NOTE("flop_uncounted", 0, say_uncounted,
	      "the counters show less than half of the operations of the work model",
	      "")},
	[NOTE_NOT_JUDGED] = {NOTE("not_judged", 0, say_unjudged,
	      "a memory level or the precision has no ceiling, or its counter is missing",
	      "")},
};
/* clang-format on */
