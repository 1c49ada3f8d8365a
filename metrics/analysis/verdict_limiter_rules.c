/*
 * The rules for the limiter, one row each. The nearest roof decides if it is
 * near; otherwise the first of the other rules that holds. docs/verdicts.md
 * repeats these rows in its first two tables.
 */
#include <math.h>

#include "metrics/analysis/ceilings.h"
#include "metrics/analysis/roofline.h"
#include "metrics/analysis/verdict_rules.h"

/* ---- roofs ---- */

#define FROM_MODEL ", from the work model"

static double dram_pct(const struct evidence *e)
{
	double counted_pct = e->point->level[LEVEL_DRAM].roof_pct;

	return isnan(counted_pct) ? e->needed_dram_pct : counted_pct;
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
	return e->compute_pct;
}

/* An instruction with idle lanes takes as much of the pipe as one of a full warp. */
static double idle_lanes_pct(const struct evidence *e)
{
	return e->threads < FULL_THREADS ? e->lanes_pct : NAN;
}

static double issue_roof_pct(const struct evidence *e)
{
	/* arithmetic instructions are issued too: if they are most of the issued ones, compute is
	 * the limiter */
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
	bool modelled = isfinite(e->needed_dram_pct);

	text_addf(out, "DRAM-bound: %s", modelled ? "at least " : "");
	if (e->mix) {
		text_addf(out, "%.0f %% of the ", e->mix_pct);
		rate_text(out, e->mix->per_s, e->mix->kind);
		text_addf(out, " of the nearest mix of reads and writes (%s)%s; ", e->mix->name,
			  e->mix_pct > 100 ? ", which it exceeds" : "");
	}
	say_share(out, e, dram_pct(e), BOUND_DRAM);
	text_add(out, modelled ? FROM_MODEL : "");
}

static void advise_dram(struct text *out, const struct evidence *e)
{
	if (evidence_at_roof(e))
		text_add(out, "at the roof only fewer bytes help: fuse the kernel with its "
			      "neighbours, or use a narrower type");
	else
		text_add(out, "keep more bytes in flight: wider loads, several loads per thread");
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
	text_add(out, evidence_compute_is_modelled(e) ? FROM_MODEL : "");
}

static void advise_compute(struct text *out, const struct evidence *e)
{
	const struct ceiling *roof = evidence_roof(e, BOUND_COMPUTE);

	text_add(out, roof->of.precision >= PRECISION_TENSOR_F64
			      ? "use fewer operations or a narrower type"
			      : "use fewer operations, a narrower type, or tensor cores");
}

static void say_idle_lanes(struct text *out, const struct evidence *e)
{
	text_add(out, "compute-bound with idle lanes: ");
	say_share(out, e, compute_pct(e), BOUND_COMPUTE);
	text_add(out, evidence_compute_is_modelled(e) ? FROM_MODEL : "");
	text_addf(out, "; with full warps the same instructions would reach %.0f %%",
		  idle_lanes_pct(e));
}

static void say_issue(struct text *out, const struct evidence *e)
{
	text_addf(out, "bound by instructions: %.0f %% of what %lld multiprocessors can issue",
		  e->issue_pct, (long long)e->device->sm_count);
}

/* ---- if no roof is near ---- */

/* An imported time of a processor is no launch. */
static bool launches_are_short(const struct evidence *e)
{
	return e->launch_ns < LAUNCH_NS && !(e->device && e->device->sm_count == 0);
}

static void say_launches(struct text *out, const struct evidence *e)
{
	char each[32];

	format_duration(each, e->launch_ns);
	if (e->launches > 1)
		text_addf(out, "launch-bound: %.0f launches of %s on average", e->launches, each);
	else
		text_addf(out, "launch-bound: the case takes %s", each);
}

static void advise_launches(struct text *out, const struct evidence *e)
{
	if (e->launches > 1)
		text_addf(out,
			  "do the work of the %.0f launches in fewer, or replay them as a CUDA "
			  "graph",
			  e->launches);
	else
		text_add(out, "give the launch more work: batch, or fuse it with the next kernel");
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

/* Latency is the limiter if every roof that could be near was measured and counted. */
static bool waits(const struct evidence *e)
{
	return isfinite(e->median_ns) && evidence_unjudged(NULL, e) == 0;
}

/* "the nearest (DRAM)<is> at 10 %". Never rounds up to NEAR_PCT, because the roof is not near. */
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
	if (evidence_compute_is_modelled(e))
		text_add(out, "; compute is judged from the work model");
}

static bool always(const struct evidence *e)
{
	(void)e;
	return true;
}

