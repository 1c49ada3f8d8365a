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
	say_share(out, e, e->near_pct[RULE_DRAM], BOUND_DRAM);
	text_add(out, modelled ? FROM_MODEL : "");
}

static void advise_dram(struct text *out, const struct evidence *e)
{
	if (evidence_at_roof(e))
		text_add(out, "at the roof only fewer bytes help: fuse the kernel with its "
			      "neighbours, or use a narrower type");
	else
		text_addf(out, "keep more bytes in flight: %sseveral loads per thread",
			  e->load_sectors >= WIDE_SECTORS ? "" : "wider loads, ");
}

static const char *remedy_of_dram(const struct evidence *e)
{
	return evidence_at_roof(e) ? "fewer bytes" : "more bytes in flight";
}

static void say_compute(struct text *out, const struct evidence *e)
{
	text_add(out, "compute-bound: ");
	say_share(out, e, e->compute_pct, BOUND_COMPUTE);
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
	say_share(out, e, e->compute_pct, BOUND_COMPUTE);
	text_add(out, evidence_compute_is_modelled(e) ? FROM_MODEL : "");
	text_addf(out, "; with full warps the same instructions would reach %.0f %%",
		  e->near_pct[RULE_IDLE_LANES]);
}

static void say_issue(struct text *out, const struct evidence *e)
{
	text_addf(out, "bound by instructions: %.0f %% of what %lld multiprocessors can issue",
		  e->issue_pct, (long long)e->device->sm_count);
}

/* ---- if no roof is near ---- */

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

static const char *remedy_of_launches(const struct evidence *e)
{
	return e->launches > 1 ? "fewer launches" : "more work a launch";
}

static void say_few_blocks(struct text *out, const struct evidence *e)
{
	text_addf(out, "bound by its grid: %.0f %s for %lld multiprocessors", e->blocks,
		  e->blocks == 1 ? "block" : "blocks", (long long)e->device->sm_count);
}

#define LOOK_AT_LINES "look what its warps wait for: perflab report --lines"
#define CLOSE ", close to the limit of " STRING(NEAR_PCT) " %"

