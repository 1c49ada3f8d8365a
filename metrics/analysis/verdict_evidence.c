/* The numbers that the rules of a verdict examine, taken from a trial's counters, their comparison
 * with the roofs, and the finding above_roof: a trial that was faster than its device can be. */
#include <math.h>
#include <string.h>

#include "metrics/analysis/ceilings.h"
#include "metrics/analysis/noise.h"
#include "metrics/analysis/roofline.h"
#include "metrics/analysis/statistics.h"
#include "metrics/analysis/verdict_rules.h"

#define SECTOR_BYTES 32
#define MODELLED 3 /* quantities of the work model */

static const struct {
	enum bound bound;
	const char *name;
} levels[MEMORY_LEVEL_COUNT] = {
	[LEVEL_DRAM] = {BOUND_DRAM, "DRAM"},
	[LEVEL_L2] = {BOUND_L2, "L2"},
	[LEVEL_L1] = {BOUND_L1, "L1"},
	[LEVEL_SHARED] = {BOUND_SHARED, "shared memory"},
};

bool bound_is_roof(enum bound bound)
{
	return bound >= BOUND_DRAM && bound <= BOUND_SPECIAL;
}

const struct ceiling *evidence_roof(const struct evidence *evidence, enum bound bound)
{
	const struct roofline_model *model = &evidence->point->model;

	if (bound == BOUND_COMPUTE && model->used)
		return model->has_precision
			       ? ceiling_of_precision(evidence->ceilings, model->precision)
			       : NULL;
	if (bound == BOUND_COMPUTE)
		return ceiling_of_precision(evidence->ceilings, evidence->point->precision);
	for (int i = 0; i < MEMORY_LEVEL_COUNT; i++)
		if (levels[i].bound == bound)
			return ceiling_of_level(evidence->ceilings, (enum memory_level)i);
	return NULL;
}

/*
 * The bytes of the work model that must cross the bus of the DRAM. NAN: not known. A cache spares
 * at most its own size. After a flush it holds nothing to read, and at the end it may hold what was
 * written. Without a flush it may also hold what is read, and each line that it holds may spare a
 * read and a write.
 */
static double least_dram_bytes(const struct evidence *e)
{
	double l2_bytes = e->device ? (double)e->device->l2_bytes : 0;
	double read = (double)e->trial->bytes_read, written = (double)e->trial->bytes_written;

	if (!e->trial->has_work)
		return NAN;
	if (l2_bytes > 0)
		return e->flushed ? read + fmax(0, written - l2_bytes)
				  : fmax(0, read + written - 2 * l2_bytes);
	return e->flushed ? read : NAN;
}

/* The cycles of the median time. The counted range is longer than the case, because it begins
 * before the kernel does, so its cycles give the clock only. NVML's clock is no substitute: it
 * stays at its highest while tensor cores slow the device. */
static double median_cycles(const struct evidence *e)
{
	return e->median_ns * finite_quotient(counted_value(e->trial, "sm_cycles"),
					      counted_value(e->trial, "gpu_time_ns"));
}

/* The cycles that shares of a multiprocessor are of. Cycles and time are counted in different
 * executions, and the clock that follows from them was 25 % too low in some cases, so the cycles in
 * which a multiprocessor had a warp are the least. */
static double base_cycles(const struct evidence *e)
{
	return fmax(median_cycles(e), counted_value(e->trial, "sm_active_cycles_most"));
}

/* Instructions issued, relative to one per scheduler and cycle. */
static double issue_slots_pct(const struct evidence *e)
{
	const struct device_info *device = e->device;

	if (!device || device->cc_major < 7 || device->sm_count <= 0)
		return NAN;
	return 100 * finite_quotient(counted_value(e->trial, "instructions"),
				     base_cycles(e) * (double)device->sm_count * SCHEDULERS);
}

/* A share of the cycles in which a multiprocessor had a warp, as one of the median time, which all
 * other shares are of. */
static double pipe_pct(const struct evidence *e, const char *metric)
{
	return finite_or_nan(
		counted_value(e->trial, metric) *
		finite_quotient(counted_value(e->trial, "sm_active_cycles_mean"), base_cycles(e)));
}

/* ---- the shape of the grid ---- */