static void say_unknown(struct text *out, const struct evidence *e)
{
	if (e->point->emulated)
		text_add(out, "not judged: an emulated run has no times");
	else if (!isfinite(e->median_ns))
		text_add(out, "not judged: no time was measured");
	else if (isnan(e->point->level[LEVEL_DRAM].bytes) && isnan(e->point->flop)) {
		text_add(out, "not judged: nothing was counted");
		if (isfinite(e->roof_pct)) {
			text_add(out, "; by the work model, ");
			say_nearest(out, e, " is");
		}
	} else if (!e->ceilings || e->ceilings->count == 0)
		text_add(out, "not judged: no ceilings are stored for this device");
	else if (!isfinite(e->roof_pct))
		text_add(out, "not judged: no roof was measured for the counted quantities");
	else {
		text_add(out, "not judged: of the known roofs, ");
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

/* ---- the table ---- */

#define ROOF(rule, limiter, percent, says, condition, advice)                                \
	.words = {rule, "the nearest roof is at " STRING(NEAR_PCT) " % or more: " condition, \
		  advice},                                                                   \
	.bound = limiter, .near_pct = percent, .say = says
#define NO_ROOF(rule, limiter, when, says, condition, advice) \
	.words = {rule, condition, advice}, .bound = limiter, .holds = when, .say = says

/* clang-format off */
const struct rule limiter_rules[] = {
	{ROOF("dram", BOUND_DRAM, dram_pct, say_dram,
	      "DRAM bytes per second, relative to the highest DRAM ceiling; without counted bytes, "
	      "those that the work model needs at least",
	      "keep more bytes in flight: wider loads, several loads per thread; from "
	      STRING(AT_PCT) " % on: fewer bytes, by fusing the kernel with its neighbours or a "
	      "narrower type"),
	 .advise = advise_dram},
	{ROOF("l2", BOUND_L2, l2_pct, say_l2,
	      "bytes per second between L1 and L2, relative to the highest L2 ceiling",
	      "request fewer bytes from the L2: keep data that threads share in shared memory, "
	      "in larger tiles")},
	{ROOF("l1", BOUND_L1, l1_pct, say_l1,
	      "L1 bytes per second, relative to the highest L1 ceiling",
	      "request fewer bytes from the L1: compute several results per thread from registers")},
	{ROOF("shared", BOUND_SHARED, shared_pct, say_shared,
	      "128 bytes per wavefront, per second, relative to the highest ceiling of shared memory",
	      "compute several results per thread from registers, and use wider loads")},
	{ROOF("compute", BOUND_COMPUTE, compute_pct, say_compute,
	      "operations per second, relative to the highest ceiling of their precision; "
	      "operations that no counter counts are those of the work model",
	      "use fewer operations, a narrower type, or tensor cores"),
	 .advise = advise_compute},
	{ROOF("idle_lanes", BOUND_COMPUTE, idle_lanes_pct, say_idle_lanes,
	      "the share of `compute` times 32, divided by the threads that take part in an "
	      "instruction, if these are fewer than " STRING(FULL_THREADS),
	      "")},
	{ROOF("issue", BOUND_ISSUE, issue_roof_pct, say_issue,
	      "instructions, relative to " STRING(SCHEDULERS) " per cycle of the median time and "
	      "multiprocessor (compute capability 7.0 and later), and " STRING(ISSUE_LEAD_PCT)
	      " points above `compute` and `idle_lanes`",
	      "use fewer instructions: wider loads, unrolled loops, cheaper indices")},
	{NO_ROOF("launch", BOUND_LAUNCH, launches_are_short, say_launches,
	         "no roof is near, and the median time divided by the number of launches is below "
	         STRING(LAUNCH_NS) " ns",
	         "do the work in fewer launches, or replay them as a CUDA graph; with a single launch: "
	         "batch, or fuse it with the next kernel"),
	 .advise = advise_launches},
	{NO_ROOF("few_blocks", BOUND_LAUNCH, blocks_are_few, say_few_blocks,
	         "no roof is near, and there are fewer blocks than multiprocessors",
	         "divide the work into at least as many blocks as multiprocessors: smaller blocks, or "
	         "split sums")},
	{NO_ROOF("latency", BOUND_LATENCY, waits, say_waits,
	         "no roof is near, and DRAM, L2, L1, shared memory and compute are all judged",
	         "give each thread more independent loads in flight, or run more warps")},
	{NO_ROOF("unknown", BOUND_UNKNOWN, always, say_unknown,
	         "none of the above",
	         "measure what is missing: `perflab sweep --metrics core`, or `perflab ceilings`"),
	 .advise = advise_unknown},
};
/* clang-format on */
const size_t limiter_rule_count = ARRAY_SIZE(limiter_rules);
