/* Roofline points: bytes, operations and their ratios, compared with the roofs. */
#include "metrics/analysis/roofline.h"
#include "metrics/analysis/ceilings.h"
#include "metrics/analysis/statistics.h"
#include "metrics/metrics.h"

#include <math.h>

#define SECTOR_BYTES 32
#define WAVEFRONT_BYTES 128
#define LEAST_COUNTED 0.5 /* of the operations of the work model */

/* ---- counters ---- */

/* The metrics that count the operations of each precision; NULL: there is none. */
static const char *const counted_flop[PRECISION_COUNT] = {
#define X(symbol, name, metric, meaning) [symbol] = metric,
	PRECISION_LIST(X)
#undef X
};

/* Takes the precision with the most operations. If no count is above 0 and some counts outside
 * tensor cores are missing, the number of operations is unknown. The work model tells whether
 * operations of tensor cores are missing. */
static void set_flop(struct roofline_point *out, const struct trial *trial,
		     const char *const metrics[PRECISION_COUNT])
{
	bool all_known = true;

	for (int i = 0; i < PRECISION_COUNT; i++) {
		double flop = metrics[i] ? counted_value(trial, metrics[i]) : NAN;

		all_known &= !metrics[i] || !isnan(flop) || i >= PRECISION_TENSOR_F64;
		if (flop > 0 && !(flop <= out->flop)) {
			out->flop = flop;
			out->precision = (enum precision)i;
		}
	}
	if (isnan(out->flop) && all_known)
		out->flop = 0;
}

static void set_from_counters(struct roofline_point *out, const struct trial *trial)
{
	static const char *const bytes[] = {
#define X(symbol, name, metric, meaning) [symbol] = metric,
		MEMORY_LEVEL_LIST(X)
#undef X
	};
	double seconds = trial->summary.median_ns > 0 ? trial->summary.median_ns / 1e9 : NAN;

	for (int i = 0; i < MEMORY_LEVEL_COUNT; i++) {
		out->level[i].bytes = counted_value(trial, bytes[i]);
		out->level[i].bytes_per_s = finite_quotient(out->level[i].bytes, seconds);
	}
	set_flop(out, trial, counted_flop);
	out->flop_per_s = finite_quotient(out->flop, seconds);
}

static void set_from_emulated_counts(struct roofline_point *out, const struct trial *trial)
{
	static const char *const flop[PRECISION_COUNT] = {
		[PRECISION_F64] = "ptx_f64_flop",
		[PRECISION_F32] = "ptx_f32_flop",
		[PRECISION_F16] = "ptx_f16_flop",
		[PRECISION_TENSOR_F64] = "ptx_tensor_f64_flop",
		[PRECISION_TENSOR_TF32] = "ptx_tensor_tf32_flop",
		[PRECISION_TENSOR_F16] = "ptx_tensor_f16_flop",
		[PRECISION_TENSOR_BF16] = "ptx_tensor_bf16_flop",
		[PRECISION_TENSOR_F8] = "ptx_tensor_f8_flop",
	};

	out->level[LEVEL_DRAM].bytes = counted_value(trial, "ptx_compulsory_bytes");
	out->level[LEVEL_L1].bytes = finite_or_nan(
		SECTOR_BYTES * (counted_value(trial, "ptx_global_load_sectors") +
				counted_value(trial, "ptx_global_store_sectors") +
				counted_value(trial, "ptx_global_atomic_sectors") +
				counted_value(trial, "ptx_global_reduction_sectors")));
	out->level[LEVEL_SHARED].bytes = finite_or_nan(
		WAVEFRONT_BYTES * (counted_value(trial, "ptx_shared_load_wavefronts") +
				   counted_value(trial, "ptx_shared_store_wavefronts")));
	/* What bulk copies access is in no count of requests. */
	if (counted_value(trial, "ptx_bulk_copies") > 0)
		out->level[LEVEL_L1].bytes = out->level[LEVEL_SHARED].bytes = NAN;
	set_flop(out, trial, flop);
}

/* ---- comparison with the work model and the roofs ---- */

static void compare_with_model(struct roofline_point *out, const struct trial *trial)
{
	double bytes = (double)trial->bytes_read + (double)trial->bytes_written;

	if (!trial->has_work)
		return;
	out->needed_flop = (double)trial->flop;
	if (bytes > 0)
		out->needed_bytes = bytes;
	out->needed_intensity = finite_quotient(out->needed_flop, out->needed_bytes);
	/* the emulator's DRAM bytes are compulsory bytes themselves */
	if (!out->emulated)
		out->waste = finite_quotient(out->level[LEVEL_DRAM].bytes, out->needed_bytes);
}

/* Uses the work model if the counters show less than half of its operations. A kernel that is
 * counted does what its work model says, or more. */
static void set_model(struct roofline_point *out, const struct trial *trial)
{
	static const char *const model_flop[] = {
#define X(symbol, name, metric, meaning) [symbol] = MODEL_FLOP_PREFIX name,
		PRECISION_LIST(X)
#undef X
	};
	struct roofline_model *model = &out->model;
	double seconds = trial->summary.median_ns > 0 ? trial->summary.median_ns / 1e9 : NAN;
	double counted = 0;

	for (int i = 0; i < PRECISION_COUNT; i++) {
		double flop = counted_flop[i] ? counted_value(trial, counted_flop[i]) : NAN;

		if (flop > 0)
			counted += flop;
	}
	if (out->emulated || !(out->needed_flop > 0) || counted >= LEAST_COUNTED * out->needed_flop)
		return;
	model->used = true;
	for (int i = 0; i < PRECISION_COUNT; i++) {
		if (counted_value(trial, model_flop[i]) > 0) {
			model->has_precision = true;
			model->precision = (enum precision)i;
		}
	}
	model->flop = out->needed_flop;
	model->flop_per_s = finite_quotient(model->flop, seconds);
	for (int i = 0; i < MEMORY_LEVEL_COUNT; i++)
		model->intensity[i] = finite_quotient(model->flop, out->level[i].bytes);
	if (isnan(out->level[LEVEL_DRAM].bytes)) {
		model->needed_bytes_used = true;
		model->intensity[LEVEL_DRAM] = out->needed_intensity;
	}
}