static double waves_of(const struct evidence *e)
{
	const struct device_info *device = e->device;
	const double threads = counted_value(e->trial, "threads_per_block");
	const double block = FULL_WARP * ceil(threads / FULL_WARP);
	double resident;

	if (!device || device->max_threads_per_sm <= 0)
		return NAN;
	/* the occupancy is that of whole blocks; 0.01 is for its digits */
	resident = floor(e->allowed_pct / 100 * (double)device->max_threads_per_sm / block + 0.01);
	return finite_quotient(e->blocks, resident * (double)device->sm_count);
}

/* ---- stalls ---- */

static void stalls_collect(struct evidence *out)
{
	const int64_t *samples = out->trial->stall_samples;
	double all = 0;

	for (int i = 0; i < STALL_COUNT; i++)
		all += (double)samples[i];
	for (int i = 0; i < STALL_COUNT; i++)
		out->stall_pct[i] = all >= LEAST_STALLS ? 100 * (double)samples[i] / all : NAN;
	out->queue_pct = out->stall_pct[STALL_QUEUE];
	out->stall_pct[STALL_MEMORY] += out->queue_pct;
	out->stall_pct[STALL_QUEUE] = 0;
}

enum stall evidence_main_stall(const struct evidence *evidence)
{
	enum stall main = STALL_READY;

	for (int i = STALL_READY + 1; i < STALL_COUNT; i++)
		if (evidence->stall_pct[i] > (main == STALL_READY ? 0 : evidence->stall_pct[main]))
			main = (enum stall)i;
	return main;
}

const char *stall_words(enum stall stall)
{
	static const char *const words[STALL_COUNT] = {
		[STALL_READY] = "for another warp",
		[STALL_MEMORY] = "for global or local memory",
		[STALL_STORES] = "for stores to end",
		[STALL_QUEUE] = "for room in the queue of memory instructions",
		[STALL_SHARED] = "for shared memory or a special unit",
		[STALL_BARRIER] = "at a barrier",
		[STALL_FETCH] = "for instructions",
		[STALL_PIPE] = "for an arithmetic pipe",
		[STALL_OTHER] = "for the latency of an instruction, a branch or the dispatcher",
	};

	return words[stall];
}

double evidence_waiting_pct(const struct evidence *evidence)
{
	const double *pct = evidence->stall_pct;

	return 100 * finite_quotient(pct[STALL_MEMORY] + pct[STALL_STORES] + pct[STALL_SHARED],
				     100 - pct[STALL_READY]);
}

/* Compares with the DRAM ceiling of the nearest share of reads. Mixed reads and writes reach less
 * bandwidth than writes alone, because the bus has to change its direction. */
static void compare_with_mix(struct evidence *out)
{
	double read = counted_value(out->trial, "dram_read_bytes");
	double share = finite_quotient(read, read + counted_value(out->trial, "dram_write_bytes"));
	const struct ceiling *mix = ceiling_of_mix(out->ceilings, LEVEL_DRAM, share);

	if (!mix || mix == evidence_roof(out, BOUND_DRAM))
		return;
	out->mix = mix;
	out->mix_pct = 100 * finite_quotient(out->point->level[LEVEL_DRAM].bytes_per_s, mix->per_s);
}

/* Without counted bytes, the needed ones are a lower bound. */
static void compare_needed_bytes(struct evidence *out)
{
	const struct ceiling *roof = evidence_roof(out, BOUND_DRAM);

	if (!roof || !isnan(out->point->level[LEVEL_DRAM].bytes))
		return;
	out->needed_dram_pct = finite_or_nan(
		100 * finite_quotient(least_dram_bytes(out) / out->median_ns * 1e9, roof->per_s));
}

