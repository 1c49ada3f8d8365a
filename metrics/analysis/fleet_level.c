/* The levels of the GPUs of one model in one quantity; see the header. */
#include "metrics/analysis/fleet_level.h"
#include "metrics/analysis/change_points.h"
#include "metrics/analysis/compare.h"
#include "metrics/analysis/statistics.h"

#include <math.h>
#include <stdlib.h>

/* Alternating between the levels of cases and of GPUs; more steps change nothing that is seen. */
#define POLISH_STEPS 5
/* A standard deviation is this times the median absolute deviation of normal values. */
#define MAD_TO_DEVIATION 1.4826
/* The median absolute deviation of n values tells as much as the standard deviation of 0.37 n. */
#define MAD_EFFICIENCY 0.37
/* The variance of the mean of the middle half of many normal values, relative to that of all. */
#define MIDDLE_VARIANCE 1.19
/* The median absolute deviation of fewer runs may be 0 by chance. */
#define ROBUST_RUNS_LEAST 6
/* 80 and 90 % of normal values are within so many standard deviations. */
#define NORMAL_80 1.2815515655446004
#define NORMAL_90 1.6448536269514722
/* What a fifth of slow runs may add to the noise of a GPU, so that a GPU that changed is found. */
#define SLOW_NOISE_MOST 5
#define NO_RUN UINT32_MAX

/* Reorders the values. */
static double median_in_place(double *values, size_t count)
{
	double high, low;

	if (!count)
		return NAN;
	high = number_of_rank(values, count, count / 2);
	if (count % 2)
		return high;
	low = number_of_rank(values, count, count / 2 - 1);
	return low / 2 + high / 2;
}

/* The mean of the middle half, which a quarter of wild values does not move much. Of three values
 * it is the median, of two their mean. Sorts them. */
static double middle_mean(double *values, size_t count)
{
	const size_t cut = (count + 1) / 4;
	double sum = 0;

	sort_numbers(values, count);
	for (size_t i = cut; i < count - cut; i++)
		sum += values[i];
	return sum / (double)(count - 2 * cut); /* without values NAN */
}

/* What corrects the median absolute deviation of few values (Croux and Rousseeuw, "Time-efficient
 * algorithms for two highly robust estimators of scale", Computational Statistics 1, 1992). */
static double mad_correction(size_t count)
{
	static const double few[] = {1, 1, 1.196, 1.495, 1.363, 1.206, 1.200, 1.140, 1.129, 1.107};

	return count < ARRAY_SIZE(few) ? few[count] : (double)count / ((double)count - 0.8);
}

/* The standard deviation of the values about their median. Leaves how far from it they are. */
static double robust_deviation(double *values, size_t count)
{
	double middle = median_in_place(values, count);

	for (size_t i = 0; i < count; i++)
		values[i] = fabs(values[i] - middle);
	return MAD_TO_DEVIATION * mad_correction(count) * median_in_place(values, count);
}

/* ---- the points ---- */

struct polish {
	struct fleet_levels *out;
	struct fleet_point *points; /* of shared keys */
	size_t count;
	uint32_t *place; /* per run of the fleet: its index in out->runs */
	double *sums;    /* per run of the levels: of its residuals */
	size_t *counts;
	double *values; /* room for a value per point */
	size_t last;
};

/* Keeps the points of keys that enough GPUs have. */
static void keep_shared(struct polish *polish, const struct fleet_point *points, size_t count,
			size_t gpu_count)
{
	size_t *seen = xcalloc(gpu_count + 1, sizeof(*seen)), stamp = 0, end;

	polish->points = xcalloc(count + 1, sizeof(*points));
	for (size_t begin = 0; begin < count; begin = end) {
		size_t gpus = 0;

		stamp++;
		for (end = begin; end < count && points[end].key == points[begin].key; end++) {
			gpus += seen[points[end].gpu] != stamp;
			seen[points[end].gpu] = stamp;
		}
		for (size_t i = begin; gpus >= FLEET_GPUS_LEAST && i < end; i++)
			polish->points[polish->count++] = points[i];
	}
	free(seen);
}

