/*
 * The rules for the limiter, one row each. The nearest roof decides if it is
 * near; otherwise the first of the other rules that holds. docs/verdicts.md
 * repeats these rows in its first two tables.
 */
#include <math.h>

#include "metrics/analysis/ceilings.h"
#include "metrics/analysis/roofline.h"
#include "metrics/analysis/statistics.h"
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

enum bound limiter_bound(enum limiter_rule rule, const struct evidence *e)
{
	const struct roofline_point *point = e->point;
	const bool known = e->flop_uncounted ? point->model.has_precision : point->flop > 0;
	const enum precision precision =
		e->flop_uncounted ? point->model.precision : point->precision;

	return rule == RULE_COMPUTE && known && precision >= PRECISION_TENSOR_F64
		       ? BOUND_TENSOR
		       : limiter_rules[rule].bound;
}

static void say_compute(struct text *out, const struct evidence *e)
{
	text_add(out, limiter_bound(RULE_COMPUTE, e) == BOUND_TENSOR ? "bound by tensor cores: "
								     : "compute-bound: ");
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

static void say_tensor(struct text *out, const struct evidence *e)
{
	text_addf(out, "bound by tensor cores: their pipe is active for %.0f %% of the time",
		  e->tensor_pct);
}

static void advise_tensor(struct text *out, const struct evidence *e)
{
	const bool small =
		finite_quotient(e->point->flop, counted_value(e->trial, "tensor_instructions")) <=
		MMA_MOST_FLOP;

	text_addf(out, "use fewer products or a narrower type%s",
		  small && e->point->precision != PRECISION_TENSOR_F64 && e->device &&
				  e->device->cc_major == 9
			  ? ", and wgmma in place of mma"
			  : "");
}

static void say_special(struct text *out, const struct evidence *e)
{
	text_addf(out, "bound by special functions and conversions: their pipe is %.0f %% full",
		  e->special_pct);
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

	format_duration(each, e->per_launch_ns);
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

static void say_tail(struct text *out, const struct evidence *e)
{
	text_addf(
		out,
		"bound by its last wave: %.0f blocks are %.2f waves, so multiprocessors have work "
		"for %.0f %% of the time",
		e->blocks, e->waves, 100 * e->busy);
}

static void say_imbalance(struct text *out, const struct evidence *e)
{
	text_addf(
		out,
		"bound by its longest blocks: on average, multiprocessors are busy for %.0f %% of "
		"the time of the busiest one",
		100 * e->busy);
}

static void say_small_grid(struct text *out, const struct evidence *e)
{
	text_addf(out,
		  "bound by its grid: %.0f blocks are %.2f of a wave, so %.0f %% of the warps that "
		  "fit are there",
		  e->blocks, e->waves, 100 * e->achieved_pct / e->allowed_pct);
}

static void say_starts(struct text *out, const struct evidence *e)
{
	text_addf(out,
		  "launch-bound: %.0f blocks end as fast as they start, %.2f per cycle, so the "
		  "achieved occupancy is %.0f %%",
		  e->blocks, e->start_rate, e->achieved_pct);
}

static bool is_sampled(const struct evidence *e)
{
	return evidence_main_stall(e) != STALL_READY;
}

static const char *remedy_of_lines(const struct evidence *e)
{
	return is_sampled(e) ? "see its lines" : "sample its warps";
}

static void advise_lines(struct text *out, const struct evidence *e)
{
	text_addf(out, "see what its warps wait for: perflab %s",
		  is_sampled(e) ? "report --lines" : "sweep --lines all");
}

#define CLOSE ", close to the limit of " STRING(NEAR_PCT) " %"

static const char *const roof_names[BOUND_COUNT] = {
	[BOUND_DRAM] = "DRAM",
	[BOUND_L2] = "L2",
	[BOUND_L1] = "L1",
	[BOUND_SHARED] = "shared memory",
	[BOUND_COMPUTE] = "compute",
	[BOUND_ISSUE] = "instructions",
	[BOUND_TENSOR] = "tensor cores",
	[BOUND_SPECIAL] = "special functions",
};

/* "the nearest <roof> (DRAM)<is> at 10 %". Never rounds up to NEAR_PCT. */
static void say_nearest(struct text *out, const struct evidence *e, const char *roof,
			const char *is)
{
	const bool near = e->roof_pct >= NEAR_PCT;

	text_addf(out, "the nearest %s (%s)%s at %.0f %%%s", roof, roof_names[e->nearest], is,
		  near ? e->roof_pct : fmin(e->roof_pct, NEAR_PCT - 1),
		  !near && e->roof_pct >= NEAR_PCT - NEAR_LIMIT ? CLOSE : "");
}

/* "; the nearest roof (DRAM) is at 10 %" */
static void add_nearest_roof(struct text *out, const struct evidence *e)
{
	if (!isfinite(e->roof_pct))
		return;
	text_add(out, "; ");
	say_nearest(out, e, "roof", " is");
}

static void say_clock(struct text *out, const struct evidence *e)
{
	text_addf(out,
		  "bound by its clock: %.0f %% of the highest, lowered by power or heat in %zu of "
		  "%zu rounds",
		  e->clock_pct, e->clocks.throttled, e->clocks.count);
	add_nearest_roof(out, e);
}

static double part_of_stalled(const struct evidence *e, enum stall stall)
{
	return 100 * e->stall_pct[stall] / (100 - e->stall_pct[STALL_READY]);
}

/* "95 % of the stalled warps wait for global or local memory" */
static void add_stalls(struct text *out, const struct evidence *e, enum stall stall)
{
	text_addf(out, "%.0f %% of the stalled warps wait %s", part_of_stalled(e, stall),
		  stall_words(stall));
}

/* The most frequent reason, and the others that are at least half as frequent. */
static void add_main_stalls(struct text *out, const struct evidence *e)
{
	const enum stall main = evidence_main_stall(e);

	add_stalls(out, e, main);
	for (int i = STALL_READY + 1; i < STALL_COUNT; i++)
		if (i != (int)main && e->stall_pct[i] >= ALSO_STALL * e->stall_pct[main])
			text_addf(out, ", %.0f %% %s", part_of_stalled(e, (enum stall)i),
				  stall_words((enum stall)i));
}

static void say_waits(struct text *out, const struct evidence *e)
{
	text_add(out, "latency-bound: ");
	if (is_sampled(e)) {
		add_main_stalls(out, e);
		text_add(out, "; ");
	}
	if (e->holds[RULE_SMALL_GRID])
		text_addf(out, "the grid is %.2f of a wave; ", e->waves);
	text_add(out, "no roof is near");
	if (isfinite(e->roof_pct)) {
		text_add(out, ", ");
		say_nearest(out, e, "roof", "");
	}
	if (evidence_compute_is_modelled(e))
		text_add(out, "; compute is judged from the work model");
}

static void say_barriers(struct text *out, const struct evidence *e)
{
	text_add(out, "bound by barriers: ");
	add_stalls(out, e, STALL_BARRIER);
	add_nearest_roof(out, e);
}

static void say_pipe(struct text *out, const struct evidence *e)
{
	text_add(out, "bound by instructions: ");
	add_stalls(out, e, STALL_PIPE);
	add_nearest_roof(out, e);
}

static void say_fetch(struct text *out, const struct evidence *e)
{
	text_add(out, "bound by instruction fetch: ");
	add_stalls(out, e, STALL_FETCH);
	add_nearest_roof(out, e);
}

/* Whether atomics are a large part of the accesses to the L2 and, if warps were sampled, warps wait
 * for memory. */
static bool waits_for_l2_atomics(const struct evidence *e)
{
	const double memory = e->stall_pct[STALL_MEMORY] + e->stall_pct[STALL_STORES];

	return e->l2_atomics >= ATOMIC_SHARE && e->atomic_rate >= LEAST_LOADS &&
	       !(memory < STALL_LEAD_PCT);
}

static bool waits_for_shared_atomics(const struct evidence *e)
{
	return e->shared_atomics >= SHARED_ATOMIC_SHARE &&
	       e->stall_pct[STALL_SHARED] >= STALL_LEAD_PCT;
}

static void say_atomic_limit(struct text *out, const struct evidence *e)
{
	text_add(out, "bound by atomics: ");
	if (waits_for_l2_atomics(e))
		text_addf(out, "%.2f sectors of atomics for each one between L1 and L2",
			  e->l2_atomics);
	else
		text_addf(out, "%.0f %% of the wavefronts of shared memory are atomics",
			  100 * e->shared_atomics);
	add_nearest_roof(out, e);
}

static void say_few_warps(struct text *out, const struct evidence *e)
{
	text_addf(out, "bound by occupancy: the launch allows %.0f %% of the warps",
		  e->allowed_pct);
	if (e->trial->facts.occupancy_limiter[0])
		text_addf(out, ", limited by %s", e->trial->facts.occupancy_limiter);
	if (evidence_main_stall(e) != STALL_READY) {
		text_add(out, "; ");
		add_stalls(out, e, evidence_main_stall(e));
	}
	add_nearest_roof(out, e);
}

/* ---- what it can win ---- */

static double saves_stalls(struct text *why, const struct evidence *e, enum stall stall)
{
	text_addf(why, "%.0f %% of the warps wait %s", e->stall_pct[stall], stall_words(stall));
	return e->stall_pct[stall] / 100;
}

/* More loads in flight help where warps wait for them. */
static double saves_loads(struct text *why, const struct evidence *e)
{
	return evidence_main_stall(e) == STALL_MEMORY ? saves_stalls(why, e, STALL_MEMORY) : NAN;
}

/* With one atomic for the lanes of a warp. */
static double saves_atomics(struct text *why, const struct evidence *e)
{
	const double pct = e->stall_pct[STALL_MEMORY] + e->stall_pct[STALL_STORES] +
			   e->stall_pct[STALL_SHARED];

	text_addf(why,
		  "%.0f %% of the warps wait for memory, and one atomic can stand for %d lanes",
		  pct, FULL_WARP);
	return pct / 100 * (1 - 1.0 / FULL_WARP);
}

static double saves_latency(struct text *why, const struct evidence *e)
{
	return saves_stalls(why, e, STALL_OTHER);
}

static double saves_pipe(struct text *why, const struct evidence *e)
{
	return saves_stalls(why, e, STALL_PIPE);
}

static double saves_absent_warps(struct text *why, const struct evidence *e)
{
	text_add(why, "with all warps that the launch allows");
	return 1 - e->achieved_pct / e->allowed_pct;
}

static double saves_barriers(struct text *why, const struct evidence *e)
{
	return saves_stalls(why, e, STALL_BARRIER);
}

static double saves_fetch(struct text *why, const struct evidence *e)
{
	return saves_stalls(why, e, STALL_FETCH);
}

static double saves_idle(struct text *why, const struct evidence *e)
{
	text_addf(why, "multiprocessors are idle for %.0f %% of the time", 100 * (1 - e->busy));
	return 1 - e->busy;
}

static double saves_clock(struct text *why, const struct evidence *e)
{
	text_add(why, "at the highest clock");
	return 1 - e->clock_pct / 100;
}

static double saves_few_blocks(struct text *why, const struct evidence *e)
{
	const double used = e->blocks / (double)e->device->sm_count;

	text_addf(why, "%.0f %% of the multiprocessors have no block", 100 * (1 - used));
	return 1 - used;
}

/* One launch takes as long as its own part of the work. */
static double saves_launches(struct text *why, const struct evidence *e)
{
	if (!(e->launches > 1))
		return NAN;
	text_addf(why, "one launch in place of %.0f", e->launches);
	return 1 - 1 / e->launches; /* at_most() knows what launches take */
}

/* At the roof nobody knows how many bytes are needed; below it the roof is what can be won. */
static double saves_dram(struct text *why, const struct evidence *e)
{
	if (!evidence_at_roof(e)) {
		text_add(why, "up to the roof");
		return 1;
	}
	text_add(why, "with half of the bytes");
	return 0.5;
}

/* Whether most stalls are of memory, or they were not sampled. */
static bool waits_for_memory(const struct evidence *e)
{
	const enum stall main = evidence_main_stall(e);

	return main == STALL_READY || main == STALL_MEMORY;
}

static bool loads_enough(const struct evidence *e)
{
	return waits_for_memory(e) && !(e->load_requests < LEAST_LOADS * e->instructions);
}

static bool has_room_for_warps(const struct evidence *e)
{
	return waits_for_memory(e) && !(e->achieved_pct >= FULL_PCT);
}

static const char *remedy_of_waiting(const struct evidence *e)
{
	if (loads_enough(e))
		return "more loads in flight";
	return has_room_for_warps(e) ? "more warps" : remedy_of_lines(e);
}

static const char *remedy_of_unknown(const struct evidence *e)
{
	return evidence_latency_is_hidden(e) ? remedy_of_lines(e) : "count it";
}

static void advise_waiting(struct text *out, const struct evidence *e)
{
	const bool loads = loads_enough(e), room = has_room_for_warps(e);

	if (loads)
		text_add(out, "give each thread more independent loads in flight");
	if (room)
		text_add(out, loads ? ", or run more warps" : "run more warps");
	if (!loads && !room)
		advise_lines(out, e);
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
			say_nearest(out, e, "roof", " is");
		}
	} else if (evidence_latency_is_hidden(e) && evidence_main_stall(e) != STALL_READY) {
		text_add(out, "no single limiter: ");
		add_main_stalls(out, e);
		text_addf(out, ", and %.0f %% of all warps are ready", e->stall_pct[STALL_READY]);
		add_nearest_roof(out, e);
	} else if (evidence_latency_is_hidden(e)) {
		text_addf(out,
			  "not judged: %.1f warps are ready per scheduler and cycle, so latency is "
			  "hidden",
			  e->eligible);
		add_nearest_roof(out, e);
	} else if (!e->ceilings || e->ceilings->count == 0)
		text_add(out, "not judged: no ceilings are stored for this device");
	else if (!isfinite(e->roof_pct))
		text_add(out, "not judged: no roof was measured for the counted quantities");
	else {
		text_add(out, "not judged: ");
		say_nearest(out, e, "known roof", " is");
	}
}