static void evidence_from_counters(struct evidence *out)
{
	const struct trial *trial = out->trial;

	out->launches = counted_value(trial, "launches");
	out->blocks = counted_value(trial, "blocks");
	/* if the number is not known, there is at least one launch */
	out->per_launch_ns = out->launches > 0 ? out->median_ns / out->launches : out->median_ns;
	out->achieved_pct = counted_value(trial, "achieved_occupancy_pct");
	out->eligible = counted_value(trial, "eligible_warps_per_cycle");
	out->threads = counted_value(trial, "threads_per_instruction");
	out->threads_on = counted_value(trial, "threads_per_instruction_pred_on");
	out->branch_pct = counted_value(trial, "branch_efficiency_pct");
	out->load_sectors = counted_value(trial, "global_load_sectors_per_request");
	out->store_sectors = counted_value(trial, "global_store_sectors_per_request");
	out->loaded = counted_value(trial, "global_load_sectors");
	out->load_requests = counted_value(trial, "global_load_requests");
	out->stored = counted_value(trial, "global_store_sectors");
	out->load_waste = finite_quotient(SECTOR_BYTES * out->loaded,
					  trial->has_work ? (double)trial->bytes_read : NAN);
	out->store_waste = finite_quotient(SECTOR_BYTES * out->stored,
					   trial->has_work ? (double)trial->bytes_written : NAN);
	out->local_share =
		finite_quotient(counted_value(trial, "local_instructions"),
				counted_value(trial, "local_instructions") + out->load_requests +
					counted_value(trial, "global_store_requests"));
	out->instructions = counted_value(trial, "instructions");
	out->wavefronts = finite_or_nan(counted_value(trial, "shared_load_wavefronts") +
					counted_value(trial, "shared_store_wavefronts"));
	out->conflicts = finite_or_nan(counted_value(trial, "shared_load_bank_conflicts") +
				       counted_value(trial, "shared_store_bank_conflicts"));
	out->issue_pct = issue_slots_pct(out);
	out->tensor_pct = pipe_pct(out, "tensor_pipe_pct");
	out->special_pct = pipe_pct(out, "special_pipe_pct");
	out->busy = finite_quotient(counted_value(trial, "sm_active_cycles_mean"),
				    counted_value(trial, "sm_active_cycles_most"));
	out->start_rate = finite_quotient(out->blocks, base_cycles(out));
	out->l2_atomics = finite_quotient(counted_value(trial, "l2_atomic_sectors") +
						  counted_value(trial, "l2_reduction_sectors"),
					  counted_value(trial, "l2_from_l1_sectors"));
	out->atomic_rate = finite_quotient(counted_value(trial, "l2_atomic_sectors") +
						   counted_value(trial, "l2_reduction_sectors"),
					   out->instructions);
	out->shared_atomics =
		finite_quotient(counted_value(trial, "shared_atomic_wavefronts"),
				out->wavefronts + counted_value(trial, "shared_atomic_wavefronts"));
	out->flop_uncounted = out->point->model.used;
	out->compute_pct = out->flop_uncounted ? out->point->model.compute_roof_pct
					       : out->point->compute_roof_pct;
	out->lanes_pct = finite_or_nan(out->compute_pct * finite_quotient(FULL_WARP, out->threads));
	compare_with_mix(out);
	compare_needed_bytes(out);
}

/* Lanes with a false guard do not take part, so `threads` covers divergence and predication. */
static void evidence_from_emulated_counts(struct evidence *out)
{
	const struct trial *trial = out->trial;

	out->threads = counted_value(trial, "ptx_warp_execution_efficiency_pct") * FULL_WARP / 100;
	out->branch_pct = counted_value(trial, "ptx_branch_efficiency_pct");
	out->load_sectors = counted_value(trial, "ptx_load_sectors_per_request");
	out->store_sectors = counted_value(trial, "ptx_store_sectors_per_request");
	/* exact, because the emulator counts the bytes that lanes request */
	out->loaded = counted_value(trial, "ptx_global_load_sectors");
	out->load_requests = counted_value(trial, "ptx_global_load_requests");
	out->stored = counted_value(trial, "ptx_global_store_sectors");
	out->load_waste = finite_quotient(SECTOR_BYTES * out->loaded,
					  counted_value(trial, "ptx_global_load_bytes"));
	out->store_waste = finite_quotient(SECTOR_BYTES * out->stored,
					   counted_value(trial, "ptx_global_store_bytes"));
	out->instructions = counted_value(trial, "ptx_warp_instructions");
	out->wavefronts = counted_value(trial, "ptx_shared_load_wavefronts") +
			  counted_value(trial, "ptx_shared_store_wavefronts");
	out->conflicts = counted_value(trial, "ptx_shared_bank_conflicts");
	out->atomics = counted_value(trial, "ptx_global_atomic_requests") +
		       counted_value(trial, "ptx_global_reduction_requests") +
		       counted_value(trial, "ptx_shared_atomic_requests");
	out->atomic_steps = counted_value(trial, "ptx_atomic_serialised");
}