static int by_gpu_and_time(const void *left, const void *right)
{
	const struct fleet_run_level *a = left, *b = right;

	if (a->gpu != b->gpu)
		return a->gpu < b->gpu ? -1 : 1;
	if (a->started_ns != b->started_ns)
		return a->started_ns < b->started_ns ? -1 : 1;
	return (a->id > b->id) - (a->id < b->id);
}

/* The runs that have a point. */
static void collect_runs(struct polish *polish, const struct fleet_run *runs, size_t run_count)
{
	struct fleet_levels *out = polish->out;

	polish->place = xcalloc(run_count + 1, sizeof(*polish->place));
	for (size_t i = 0; i < run_count; i++)
		polish->place[i] = NO_RUN;
	out->runs = xcalloc(run_count + 1, sizeof(*out->runs));
	for (size_t i = 0; i < polish->count; i++) {
		const struct fleet_point *point = &polish->points[i];

		if (polish->place[point->run] != NO_RUN)
			continue;
		polish->place[point->run] = 0;
		out->runs[out->run_count++] =
			(struct fleet_run_level){.started_ns = runs[point->run].started_ns,
						 .id = runs[point->run].id,
						 .run = point->run,
						 .gpu = point->gpu,
						 .night = point->night};
	}
	qsort(out->runs, out->run_count, sizeof(*out->runs), by_gpu_and_time);
	for (size_t i = 0; i < out->run_count; i++)
		polish->place[out->runs[i].run] = (uint32_t)i;
}

static void divide_runs(struct polish *polish)
{
	struct fleet_levels *out = polish->out;
	size_t *key_seen = xcalloc(out->gpu_count + 1, sizeof(*key_seen));

	for (size_t gpu = 0, at = 0; gpu < out->gpu_count; gpu++) {
		struct fleet_gpu_level *level = &out->gpus[gpu];

		level->begin = at;
		while (at < out->run_count && out->runs[at].gpu == gpu)
			at++;
		level->end = at;
		level->judged = polish->last && at - level->begin > polish->last ? at - polish->last
										 : level->begin;
		for (size_t i = level->judged; i < at; i++)
			level->nights +=
				i == level->judged || out->runs[i].night != out->runs[i - 1].night;
	}
	for (size_t i = 0; i < polish->count; i++) {
		const struct fleet_point *point = &polish->points[i];
		struct fleet_gpu_level *level = &out->gpus[point->gpu];
		const size_t stamp = (size_t)point->key + 1;

		if (polish->place[point->run] < level->judged || key_seen[point->gpu] == stamp)
			continue;
		key_seen[point->gpu] = stamp;
		level->cases++;
	}
	free(key_seen);
}

/* ---- the levels ---- */

/* The median over GPUs of the mean of their values in a range of one night, without the levels of
 * the GPUs. NAN if too few GPUs are in the range. */
static double level_of_night(struct polish *polish, size_t begin, size_t end)
{
	size_t gpus = 0;

	for (size_t i = begin, next; i < end; i = next) {
		const uint32_t gpu = polish->points[i].gpu;
		double sum = 0;

		for (next = i; next < end && polish->points[next].gpu == gpu; next++)
			sum += polish->points[next].value;
		polish->values[gpus++] = sum / (double)(next - i) - polish->out->gpus[gpu].level;
	}
	return gpus < FLEET_GPUS_LEAST ? NAN : median_in_place(polish->values, gpus);
}

/* The median of all values, without the levels of the GPUs: for nights in which few GPUs were
 * measured. */
static double level_of_key(struct polish *polish, size_t begin, size_t end)
{
	for (size_t i = begin; i < end; i++)
		polish->values[i - begin] =
			polish->points[i].value - polish->out->gpus[polish->points[i].gpu].level;
	return median_in_place(polish->values, end - begin);
}