bool limiter_looks_further(enum limiter_rule rule, const struct evidence *e)
{
	return (rule == RULE_LATENCY && !loads_enough(e) && !has_room_for_warps(e)) ||
	       (rule == RULE_UNKNOWN && evidence_latency_is_hidden(e));
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
		advise_lines(out, e);
		return;
	}
	if (uncounted)
		text_add(out, "count it: perflab sweep --metrics core");
	if (roofless)
		text_addf(out, "%smeasure the roofs: perflab ceilings", uncounted ? "; " : "");
}

/* ---- which rules hold ---- */

/* Whether warps wait for atomics for more of the time than multiprocessors are idle. */
static bool atomics_cost_more(const struct evidence *e)
{
	return (waits_for_l2_atomics(e) &&
		e->stall_pct[STALL_MEMORY] + e->stall_pct[STALL_STORES] > 100 * (1 - e->busy)) ||
	       (waits_for_shared_atomics(e) && e->stall_pct[STALL_SHARED] > 100 * (1 - e->busy));
}

/* Cycles are summed over all launches, so they show the shape of a single launch only. The last
 * wave has `rest` blocks; if there are more multiprocessors than that, the others idle for one
 * wave. */
static void judge_shape(struct evidence *out)
{
	const double sm_count = out->device ? (double)out->device->sm_count : NAN;
	const double waves = ceil(out->waves);
	const double rest = out->blocks - (waves - 1) * out->blocks / out->waves;
	const double idle = fmax(0, 1 - rest / sm_count) / waves;
	const bool is_idle = out->launches == 1 && isfinite(waves) && 100 * out->busy < BUSY_PCT &&
			     !out->holds[RULE_FEW_BLOCKS];

	out->holds[RULE_TAIL] = is_idle && waves > 1 && idle >= TAIL_PART * (1 - out->busy);
	out->holds[RULE_IMBALANCE] = is_idle && !out->holds[RULE_TAIL] && !atomics_cost_more(out);
	out->holds[RULE_STARTS] = out->start_rate >= START_RATE && out->waves > 1 &&
				  out->achieved_pct < out->allowed_pct / 2;
}