/* "the nearest (DRAM)<is> at 10 %". Never rounds up to NEAR_PCT, because the roof is not near. */
static void say_nearest(struct text *out, const struct evidence *e, const char *is)
{
	static const char *const names[BOUND_COUNT] = {
		[BOUND_DRAM] = "DRAM",       [BOUND_L2] = "L2",
		[BOUND_L1] = "L1",           [BOUND_SHARED] = "shared memory",
		[BOUND_COMPUTE] = "compute", [BOUND_ISSUE] = "instructions",
	};

	text_addf(out, "the nearest (%s)%s at %.0f %%%s", names[e->nearest], is,
		  fmin(e->roof_pct, NEAR_PCT - 1),
		  e->roof_pct >= NEAR_PCT - NEAR_LIMIT ? CLOSE : "");
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

static bool loads_enough(const struct evidence *e)
{
	return !(e->load_requests < LEAST_LOADS * e->instructions);
}

static bool has_room_for_warps(const struct evidence *e)
{
	return !(e->achieved_pct >= FULL_PCT);
}

static const char *remedy_of_waiting(const struct evidence *e)
{
	if (loads_enough(e))
		return "more loads in flight";
	return has_room_for_warps(e) ? "more warps" : "see its lines";
}

static const char *remedy_of_unknown(const struct evidence *e)
{
	return evidence_latency_is_hidden(e) ? "see its lines" : "count it";
}

static void advise_waiting(struct text *out, const struct evidence *e)
{
	const bool loads = loads_enough(e), room = has_room_for_warps(e);

	if (loads)
		text_add(out, "give each thread more independent loads in flight");
	if (room)
		text_add(out, loads ? ", or run more warps" : "run more warps");
	if (!loads && !room)
		text_add(out, LOOK_AT_LINES);
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
	} else if (evidence_latency_is_hidden(e)) {
		text_addf(out,
			  "not judged: %.1f warps are ready per scheduler and cycle, so latency is "
			  "hidden, and ",
			  e->eligible);
		say_nearest(out, e, " is");
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
	if (evidence_latency_is_hidden(e)) {
		text_add(out, LOOK_AT_LINES);
		return;
	}
	if (uncounted)
		text_add(out, "count it: perflab sweep --metrics core");
	if (roofless)
		text_addf(out, "%smeasure the roofs: perflab ceilings", uncounted ? "; " : "");
}

/* ---- which rules hold ---- */

void limiters_judge(struct evidence *out)
{
	static const enum limiter_rule of_each_sm[] = {RULE_L1, RULE_SHARED, RULE_COMPUTE,
						       RULE_IDLE_LANES, RULE_ISSUE};
	const struct device_info *device = out->device;
	const double sm_count = device && device->sm_count > 0 ? (double)device->sm_count : NAN;
	const double grid_pct = 100 * out->blocks / sm_count;
	const struct roofline_level *level = out->point->level;
	double *near_pct = out->near_pct;

	for (size_t i = 0; i < LIMITER_RULE_COUNT; i++)
		near_pct[i] = NAN;
	near_pct[RULE_DRAM] = isnan(level[LEVEL_DRAM].roof_pct) ? out->needed_dram_pct
								: level[LEVEL_DRAM].roof_pct;
	near_pct[RULE_L2] = level[LEVEL_L2].roof_pct;
	near_pct[RULE_L1] = level[LEVEL_L1].roof_pct;
	near_pct[RULE_SHARED] = level[LEVEL_SHARED].roof_pct;
	near_pct[RULE_COMPUTE] = out->compute_pct;
	/* an instruction with idle lanes takes as much of the pipe as one of a full warp */
	if (out->threads < FULL_THREADS)
		near_pct[RULE_IDLE_LANES] = out->lanes_pct;
	/* arithmetic instructions are issued too: if they are most of the issued ones, compute is
	 * the limiter */
	if (!(out->issue_pct - fmax(out->compute_pct, near_pct[RULE_IDLE_LANES]) < ISSUE_LEAD_PCT))
		near_pct[RULE_ISSUE] = out->issue_pct;
	for (size_t i = 0; i < LIMITER_RULE_COUNT; i++)
		out->busy_pct[i] = near_pct[i];
	for (size_t i = 0; i < ARRAY_SIZE(of_each_sm); i++)
		if (grid_pct > GRID_KEPT_PCT && grid_pct < 100)
			out->busy_pct[of_each_sm[i]] *= 100 / grid_pct;
	/* an imported time of a processor is no launch */
	out->holds[RULE_LAUNCH] = out->launch_ns < LAUNCH_NS && !(device && device->sm_count == 0);
	out->holds[RULE_FEW_BLOCKS] = grid_pct <= GRID_KEPT_PCT;
	/* latency is the limiter if every roof that could be near was measured and counted */
	out->holds[RULE_LATENCY] = isfinite(out->median_ns) && evidence_unjudged(NULL, out) == 0 &&
				   !(out->eligible >= READY_WARPS);
	out->holds[RULE_UNKNOWN] = true;
}

void limiter_say(struct text *out, enum limiter_rule rule, const struct evidence *e)
{
	if (limiter_rules[rule].say) {
		limiter_rules[rule].say(out, e);
	} else {
		text_add(out, limiter_rules[rule].begin);
		say_share(out, e, e->near_pct[rule], limiter_rules[rule].bound);
	}
	if (rule < ROOF_RULE_COUNT && e->near_pct[rule] < NEAR_PCT + NEAR_LIMIT)
		text_add(out, CLOSE);
}

/* ---- the table ---- */

#define ROOF(rule, limiter, condition, advice)                                               \
	.words = {rule, "the nearest roof is at " STRING(NEAR_PCT) " % or more: " condition, \
		  advice},                                                                   \
	.bound = limiter
#define NO_ROOF(rule, limiter, says, condition, advice) \
	.words = {rule, condition, advice}, .bound = limiter, .say = says

/* clang-format off */
const struct rule limiter_rules[LIMITER_RULE_COUNT] = {
	[RULE_DRAM] = {.say = say_dram, .remedy_of = remedy_of_dram, ROOF("dram", BOUND_DRAM,
	      "DRAM bytes per second, relative to the highest DRAM ceiling; without counted bytes, "
	      "those that the work model needs at least",
	      "keep more bytes in flight: wider loads (unless they have " STRING(WIDE_SECTORS)
	      " sectors per request), several loads per thread; from "
	      STRING(AT_PCT) " % on: fewer bytes, by fusing the kernel with its neighbours or a "
	      "narrower type"),
	 .advise = advise_dram},
	[RULE_L2] = {.begin = "L2-bound: ", .remedy = "larger shared tiles", ROOF("l2", BOUND_L2,
	      "bytes per second between L1 and L2, relative to the highest L2 ceiling",
	      "request fewer bytes from the L2: keep data that threads share in shared memory, "
	      "in larger tiles")},
	[RULE_L1] = {.begin = "L1-bound: ", .remedy = "reuse registers", ROOF("l1", BOUND_L1,
	      "L1 bytes per second, relative to the highest L1 ceiling",
	      "request fewer bytes from the L1: compute several results per thread from registers")},
	[RULE_SHARED] = {.begin = "bound by shared memory: ", .remedy = "reuse registers", ROOF("shared", BOUND_SHARED,
	      "128 bytes per wavefront, per second, relative to the highest ceiling of shared memory",
	      "compute several results per thread from registers, and use wider loads")},
	[RULE_COMPUTE] = {.say = say_compute, .remedy = "fewer operations", ROOF("compute", BOUND_COMPUTE,
	      "operations per second, relative to the highest ceiling of their precision; "
	      "operations that no counter counts are those of the work model",
	      "use fewer operations, a narrower type, or tensor cores"),
	 .advise = advise_compute},
	[RULE_IDLE_LANES] = {.say = say_idle_lanes, ROOF("idle_lanes", BOUND_COMPUTE,
	      "the share of `compute` times 32, divided by the threads that take part in an "
	      "instruction, if these are fewer than " STRING(FULL_THREADS),
	      "")},
	[RULE_ISSUE] = {.say = say_issue, .remedy = "fewer instructions", ROOF("issue", BOUND_ISSUE,
	      "instructions, relative to " STRING(SCHEDULERS) " per cycle of the median time and "
	      "multiprocessor (compute capability 7.0 and later), and " STRING(ISSUE_LEAD_PCT)
	      " points above `compute` and `idle_lanes`",
	      "use fewer instructions: wider loads, unrolled loops, cheaper indices")},
	[RULE_LAUNCH] = {NO_ROOF("launch", BOUND_LAUNCH, say_launches,
	         "no roof is near, and the median time divided by the number of launches is below "
	         STRING(LAUNCH_NS) " ns",
	         "do the work in fewer launches, or replay them as a CUDA graph; with a single launch: "
	         "batch, or fuse it with the next kernel"),
	 .advise = advise_launches, .remedy_of = remedy_of_launches},
	[RULE_FEW_BLOCKS] = {NO_ROOF("few_blocks", BOUND_GRID, say_few_blocks,
	         "no roof is near, and there are at most " STRING(GRID_KEPT_PCT) " blocks for 100 "
	         "multiprocessors",
	         "divide the work into at least as many blocks as multiprocessors: smaller blocks, or "
	         "split sums"),
	 .remedy = "more blocks"},
	[RULE_LATENCY] = {NO_ROOF("latency", BOUND_LATENCY, say_waits,
	         "no roof is near, DRAM, L2, L1, shared memory and compute are all judged, and fewer "
	         "than " STRING(READY_WARPS) " warp per scheduler and cycle is ready",
	         "give each thread more independent loads in flight, if at least " STRING(LEAST_LOADS)
	         " of the instructions are global loads; run more warps, below " STRING(FULL_PCT)
	         " % achieved occupancy; else look what its warps wait for"),
	 .advise = advise_waiting, .remedy_of = remedy_of_waiting},
	[RULE_UNKNOWN] = {NO_ROOF("unknown", BOUND_UNKNOWN, say_unknown,
	         "none of the above",
	         "measure what is missing: `perflab sweep --metrics core`, or `perflab ceilings`; if "
	         "nothing is, look what its warps wait for: `perflab report --lines`"),
	 .advise = advise_unknown, .remedy_of = remedy_of_unknown},
};
/* clang-format on */