static void polish_keys(struct polish *polish)
{
	size_t end, night_end;

	for (size_t begin = 0; begin < polish->count; begin = end) {
		const struct fleet_point *points = polish->points;
		double of_key = NAN;

		for (end = begin; end < polish->count && points[end].key == points[begin].key;)
			end++;
		for (size_t at = begin; at < end; at = night_end) {
			double level;

			for (night_end = at;
			     night_end < end && points[night_end].night == points[at].night;)
				night_end++;
			level = level_of_night(polish, at, night_end);
			if (isnan(level)) {
				if (isnan(of_key))
					of_key = level_of_key(polish, begin, end);
				level = of_key;
			}
			for (size_t i = at; i < night_end; i++) {
				const uint32_t run = polish->place[polish->points[i].run];

				polish->sums[run] += polish->points[i].value - level;
				polish->counts[run]++;
			}
		}
	}
}

/* The levels of the runs and GPUs, so that the median of the GPUs is 0. */
static void polish_gpus(struct polish *polish)
{
	struct fleet_levels *out = polish->out;
	size_t known = 0;
	double middle;

	for (size_t i = 0; i < out->run_count; i++) {
		out->runs[i].level = polish->sums[i] / (double)polish->counts[i];
		polish->sums[i] = 0;
		polish->counts[i] = 0;
	}
	for (size_t gpu = 0; gpu < out->gpu_count; gpu++) {
		struct fleet_gpu_level *level = &out->gpus[gpu];

		for (size_t i = level->judged; i < level->end; i++)
			polish->values[i - level->judged] = out->runs[i].level;
		level->level = middle_mean(polish->values, level->end - level->judged);
	}
	for (size_t gpu = 0; gpu < out->gpu_count; gpu++)
		if (!isnan(out->gpus[gpu].level))
			polish->values[known++] = out->gpus[gpu].level;
	middle = median_in_place(polish->values, known);
	for (size_t gpu = 0; gpu < out->gpu_count; gpu++)
		out->gpus[gpu].level -= middle;
	for (size_t i = 0; i < out->run_count; i++)
		out->runs[i].level -= middle;
}

/* ---- the noise ---- */

/* The standard deviation of one run about its GPU, over all GPUs. A slow mode in a fifth of the
 * runs makes it larger, as one in a hundred that is disturbed does not. NAN: no GPU has two runs.
 */
static double noise_of_all(struct polish *polish)
{
	const struct fleet_levels *out = polish->out;
	size_t count = 0;
	double usual;

	for (size_t gpu = 0; gpu < out->gpu_count; gpu++) {
		const struct fleet_gpu_level *level = &out->gpus[gpu];
		const double runs = (double)(level->end - level->judged);

		for (size_t i = level->judged; runs > 1 && i < level->end; i++)
			polish->values[count++] =
				fabs(out->runs[i].level - level->level) * sqrt(runs / (runs - 1));
	}
	if (!count)
		return NAN;
	usual = MAD_TO_DEVIATION * median_in_place(polish->values, count);
	return fmax(usual, number_of_rank(polish->values, count, count * 9 / 10) / NORMAL_90);
}

/* The noise of a GPU, moderated by that of all: as in compare.h, the common noise counts as four
 * degrees of freedom. Few runs that are alike by chance make it no smaller, and a fifth of the runs
 * that is slow makes it larger. */
static void set_error(struct polish *polish, struct fleet_gpu_level *level, double noise)
{
	const size_t runs = level->end - level->judged;
	double own = 0, weight = 0, slow;

	for (size_t i = level->judged; i < level->end; i++)
		polish->values[i - level->judged] = polish->out->runs[i].level;
	if (runs >= ROBUST_RUNS_LEAST) {
		own = robust_deviation(polish->values, runs);
		slow = number_of_rank(polish->values, runs, (runs - 1) * 8 / 10) / NORMAL_80;
		own = fmax(own, fmin(slow, SLOW_NOISE_MOST * noise));
		weight = MAD_EFFICIENCY * (double)(runs - 1);
	} else if (runs > 1) {
		own = sqrt(spread_of(polish->values, runs).squares / (double)(runs - 1));
		own = fmax(own, noise);
		weight = (double)(runs - 1);
	}
	level->freedom = noise_of_h200.weight + weight;
	level->error = sqrt((noise_of_h200.weight * noise * noise + weight * own * own) /
			    level->freedom * (runs > 2 ? MIDDLE_VARIANCE : 1) / (double)runs);
}