/* Whether a reason of stalls is the most frequent one, or nearly. */
static bool stalls_mainly(const struct evidence *e, enum stall stall)
{
	return e->stall_pct[stall] >= STALL_PCT &&
	       e->stall_pct[stall] >= MAIN_STALL * e->stall_pct[evidence_main_stall(e)];
}

/* A roof that was not judged may be near, and then no stall is the limiter. */
static void judge_stalls(struct evidence *out)
{
	const bool judged = isfinite(out->median_ns) && evidence_unjudged(NULL, out) == 0;
	const bool waits = judged && !evidence_latency_is_hidden(out);

	out->holds[RULE_BARRIER] = judged && stalls_mainly(out, STALL_BARRIER);
	out->holds[RULE_FETCH] = judged && stalls_mainly(out, STALL_FETCH);
	out->holds[RULE_ATOMICS] =
		waits && (waits_for_l2_atomics(out) || waits_for_shared_atomics(out));
	out->holds[RULE_LATENCY] = waits;
	out->holds[RULE_SMALL_GRID] =
		judged && out->waves < 1 && out->achieved_pct < out->allowed_pct / 2;
	out->holds[RULE_DEPENDENCY] = judged && stalls_mainly(out, STALL_OTHER);
	out->holds[RULE_PIPE] = judged && stalls_mainly(out, STALL_PIPE);
	/* with less than a wave, no block waits for room */
	out->holds[RULE_OCCUPANCY] =
		out->allowed_pct < OCCUPANCY_PCT && !(out->waves < 1) &&
		((waits && waits_for_memory(out)) || out->holds[RULE_DEPENDENCY]);
}