void evidence_collect(struct evidence *out, const struct trial *trial,
		      const struct roofline_point *point, const struct verdict_context *context)
{
	*out = (struct evidence){
		.trial = trial,
		.point = point,
		.ceilings = context->ceilings,
		.device = context->device,
		.flushed = context->flushed,
		.rules = context->rules,
		.median_ns = trial->summary.median_ns > 0 ? trial->summary.median_ns : NAN,
		.launches = NAN,
		.blocks = NAN,
		.per_launch_ns = NAN,
		.achieved_pct = NAN,
		.allowed_pct = trial->facts.theoretical_occupancy_pct,
		.eligible = NAN,
		.local_share = NAN,
		.threads_on = NAN,
		.issue_pct = NAN,
		.tensor_pct = NAN,
		.special_pct = NAN,
		.busy = NAN,
		.waves = NAN,
		.start_rate = NAN,
		.l2_atomics = NAN,
		.atomic_rate = NAN,
		.shared_atomics = NAN,
		.lanes_pct = NAN,
		.mix_pct = NAN,
		.atomics = NAN,
		.atomic_steps = NAN,
		.compute_pct = NAN,
		.needed_dram_pct = NAN,
		.roof_pct = NAN,
	};
	if (point->emulated)
		evidence_from_emulated_counts(out);
	else
		evidence_from_counters(out);
	if (!isfinite(out->allowed_pct))
		out->allowed_pct =
			counted_value(trial, point->emulated ? "ptx_theoretical_occupancy_pct"
							     : "theoretical_occupancy_pct");
	out->waves = waves_of(out);
	out->clocks = round_clocks_of(trial->rounds, trial->round_count);
	out->clock_pct =
		100 * finite_quotient(out->clocks.sm_hz,
				      out->device ? (double)out->device->sm_clock_max_hz : NAN);
	stalls_collect(out);
}

bool evidence_queue_is_unexplained(const struct evidence *e)
{
	return e->stall_pct[STALL_SHARED] >= UNEXPLAINED_PCT &&
	       e->point->level[LEVEL_SHARED].roof_pct < NEAR_PCT / 2 &&
	       e->special_pct < NEAR_PCT / 2 && !(e->shared_atomics >= SHARED_ATOMIC_SHARE);
}

bool evidence_at_roof(const struct evidence *evidence)
{
	if (evidence->bound == BOUND_DRAM && evidence->mix_pct >= AT_PCT)
		return true;
	return bound_is_roof(evidence->bound) && evidence->roof_pct >= AT_PCT;
}

bool evidence_latency_is_hidden(const struct evidence *evidence)
{
	const double waiting = evidence_waiting_pct(evidence);

	const bool hidden = isfinite(waiting) ? waiting < 50 : evidence->eligible >= READY_WARPS;

	return hidden && evidence_unjudged(NULL, evidence) == 0;
}

double evidence_one_launch_ns(const struct evidence *evidence)
{
	const double measured = evidence->clocks.launch_ns;

	return isfinite(measured) ? measured : EMPTY_KERNEL_NS;
}

double evidence_launch_floor_ns(const struct evidence *evidence, double launches)
{
	const double events = isfinite(evidence->clocks.event_ns) ? 0 : EVENT_NS_OF_H200;

	if (evidence->device && evidence->device->sm_count == 0)
		return 0;
	return events + fmax(launches, 1) * evidence_one_launch_ns(evidence);
}

bool evidence_is_launching(const struct evidence *evidence)
{
	return evidence->per_launch_ns < LAUNCH_TIMES * evidence_launch_floor_ns(evidence, 1);
}

bool evidence_is_throttled(const struct evidence *evidence)
{
	const struct round_clocks *clocks = &evidence->clocks;

	return clocks->throttled > 0 && 2 * clocks->throttled >= clocks->count;
}

bool evidence_is_of_library(const struct evidence *evidence)
{
	return trial_is_of_library(evidence->trial);
}

