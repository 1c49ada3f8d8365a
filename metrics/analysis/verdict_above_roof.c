/*
 * The finding above_roof: a trial that was faster than its device can be. It compares what the
 * counters saw, and what the work model says must be done, with the measured roofs.
 */
#include <math.h>
#include <string.h>

#include "metrics/analysis/counted.h"
#include "metrics/analysis/verdict_rules.h"

#define MODELLED 3 /* quantities of the work model */

/* Whether a rate is above a roof by more than the uncertainty of both and of the session in which
 * the roof was measured. */
static bool is_above(const struct evidence *e, const struct height *height,
		     const struct ceiling *roof)
{
	double least_per_s = height->amount / e->trial->summary.high_ns * 1e9;

	if (isfinite(least_per_s) && isfinite(roof->high_per_s))
		return least_per_s > (1 + ABOVE_PCT / 100.0) * roof->high_per_s;
	return height->per_s > (1 + VAGUE_PCT / 100.0) * roof->per_s;
}

/* ---- the work model ---- */

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
	out[0] = (struct height){BOUND_DRAM, "work model, DRAM", evidence_least_dram_bytes(e), NAN};
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

/* ---- the finding ---- */

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
	interval_text(out, height->amount / summary->high_ns * 1e9,
		      height->amount / summary->low_ns * 1e9, roof->kind);
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
	struct height heights[MEMORY_LEVEL_COUNT + 1];
	const struct ceiling *roofs[MEMORY_LEVEL_COUNT + 1];
	size_t count = evidence_heights(heights, e);

	for (size_t i = 0; i < count; i++)
		roofs[i] = evidence_roof(e, heights[i].bound);
	/* that of the counted operations, also where the work model stands in for the others */
	roofs[MEMORY_LEVEL_COUNT] = ceiling_of_precision(e->ceilings, e->point->precision);
	return add_above(out, e, heights, roofs, count,
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