bool limiter_comes_before_roof(enum limiter_rule rule, double roof_pct, const struct evidence *e)
{
	/* the roofs of multiprocessors were measured with another clock */
	if (rule == RULE_CLOCK)
		return true;
	if (roof_pct >= AT_PCT || e->mix_pct >= AT_PCT)
		return false;
	/* in a pipeline of warps some of them wait although the pipe is busy */
	if (roof_pct >= LEAD_ROOF_PCT && (rule == RULE_BARRIER || rule == RULE_FETCH))
		return false;
	switch (rule) {
	case RULE_FEW_BLOCKS:
	case RULE_TAIL:
	case RULE_IMBALANCE:
		return 100 * e->busy < BUSY_PCT;
	case RULE_BARRIER:
		return e->stall_pct[STALL_BARRIER] >= STALL_LEAD_PCT;
	case RULE_FETCH:
		return e->stall_pct[STALL_FETCH] >= STALL_LEAD_PCT;
	default:
		return false;
	}
}

/* The part of the median time that is not that of launching. */
static double running_part(const struct evidence *e)
{
	const double launching = evidence_launch_floor_ns(e, e->launches) / e->median_ns;

	return e->per_launch_ns > 0 && !evidence_is_launching(e)
		       ? fmax(1 - launching, RUNNING_LEAST)
		       : 1;
}