bool evidence_compute_is_modelled(const struct evidence *evidence)
{
	return evidence->flop_uncounted && isfinite(evidence->compute_pct);
}

/* ---- comparison with the roofs ---- */

/* A quantity of the trial that can be compared with a roof. */
struct height {
	enum bound bound;
	const char *name;
	double amount, per_s; /* NAN: not known */
};
#define HEIGHT_COUNT (MEMORY_LEVEL_COUNT + 1)

/* The counted quantities: one per memory level, then compute. */
static void find_heights(struct height out[HEIGHT_COUNT], const struct evidence *e)
{
	for (size_t i = 0; i < MEMORY_LEVEL_COUNT; i++)
		out[i] = (struct height){levels[i].bound, levels[i].name, e->point->level[i].bytes,
					 e->point->level[i].bytes_per_s};
	out[MEMORY_LEVEL_COUNT] =
		(struct height){BOUND_COMPUTE, "compute", e->point->flop, e->point->flop_per_s};
}

/* Adds the quantities that are counted but have no roof, or those that are not counted. */
static size_t add_unjudged(struct text *out, const struct evidence *evidence, bool counted)
{
	struct height heights[HEIGHT_COUNT];
	size_t unjudged = 0;

	find_heights(heights, evidence);
	/* what was counted is not what the kernel did */
	if (evidence->flop_uncounted)
		heights[MEMORY_LEVEL_COUNT].amount = heights[MEMORY_LEVEL_COUNT].per_s = NAN;
	for (size_t i = 0; i < HEIGHT_COUNT; i++) {
		/* an amount of 0 needs no roof */
		if (heights[i].amount == 0 || (heights[i].per_s > 0) != counted ||
		    (heights[i].bound == BOUND_COMPUTE && evidence_compute_is_modelled(evidence)) ||
		    (counted && evidence_roof(evidence, heights[i].bound)))
			continue;
		if (out)
			text_addf(out, "%s%s", unjudged ? ", " : "", heights[i].name);
		unjudged++;
	}
	return unjudged;
}

size_t evidence_unjudged(struct text *out, const struct evidence *evidence)
{
	size_t uncounted = add_unjudged(out, evidence, false), roofless;

	if (out && uncounted)
		text_add(out, " (not counted)");
	if (out && uncounted && add_unjudged(NULL, evidence, true))
		text_add(out, "; ");
	roofless = add_unjudged(out, evidence, true);
	if (out && roofless)
		text_add(out, " (no measured roof)");
	return uncounted + roofless;
}

/* ---- above a roof: what the counters saw, and what the work model says must be done ---- */

/* Whether a rate is above a roof by more than the uncertainty of both and of the session in which
 * the roof was measured. */
static bool is_above(const struct evidence *e, const struct height *height,
		     const struct ceiling *roof)
{
	double least_per_s = height->amount / e->trial->summary.session_high_ns * 1e9;

	if (isfinite(least_per_s) && isfinite(roof->high_per_s))
		return least_per_s > (1 + ABOVE_PCT / 100.0) * roof->high_per_s;
	return height->per_s > (1 + VAGUE_PCT / 100.0) * roof->per_s;
}

/* The precision with the highest rate of the device. A work model that does not say its precision
 * is compared with this one. */
static const struct ceiling *highest_rate(const struct evidence *e)
{
	const struct device_info *device = e->device;
	const struct ceiling *highest = NULL;
	enum precision fastest = PRECISION_F16;

	if (!device || device->cc_major <= 0)
		return NULL;
	if (device->cc_major > 8 || (device->cc_major == 8 && device->cc_minor >= 9))
		fastest = PRECISION_TENSOR_F8;
	else if (device->cc_major >= 7)
		fastest = PRECISION_TENSOR_F16;
	if (!ceiling_of_precision(e->ceilings, fastest))
		return NULL;
	for (int i = 0; i < PRECISION_COUNT; i++) {
		const struct ceiling *roof = ceiling_of_precision(e->ceilings, (enum precision)i);

		if (roof && (!highest || roof->per_s > highest->per_s))
			highest = roof;
	}
	return highest;
}