static double pct_of(double rate, const struct ceiling *roof)
{
	return finite_or_nan(100 * finite_quotient(rate, roof->per_s));
}

static void compare_with_roofs(struct roofline_point *out, const struct ceiling_list *ceilings)
{
	struct roofline_model *model = &out->model;
	const struct ceiling *counted = ceiling_of_precision(ceilings, out->precision);
	const struct ceiling *modelled =
		model->has_precision ? ceiling_of_precision(ceilings, model->precision) : NULL;

	/* fmin() ignores NAN */
	for (int i = 0; i < MEMORY_LEVEL_COUNT; i++) {
		struct roofline_level *level = &out->level[i];
		const struct ceiling *roof = ceiling_of_level(ceilings, (enum memory_level)i);

		if (!roof)
			continue;
		level->roof_pct = pct_of(level->bytes_per_s, roof);
		if (level->intensity > 0)
			out->attainable_flop_per_s =
				fmin(out->attainable_flop_per_s, level->intensity * roof->per_s);
		if (model->intensity[i] > 0)
			model->attainable_flop_per_s = fmin(model->attainable_flop_per_s,
							    model->intensity[i] * roof->per_s);
	}
	if (counted)
		out->compute_roof_pct = pct_of(out->flop_per_s, counted);
	if (counted && out->flop > 0)
		out->attainable_flop_per_s = fmin(out->attainable_flop_per_s, counted->per_s);
	if (!modelled)
		return;
	model->compute_roof_pct = pct_of(model->flop_per_s, modelled);
	model->attainable_flop_per_s = fmin(model->attainable_flop_per_s, modelled->per_s);
}

void roofline_point_of(struct roofline_point *out, const struct trial *trial, bool emulated,
		       const struct ceiling_list *ceilings)
{
	*out = (struct roofline_point){
		.emulated = emulated,
		.flop = NAN,
		.flop_per_s = NAN,
		.precision = PRECISION_F32,
		.needed_bytes = NAN,
		.needed_flop = NAN,
		.needed_intensity = NAN,
		.waste = NAN,
		.compute_roof_pct = NAN,
		.attainable_flop_per_s = NAN,
		.model = {.precision = PRECISION_F32,
			  .flop = NAN,
			  .flop_per_s = NAN,
			  .compute_roof_pct = NAN,
			  .attainable_flop_per_s = NAN},
	};
	for (int i = 0; i < MEMORY_LEVEL_COUNT; i++) {
		out->level[i] = (struct roofline_level){NAN, NAN, NAN, NAN};
		out->model.intensity[i] = NAN;
	}
	if (!trial_status_counted(trial->status))
		return;
	if (emulated)
		set_from_emulated_counts(out, trial);
	else
		set_from_counters(out, trial);
	for (int i = 0; i < MEMORY_LEVEL_COUNT; i++)
		out->level[i].intensity = finite_quotient(out->flop, out->level[i].bytes);
	compare_with_model(out, trial);
	set_model(out, trial);
	if (ceilings && !emulated)
		compare_with_roofs(out, ceilings);
}

/* ---- places in a plot ---- */

struct roofline_place roofline_place_of(const struct roofline_point *point)
{
	const struct roofline_model *model = &point->model;
	struct roofline_place place = {.modelled = model->used,
				       .has_precision = true,
				       .precision = point->precision,
				       .flop = point->flop,
				       .flop_per_s = point->flop_per_s};

	for (int i = 0; i < MEMORY_LEVEL_COUNT; i++)
		place.intensity[i] = model->used ? model->intensity[i] : point->level[i].intensity;
	if (model->used) {
		place.has_precision = model->has_precision;
		place.precision = model->precision;
		place.flop = model->flop;
		place.flop_per_s = model->flop_per_s;
	}
	return place;
}

static bool is_positive(double value)
{
	return isnormal(value) && value > 0;
}

const char *roofline_no_place(const struct roofline_point *point, const struct trial *trial)
{
	const struct roofline_place place = roofline_place_of(point);

	if (!trial_status_counted(trial->status))
		return "it was not measured";
	if (is_positive(place.intensity[LEVEL_DRAM]) && is_positive(place.flop_per_s))
		return NULL;
	if (isnan(place.flop))
		return trial->has_work
			       ? "its operations were not counted, and the work model has "
				 "none"
			       : "its operations were not counted, and it has no work model";
	if (place.flop == 0)
		return counted_value(trial, "op_tensor_i8") > 0
			       ? "its operations are on 8-bit integers, which have no roof here"
			       : "it has no floating-point operations; the shares of the memory "
				 "roofs say how near it is";
	if (isnan(point->level[LEVEL_DRAM].bytes) && !place.modelled)
		return "its DRAM bytes were not counted";
	if (!is_positive(place.intensity[LEVEL_DRAM]))
		return "it moved no DRAM bytes";
	return "it has no time";
}