/*
 * A unit whose queue is full is the limiter before it reaches the roof of its bytes, because it
 * takes a number of requests, sectors or lines per cycle.
 */
static void raise_full_queues(struct evidence *e)
{
	double *busy_pct = e->busy_pct;

	if (!isfinite(e->per_launch_ns) || evidence_is_launching(e))
		return;
	if (e->queue_pct >= QUEUE_PCT)
		for (size_t i = RULE_L2; i <= RULE_L1; i++)
			if (busy_pct[i] >= QUEUE_ROOF_PCT)
				busy_pct[i] = fmax(busy_pct[i], NEAR_PCT);
	if (e->queue_pct >= QUEUE_LEAD_PCT && isfinite(busy_pct[RULE_L1]) &&
	    !(busy_pct[RULE_L2] >= NEAR_PCT))
		busy_pct[RULE_L1] = fmax(busy_pct[RULE_L1], NEAR_PCT);
	if (e->stall_pct[STALL_SHARED] >= QUEUE_PCT && busy_pct[RULE_SHARED] >= QUEUE_ROOF_PCT &&
	    !(e->shared_atomics >= SHARED_ATOMIC_SHARE))
		busy_pct[RULE_SHARED] = fmax(busy_pct[RULE_SHARED], NEAR_PCT);
}

static const enum limiter_rule of_each_sm[] = {
	RULE_L1, RULE_SHARED, RULE_COMPUTE, RULE_IDLE_LANES, RULE_ISSUE, RULE_TENSOR, RULE_SPECIAL};

/* Whether the nearest roof is near, and one that a higher clock would raise. */
static bool clock_sets_the_roof(const struct evidence *e)
{
	double nearest_pct = NAN;

	for (size_t i = 0; i < ARRAY_SIZE(of_each_sm); i++)
		nearest_pct = fmax(nearest_pct, e->busy_pct[of_each_sm[i]]);
	return nearest_pct >= NEAR_PCT &&
	       !(fmax(e->busy_pct[RULE_DRAM], e->busy_pct[RULE_L2]) > nearest_pct);
}

void limiters_judge(struct evidence *out)
{
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
	if (!(fmax(out->compute_pct, near_pct[RULE_IDLE_LANES]) >=
	      ARITHMETIC_SHARE * out->issue_pct))
		near_pct[RULE_ISSUE] = out->issue_pct;
	near_pct[RULE_TENSOR] = out->tensor_pct;
	near_pct[RULE_SPECIAL] = out->special_pct;
	for (size_t i = 0; i < LIMITER_RULE_COUNT; i++)
		out->busy_pct[i] = near_pct[i];
	out->busy_pct[RULE_DRAM] = fmax(near_pct[RULE_DRAM], out->mix_pct);
	out->running = running_part(out);
	for (size_t i = 0; i < LIMITER_RULE_COUNT; i++)
		out->busy_pct[i] /= out->running;
	raise_full_queues(out);
	for (size_t i = 0; i < ARRAY_SIZE(of_each_sm); i++)
		if (grid_pct > GRID_KEPT_PCT && grid_pct < 100)
			out->busy_pct[of_each_sm[i]] *= 100 / grid_pct;
	/* an imported time of a processor is no launch */
	out->holds[RULE_LAUNCH] = evidence_is_launching(out);
	out->holds[RULE_CLOCK] = evidence_is_throttled(out) && out->clock_pct < CLOCK_PCT &&
				 clock_sets_the_roof(out);
	out->holds[RULE_FEW_BLOCKS] = grid_pct <= GRID_KEPT_PCT;
	judge_shape(out);
	judge_stalls(out);
	out->holds[RULE_UNKNOWN] = true;
}

/* Whether warps wait for room in the queue of the unit of a rule. False, too: they were not
 * sampled, or it has none. */
static bool queue_is_full(const struct evidence *e, enum limiter_rule rule)
{
	if (rule == RULE_SHARED)
		return e->stall_pct[STALL_SHARED] >= QUEUE_PCT;
	return (rule == RULE_L2 || rule == RULE_L1) && e->queue_pct >= QUEUE_PCT;
}

static void add_queue(struct text *out, const struct evidence *e, enum limiter_rule rule)
{
	if (rule == RULE_SHARED)
		add_stalls(out, e, STALL_SHARED);
	else
		text_addf(out, "%.0f %% of the warps wait %s", e->queue_pct,
			  stall_words(STALL_QUEUE));
}