/* Fills the quantities of the work model and their roofs; NULL: not judged. */
static void model_heights(struct height out[MODELLED], const struct ceiling *roofs[MODELLED],
			  const struct evidence *e)
{
	const struct trial *trial = e->trial;

	/* Reads and writes pass between L1 and L2 in opposite directions, perhaps at the same time.
	 */
	out[0] = (struct height){BOUND_DRAM, "work model, DRAM", least_dram_bytes(e), NAN};
	out[1] =
		(struct height){BOUND_L2, "work model, L2",
				fmax((double)trial->bytes_read, (double)trial->bytes_written), NAN};
	out[2] = (struct height){BOUND_COMPUTE, "work model, compute", (double)trial->flop, NAN};
	roofs[0] = evidence_roof(e, BOUND_DRAM);
	roofs[1] = evidence_roof(e, BOUND_L2);
	roofs[2] = e->point->model.used && e->point->model.has_precision
			   ? evidence_roof(e, BOUND_COMPUTE)
			   : highest_rate(e);
	for (size_t i = 0; i < MODELLED; i++)
		out[i].per_s = finite_quotient(out[i].amount, e->median_ns / 1e9);
}

static void interval_text(struct text *out, double low, double high, enum ceiling_kind kind)
{
	if (!isfinite(low) || !isfinite(high)) {
		text_add(out, " (no interval)");
		return;
	}
	text_add(out, " (95 %: ");
	rate_text(out, low, kind);
	text_add(out, " to ");
	rate_text(out, high, kind);
	text_add_char(out, ')');
}

static void say_height(struct text *out, const struct evidence *e, const struct height *height,
		       const struct ceiling *roof)
{
	const struct summary *summary = &e->trial->summary;

	text_addf(out, "%s: ", height->name);
	rate_text(out, height->per_s, roof->kind);
	interval_text(out, height->amount / summary->session_high_ns * 1e9,
		      height->amount / summary->session_low_ns * 1e9, roof->kind);
	text_add(out, " is above the measured ");
	rate_text(out, roof->per_s, roof->kind);
	interval_text(out, roof->low_per_s, roof->high_per_s, roof->kind);
	text_addf(out, " of %s", roof->name);
}

/* Adds the quantities that are above their roofs, and then what that means. */
static bool add_above(struct text *out, const struct evidence *e, const struct height *heights,
		      const struct ceiling *const *roofs, size_t count, const char *meaning)
{
	bool any = false;

	for (size_t i = 0; i < count; i++) {
		if (!roofs[i] || !(heights[i].per_s > 0) || !is_above(e, &heights[i], roofs[i]))
			continue;
		if (out) {
			text_add(out, out->length ? "; " : "");
			say_height(out, e, &heights[i], roofs[i]);
		}
		any = true;
	}
	if (any && out)
		text_addf(out, ": %s", meaning);
	return any;
}

static bool counted_is_above(struct text *out, const struct evidence *e)
{
	struct height heights[HEIGHT_COUNT];
	const struct ceiling *roofs[HEIGHT_COUNT];

	find_heights(heights, e);
	for (size_t i = 0; i < HEIGHT_COUNT; i++)
		roofs[i] = evidence_roof(e, heights[i].bound);
	/* that of the counted operations, also where the work model stands in for the others */
	roofs[MEMORY_LEVEL_COUNT] = ceiling_of_precision(e->ceilings, e->point->precision);
	return add_above(out, e, heights, roofs, HEIGHT_COUNT,
			 "the ceiling or the counter is wrong, or the timed executions did less "
			 "than the counted ones");
}

static bool modelled_is_above(struct text *out, const struct evidence *e)
{
	struct height heights[MODELLED];
	const struct ceiling *roofs[MODELLED];

	/* the work models of ceilings have the bytes of their own level */
	if (!e->trial->has_work || e->point->emulated ||
	    strcmp(e->trial->kernel, CEILINGS_KERNEL) == 0)
		return false;
	model_heights(heights, roofs, e);
	return add_above(out, e, heights, roofs, MODELLED,
			 "the work model counts too much, the kernel left out work while it was "
			 "timed, or the ceiling is wrong");
}

bool evidence_above_roof(struct text *out, const struct evidence *evidence)
{
	bool counted = counted_is_above(out, evidence);

	return modelled_is_above(out, evidence) || counted;
}
