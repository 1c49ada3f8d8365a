/* Where a trial stands: bytes, operations and their ratios, held against the roofs. */
#include "metrics/analysis/roofline.h"
#include "metrics/analysis/ceilings.h"
#include "metrics/metrics.h"

#include <math.h>

#define SECTOR_BYTES 32
#define WAVEFRONT_BYTES 128

/* ---- what was counted ---- */

/* NAN: missing. */
static double counted(const struct trial *trial, const char *metric)
{
	const struct counter_value *counter = counter_list_find(&trial->counters, metric);

	return counter && counter->has_value && isfinite(counter->value) ? counter->value : NAN;
}

/* What is too large for a double is as good as not measured. */
static double finite_or_nan(double value)
{
	return isfinite(value) ? value : NAN;
}

static double ratio(double numerator, double denominator)
{
	return denominator > 0 ? finite_or_nan(numerator / denominator) : NAN;
}

static bool is_emulated(const struct trial *trial)
{
	return counter_list_find(&trial->counters, "ptx_blocks_total") != NULL;
}

/* The precision with the most operations. Where the only ones known are 0 and others are unknown,
 * so is the sum. */
static void take_flop(struct roofline_point *out, const struct trial *trial,
		      const char *const metrics[PRECISION_COUNT])
{
	bool all_known = true;

	for (int i = 0; i < PRECISION_COUNT; i++) {
		double flop = metrics[i] ? counted(trial, metrics[i]) : NAN;

		all_known &= !metrics[i] || !isnan(flop);
		if (flop > 0 && !(flop <= out->flop)) {
			out->flop = flop;
			out->precision = (enum precision)i;
		}
	}
	if (isnan(out->flop) && all_known)
		out->flop = 0;
}

static void take_measured(struct roofline_point *out, const struct trial *trial)
{
	static const char *const bytes[] = {
#define X(symbol, name, metric, meaning) [symbol] = metric,
		MEMORY_LEVEL_LIST(X)
#undef X
	};
	static const char *const flop[] = {
#define X(symbol, name, metric, meaning) [symbol] = metric,
		PRECISION_LIST(X)
#undef X
	};
	double seconds = trial->summary.median_ns > 0 ? trial->summary.median_ns / 1e9 : NAN;

	for (int i = 0; i < MEMORY_LEVEL_COUNT; i++) {
		out->level[i].bytes = counted(trial, bytes[i]);
		out->level[i].bytes_per_s = ratio(out->level[i].bytes, seconds);
	}
	take_flop(out, trial, flop);
	out->flop_per_s = ratio(out->flop, seconds);
}

static void take_emulated(struct roofline_point *out, const struct trial *trial)
{
	static const char *const flop[PRECISION_COUNT] = {
		[PRECISION_F64] = "ptx_f64_flop",
		[PRECISION_F32] = "ptx_f32_flop",
		[PRECISION_F16] = "ptx_f16_flop",
	};

	out->emulated = true;
	out->level[LEVEL_DRAM].bytes = counted(trial, "ptx_compulsory_bytes");
	out->level[LEVEL_L1].bytes =
		finite_or_nan(SECTOR_BYTES * (counted(trial, "ptx_global_load_sectors") +
					      counted(trial, "ptx_global_store_sectors") +
					      counted(trial, "ptx_global_atomic_sectors") +
					      counted(trial, "ptx_global_reduction_sectors")));
	out->level[LEVEL_SHARED].bytes =
		finite_or_nan(WAVEFRONT_BYTES * (counted(trial, "ptx_shared_load_wavefronts") +
						 counted(trial, "ptx_shared_store_wavefronts")));
	take_flop(out, trial, flop);
}

/* ---- against the work model and the roofs ---- */

static void compare_with_model(struct roofline_point *out, const struct trial *trial)
{
	double bytes = (double)trial->bytes_read + (double)trial->bytes_written;

	if (!trial->has_work)
		return;
	out->needed_flop = (double)trial->flop;
	if (bytes > 0)
		out->needed_bytes = bytes;
	out->needed_intensity = ratio(out->needed_flop, out->needed_bytes);
	/* what an emulator counts there is compulsory, too */
	if (!out->emulated)
		out->waste = ratio(out->level[LEVEL_DRAM].bytes, out->needed_bytes);
}

static void compare_with_roofs(struct roofline_point *out, const struct ceiling_list *ceilings)
{
	const struct ceiling *compute = ceiling_of_precision(ceilings, out->precision);

	for (int i = 0; i < MEMORY_LEVEL_COUNT; i++) {
		struct roofline_level *level = &out->level[i];
		const struct ceiling *roof = ceiling_of_level(ceilings, (enum memory_level)i);

		if (!roof)
			continue;
		level->roof_pct = finite_or_nan(100 * ratio(level->bytes_per_s, roof->per_s));
		if (level->intensity > 0)
			/* fmin() passes over what is NAN */
			out->attainable_flop_per_s =
				fmin(out->attainable_flop_per_s, level->intensity * roof->per_s);
	}
	if (!compute)
		return;
	out->compute_roof_pct = finite_or_nan(100 * ratio(out->flop_per_s, compute->per_s));
	if (out->flop > 0)
		out->attainable_flop_per_s = fmin(out->attainable_flop_per_s, compute->per_s);
}

void roofline_point_of(struct roofline_point *out, const struct trial *trial,
		       const struct ceiling_list *ceilings)
{
	*out = (struct roofline_point){
		.flop = NAN,
		.flop_per_s = NAN,
		.precision = PRECISION_F32,
		.needed_bytes = NAN,
		.needed_flop = NAN,
		.needed_intensity = NAN,
		.waste = NAN,
		.compute_roof_pct = NAN,
		.attainable_flop_per_s = NAN,
	};
	for (int i = 0; i < MEMORY_LEVEL_COUNT; i++)
		out->level[i] = (struct roofline_level){NAN, NAN, NAN, NAN};
	if (trial->status != TRIAL_OK && trial->status != TRIAL_SAMPLED)
		return;
	if (is_emulated(trial))
		take_emulated(out, trial);
	else
		take_measured(out, trial);
	for (int i = 0; i < MEMORY_LEVEL_COUNT; i++)
		out->level[i].intensity = ratio(out->flop, out->level[i].bytes);
	compare_with_model(out, trial);
	if (ceilings && !out->emulated)
		compare_with_roofs(out, ceilings);
}