/* "; L1 is at 85 %, too": the other roofs that are nearly as near. */
static void add_others(struct text *out, enum limiter_rule rule, const struct evidence *e)
{
	for (size_t i = 0; i < ROOF_RULE_COUNT; i++) {
		const double pct = e->near_pct[i];

		if (limiter_rules[i].bound == limiter_bound(rule, e) || i == RULE_IDLE_LANES ||
		    i == rule || !(pct >= NEAR_PCT - ALSO_PCT) ||
		    pct < e->near_pct[rule] - ALSO_PCT)
			continue;
		text_addf(out, "; %s at %.0f %%, too", roof_names[limiter_rules[i].bound], pct);
	}
}

void limiter_say(struct text *out, enum limiter_rule rule, const struct evidence *e)
{
	if (limiter_rules[rule].say) {
		limiter_rules[rule].say(out, e);
	} else {
		text_add(out, limiter_rules[rule].begin);
		say_share(out, e, e->near_pct[rule], limiter_rules[rule].bound);
	}
	if (rule < ROOF_RULE_COUNT) {
		const double whole_pct =
			rule == RULE_DRAM ? fmax(e->near_pct[rule], e->mix_pct) : e->near_pct[rule];
		const double running_pct = whole_pct / e->running;

		if (whole_pct < NEAR_PCT && running_pct >= NEAR_PCT) {
			text_addf(out, ", or %.0f %% without the time of launching", running_pct);
		} else if (running_pct < NEAR_PCT && queue_is_full(e, rule)) {
			text_add(out, ", and ");
			add_queue(out, e, rule);
		}
		if (fabs(running_pct - NEAR_PCT) < NEAR_LIMIT)
			text_add(out, CLOSE);
	}
	if (rule < ROOF_RULE_COUNT)
		add_others(out, rule, e);
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
	      "DRAM bytes per second, relative to the highest DRAM ceiling, or to the one with the nearest "
	      "share of reads; without counted bytes, "
	      "those that the work model needs at least",
	      "keep more bytes in flight: wider loads (unless they have " STRING(WIDE_SECTORS)
	      " sectors per request), several loads per thread; from "
	      STRING(AT_PCT) " % on: fewer bytes, by fusing the kernel with its neighbours or a "
	      "narrower type"),
	 .advise = advise_dram, SAVES(saves_dram, "the distance to the roof; from " STRING(AT_PCT) " % on, half of the bytes"),
	 .assumes = true},
	[RULE_L2] = {.begin = "L2-bound: ", .remedy = "larger shared tiles", ROOF("l2", BOUND_L2,
	      "bytes per second between L1 and L2, relative to the highest L2 ceiling; or at " STRING(QUEUE_ROOF_PCT) " % or more, if "
	      STRING(QUEUE_PCT) " % of the warps wait for the queue of memory instructions",
	      "request fewer bytes from the L2: keep data that threads share in shared memory, "
	      "in larger tiles"), HALF("bytes"), .relieves = MEMORY_LIMITERS},
	[RULE_L1] = {.begin = "L1-bound: ", .remedy = "reuse registers", ROOF("l1", BOUND_L1,
	      "L1 bytes per second, relative to the highest L1 ceiling; or as `l2`; or whatever its share is, if "
	      STRING(QUEUE_LEAD_PCT) " % of the warps wait for that queue and the L2 is not near",
	      "request fewer bytes from the L1: compute several results per thread from registers"),
	 HALF("bytes"), .relieves = MEMORY_LIMITERS | PIPE_LIMITERS},
	[RULE_SHARED] = {.begin = "bound by shared memory: ", .remedy = "reuse registers", ROOF("shared", BOUND_SHARED,
	      "128 bytes per wavefront, per second, relative to the highest ceiling of shared memory; or at "
	      STRING(QUEUE_ROOF_PCT) " % or more, if " STRING(QUEUE_PCT) " % of the warps wait for it",
	      "compute several results per thread from registers, and use wider loads"),
	 HALF("accesses"), .relieves = LIMITER(BOUND_SHARED) | PIPE_LIMITERS},
	[RULE_COMPUTE] = {.say = say_compute, .remedy = "fewer operations", ROOF("compute", BOUND_COMPUTE,
	      "operations per second, relative to the highest ceiling of their precision; "
	      "operations that no counter counts are those of the work model",
	      "use fewer operations, a narrower type, or tensor cores"),
	 .advise = advise_compute, HALF("operations"), .relieves = PIPE_LIMITERS},
	[RULE_IDLE_LANES] = {.say = say_idle_lanes, ROOF("idle_lanes", BOUND_COMPUTE,
	      "the share of `compute` times 32, divided by the threads that take part in an "
	      "instruction, if these are fewer than " STRING(FULL_THREADS),
	      "")},
	[RULE_ISSUE] = {.say = say_issue, .remedy = "fewer instructions", ROOF("issue", BOUND_ISSUE,
	      "instructions, relative to " STRING(SCHEDULERS) " per cycle of the median time and "
	      "multiprocessor (compute capability 7.0 and later); not if `compute` or `idle_lanes` are at "
	      "least " STRING(ARITHMETIC_SHARE) " of it",
	      "use fewer instructions: wider loads, unrolled loops, cheaper indices"),
	 HALF("instructions"), .relieves = PIPE_LIMITERS},
	[RULE_TENSOR] = {.say = say_tensor, .remedy = "fewer or narrower products", ROOF("tensor", BOUND_TENSOR,
	      "active cycles of the pipe of the tensor cores, of those of the median time",
	      "use fewer products or a narrower type; on compute capability 9.0, wgmma in place of mma, whose "
	      "instructions have at most " STRING(MMA_MOST_FLOP) " operations"),
	 .advise = advise_tensor,
	 HALF("products"), .relieves = PIPE_LIMITERS},
	[RULE_SPECIAL] = {.say = say_special, .remedy = "fewer special functions", ROOF("special", BOUND_SPECIAL,
	      "instructions of the special-function pipe, of those that it can take in the median time",
	      "use fewer special functions and conversions: polynomials, tables, constants of the "
	      "type of the operation (1.0f)"),
	 HALF("special functions"), .relieves = PIPE_LIMITERS},
	[RULE_LAUNCH] = {NO_ROOF("launch", BOUND_LAUNCH, say_launches,
	         "no roof is near, and the median time divided by the number of launches is below "
	         STRING(LAUNCH_TIMES) " times the time of an empty kernel",
	         "do the work in fewer launches, or replay them as a CUDA graph; with a single launch: "
	         "batch, or fuse it with the next kernel"),
	 .advise = advise_launches, .remedy_of = remedy_of_launches, 
	 SAVES(saves_launches, "all launches but one")},
	[RULE_CLOCK] = {NO_ROOF("clock", BOUND_CLOCK, say_clock,
	         "the nearest roof is near and not that of DRAM or the L2, and power or heat lowered the clock in at "
	         "least half of the rounds, to less than " STRING(CLOCK_PCT) " % of the highest",
	         "raise the power limit or cool the device; fewer and narrower operations take less power"),
	 .remedy = "more power or cooling", SAVES(saves_clock, "the distance to the highest clock"),
	 .relieves = PIPE_LIMITERS | LIMITER(BOUND_SHARED) | LIMITER(BOUND_L1) | LIMITER(BOUND_L2)},
	[RULE_FEW_BLOCKS] = {NO_ROOF("few_blocks", BOUND_GRID, say_few_blocks,
	         "no roof is near, and there are at most " STRING(GRID_KEPT_PCT) " blocks for 100 "
	         "multiprocessors",
	         "divide the work into at least as many blocks as multiprocessors: smaller blocks, or "
	         "split sums"),
	 .remedy = "more blocks", SAVES(saves_few_blocks, "the multiprocessors without a block")},
	[RULE_TAIL] = {NO_ROOF("tail", BOUND_TAIL, say_tail,
	         "multiprocessors are busy for less than " STRING(BUSY_PCT) " % of the time of the one "
	         "that is busy longest, and the multiprocessors without a block in the last wave "
	         "explain at least " STRING(TAIL_PART) " of that; of single launches whose waves are known",
	         "launch as many blocks as fit together, or a multiple of it: other block sizes, or "
	         "blocks that take several parts of the work in a loop"),
	 .remedy = "whole waves", SAVES(saves_idle, "the time in which multiprocessors are idle")},
	[RULE_IMBALANCE] = {NO_ROOF("imbalance", BOUND_IMBALANCE, say_imbalance,
	         "multiprocessors are busy for less than " STRING(BUSY_PCT) " % of the time of the one "
	         "that is busy longest, for another reason, and warps wait for atomics for less of the time; of "
	         "single launches whose waves are known",
	         "divide the work evenly: smaller parts, or blocks that take the next part from a counter"),
	 .remedy = "divide evenly", SAVES(saves_idle, "the time in which multiprocessors are idle")},
	[RULE_STARTS] = {NO_ROOF("starts", BOUND_LAUNCH, say_starts,
	         "no roof is near, there is more than a wave, at least " STRING(START_RATE) " blocks start per cycle of the "
	         "device, and the achieved occupancy is below half of what the launch allows",
	         "give each block more work: more elements for a thread, larger blocks"),
	 .remedy = "more work a block", SAVES(saves_absent_warps, "the warps that are missing")},
	[RULE_BARRIER] = {NO_ROOF("barrier", BOUND_BARRIER, say_barriers,
	         "all roofs are judged, at least " STRING(STALL_PCT) " % of the sampled warps wait at a barrier, and " STRING(MAIN_STALL)
	         " of those of the most frequent reason; from " STRING(STALL_LEAD_PCT) " % on also if a roof below "
	         STRING(LEAD_ROOF_PCT) " % is near",
	         "wait less at barriers: fewer of them, steps within a warp (__syncwarp, shuffles), smaller "
	         "blocks, or equal work for the warps of a block"),
	 .remedy = "fewer barriers", SAVES(saves_barriers, "the warps that wait")},
	[RULE_FETCH] = {NO_ROOF("fetch", BOUND_FETCH, say_fetch,
	         "as `barrier`, of warps that wait for instructions",
	         "make the code smaller, so that it fits the instruction cache: unroll and inline less"),
	 .remedy = "smaller code", SAVES(saves_fetch, "the warps that wait")},
	[RULE_ATOMICS] = {NO_ROOF("atomics", BOUND_ATOMICS, say_atomic_limit,
	         "all roofs are judged, none is near, latency is not hidden, and one of these: at least "
	         STRING(ATOMIC_SHARE) " sectors of atomics for each sector between L1 and L2 and "
	         STRING(LEAST_LOADS) " for each instruction, with " STRING(STALL_LEAD_PCT)
	         " % of the warps waiting for memory or stores, if they were sampled; " STRING(SHARED_ATOMIC_SHARE)
	         " of the wavefronts of shared memory, with " STRING(STALL_LEAD_PCT)
	         " % of the sampled warps waiting for it",
	         "combine the values of a warp or a block first (__reduce_add_sync, shared memory), "
	         "with one atomic for all"),
	 .remedy = "combine first", SAVES(saves_atomics, "31 of 32 warps that wait for memory, stores or shared memory")},
	[RULE_OCCUPANCY] = {NO_ROOF("occupancy", BOUND_OCCUPANCY, say_few_warps,
	         "the launch allows less than " STRING(OCCUPANCY_PCT) " % occupancy, there is a full wave of blocks, and one of "
	         "these: `latency` holds, and most stalls are of global or local memory (if they were sampled); most warps "
	         "wait for the latency of an instruction, as in `dependency`",
	         "")},
	[RULE_LATENCY] = {NO_ROOF("latency", BOUND_LATENCY, say_waits,
	         "no roof is near, DRAM, L2, L1, shared memory and compute are all judged, and at "
	         "least half of the stalled warps wait for memory, stores or special units; if they were not "
	         "sampled, fewer than " STRING(READY_WARPS) " warp per scheduler and cycle is ready",
	         "give each thread more independent loads in flight, if at least " STRING(LEAST_LOADS)
	         " of the instructions are global loads; run more warps, below " STRING(FULL_PCT)
	         " % achieved occupancy; else see what its warps wait for"),
	 .advise = advise_waiting, .remedy_of = remedy_of_waiting, 
	 SAVES(saves_loads, "the warps that wait for memory"),
	 .assumes = true},
	[RULE_SMALL_GRID] = {NO_ROOF("small_grid", BOUND_GRID, say_small_grid,
	         "none of the above, all roofs are judged, there is less than a wave, and the achieved occupancy is "
	         "below half of what the launch allows",
	         "divide the work into more blocks, or into more threads"),
	 .remedy = "more blocks", SAVES(saves_absent_warps, "the warps that are missing")},
	[RULE_DEPENDENCY] = {NO_ROOF("dependency", BOUND_LATENCY, say_waits,
	         "none of the above, and as `barrier`, of warps that wait for the latency of an instruction",
	         "give each thread more independent instructions: several results at a time, unrolled loops"),
	 .remedy = "independent instructions", SAVES(saves_latency, "the warps that wait")},
	[RULE_PIPE] = {NO_ROOF("pipe", BOUND_ISSUE, say_pipe,
	         "none of the above, and as `barrier`, of warps that wait for an arithmetic pipe",
	         "use fewer operations of that pipe, or move some to another: multiply-add in place of shifts and "
	         "additions"),
	 .remedy = "fewer operations", SAVES(saves_pipe, "the warps that wait")},
	[RULE_UNKNOWN] = {NO_ROOF("unknown", BOUND_UNKNOWN, say_unknown,
	         "none of the above",
	         "measure what is missing: `perflab sweep --metrics core`, or `perflab ceilings`; if "
	         "nothing is, see what its warps wait for: `perflab report --lines`, after `perflab sweep --lines all`"),
	 .advise = advise_unknown, .remedy_of = remedy_of_unknown},
};
/* clang-format on */