static void measure_noise(struct polish *polish)
{
	struct fleet_levels *out = polish->out;
	const double noise = noise_of_all(polish);

	for (size_t gpu = 0; gpu < out->gpu_count; gpu++) {
		struct fleet_gpu_level *level = &out->gpus[gpu];

		level->error = NAN;
		if (!isnan(level->level))
			set_error(polish, level, noise);
	}
	fleet_levels_compare(out);
}

void fleet_levels_init(struct fleet_levels *out, const struct fleet_point *points, size_t count,
		       const struct fleet_run *runs, size_t run_count, size_t gpu_count,
		       size_t last)
{
	struct polish polish = {.out = out, .last = last};

	*out = (struct fleet_levels){.gpus = xcalloc(gpu_count + 1, sizeof(*out->gpus)),
				     .gpu_count = gpu_count};
	keep_shared(&polish, points, count, gpu_count);
	collect_runs(&polish, runs, run_count);
	divide_runs(&polish);
	polish.values = xcalloc(polish.count + gpu_count + 1, sizeof(*polish.values));
	polish.sums = xcalloc(out->run_count + 1, sizeof(*polish.sums));
	polish.counts = xcalloc(out->run_count + 1, sizeof(*polish.counts));
	for (int step = 0; step < POLISH_STEPS; step++) {
		polish_keys(&polish);
		polish_gpus(&polish);
	}
	measure_noise(&polish);
	free(polish.points);
	free(polish.place);
	free(polish.sums);
	free(polish.counts);
	free(polish.values);
}

/* ---- one GPU ---- */

/* The newest change to the side on which the GPU lies that makes up at least half of how far it
 * does; else its first run. */
static void set_since(struct fleet_level *level, const struct fleet_levels *levels,
		      const struct fleet_gpu_level *gpu)
{
	const size_t count = gpu->end - gpu->begin;
	struct process_medians *runs = xcalloc(count + 1, sizeof(*runs));
	double *times = xcalloc(count + 1, sizeof(*times));
	struct change_point *changes = NULL;
	size_t found, first = gpu->begin;

	for (size_t i = 0; i < count; i++) {
		/* relative times have no noise in nanoseconds: as of cases that take a second */
		times[i] = 1e9 * exp(levels->runs[gpu->begin + i].level);
		runs[i] = (struct process_medians){&times[i], 1};
	}
	found = change_points_find(&changes, runs, count, &change_point_limits);
	while (found-- > 0 && !level->since_change) {
		if (changes[found].effect.change / level->change >= 0.5) {
			level->since_change = true;
			first += changes[found].at;
		}
	}
	level->since_run = levels->runs[first].id;
	level->since_ns = levels->runs[first].started_ns;
	free(changes);
	free(times);
	free(runs);
}

void fleet_levels_take(struct fleet_level *out, const struct fleet_levels *levels, size_t place,
		       const struct fleet_limits *limits)
{
	const struct fleet_gpu_level *found = &levels->gpus[place];

	if (isnan(found->level))
		return;
	out->cases = found->cases;
	out->runs = found->end - found->judged;
	out->nights = found->nights;
	out->change = expm1(found->level);
	if (isfinite(found->error)) {
		const double half = student_quantile(EFFECT_LEVEL, found->freedom) * found->error;

		out->low = expm1(found->level - half);
		out->high = expm1(found->level + half);
	}
	out->scatter = found->scatter;
	out->freedom = found->scatter_freedom;
	out->p = student_two_sided(found->apart / found->scatter, found->scatter_freedom);
	/* only a GPU that far away can be an outlier, and few are */
	if (fabs(out->change) >= limits->smallest && out->p < limits->false_alarms)
		set_since(out, levels, found);
}

double fleet_level_least(const struct fleet_level *found, double level)
{
	return found->scatter > 0 ? expm1(student_quantile(level, found->freedom) * found->scatter)
				  : NAN;
}

void fleet_levels_release(struct fleet_levels *levels)
{
	free(levels->runs);
	free(levels->gpus);
	*levels = (struct fleet_levels){0};
}
