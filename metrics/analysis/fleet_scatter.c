/*
 * How far a GPU is from the others of its model, and how far that would be by chance. Each GPU is
 * compared with the others only, because of four GPUs one that is slow hides itself. Those that are
 * outliers do not count among the others.
 */
#include "metrics/analysis/compare.h"
#include "metrics/analysis/fleet_level.h"
#include "metrics/analysis/statistics.h"

#include <math.h>
#include <stdlib.h>

/* What the scatter between healthy GPUs is taken to be before any is measured. It counts as one
 * more GPU: much of four, little of eight. */
#define SCATTER_PRIOR 0.005
#define SCATTER_PRIOR_WEIGHT 1.0
/* The part of the GPUs that may be outliers. */
#define OUTLIERS_MOST 4
#define OUTLIER_LEVEL 0.01

struct placed_level {
	double level;
	size_t place;
};

static int by_level(const void *left, const void *right)
{
	const struct placed_level *a = left, *b = right;

	return a->level != b->level ? (a->level > b->level) - (a->level < b->level)
				    : (a->place > b->place) - (a->place < b->place);
}

/* The GPUs that may be like each other: those from begin to end, sorted by level. */
struct peers {
	struct placed_level *sorted;
	size_t begin, end;
	double middle, sum, squares; /* of their levels relative to `middle` */
	double least;                /* the scatter is never smaller */
};

/* The difference of a level from the others, and its scatter. */
struct distance {
	double apart, variance, freedom;
};

static struct distance distance_of(const struct peers *peers, double level, bool is_peer)
{
	const double others = (double)(peers->end - peers->begin - is_peer);
	const double own = level - peers->middle;
	const double mean = (peers->sum - is_peer * own) / others;
	const double squares = peers->squares - is_peer * own * own - others * mean * mean;
	const double variance =
		(SCATTER_PRIOR_WEIGHT * SCATTER_PRIOR * SCATTER_PRIOR + fmax(squares, 0)) /
		(SCATTER_PRIOR_WEIGHT + others - 1);

	return (struct distance){.apart = own - mean,
				 .variance = fmax(variance, peers->least * peers->least) *
					     (1 + 1 / others),
				 .freedom = SCATTER_PRIOR_WEIGHT + others - 1};
}

static void leave_out_gpu(struct peers *peers, bool lowest)
{
	const size_t at = lowest ? peers->begin++ : --peers->end;
	const double own = peers->sorted[at].level - peers->middle;

	peers->sum -= own;
	peers->squares -= own * own;
}

/* Leaves out the GPUs that are outliers: the farthest ones are left out one by one, and the last of
 * them that differs from the rest, and all before it, are outliers (Rosner, Technometrics 25,
 * 1983). */
static void leave_out_outliers(struct peers *peers)
{
	const size_t count = peers->end - peers->begin;
	const size_t most = count < OUTLIERS_MOST ? 1 : count / OUTLIERS_MOST;
	struct peers left = *peers;

	for (size_t i = 0; i < most; i++) {
		const double low = peers->sorted[left.begin].level;
		const double high = peers->sorted[left.end - 1].level;
		const struct distance of_low = distance_of(&left, low, true);
		const struct distance of_high = distance_of(&left, high, true);
		const bool is_low = fabs(of_low.apart) > fabs(of_high.apart);
		const struct distance *farther = is_low ? &of_low : &of_high;

		leave_out_gpu(&left, is_low);
		if (student_two_sided(farther->apart / sqrt(farther->variance), farther->freedom) *
			    (double)(count - i) <
		    OUTLIER_LEVEL)
			*peers = left;
	}
}

/* A GPU whose level is less certain than that of most may lie farther away by chance. */
static void set_distance(struct fleet_gpu_level *level, const struct distance *distance,
			 double usual_error)
{
	const double most = distance->variance;
	double more = level->error * level->error - usual_error * usual_error;

	if (!(more > 0))
		more = 0;
	level->apart = distance->apart;
	level->scatter = sqrt(most + more);
	/* Satterthwaite, Biometrics Bulletin 2, 1946 */
	level->scatter_freedom =
		(most + more) * (most + more) /
		(most * most / distance->freedom + (more > 0 ? more * more / level->freedom : 0));
}

/* The median; NAN: no GPU has been measured twice. */
static double usual_error_of(const struct fleet_levels *levels)
{
	double *errors = xcalloc(levels->gpu_count + 1, sizeof(*errors)), usual = NAN;
	size_t known = 0;

	for (size_t gpu = 0; gpu < levels->gpu_count; gpu++) {
		if (isfinite(levels->gpus[gpu].error))
			errors[known++] = levels->gpus[gpu].error;
	}
	if (known)
		usual = number_of_rank(errors, known, known / 2);
	free(errors);
	return usual;
}

void fleet_levels_compare(struct fleet_levels *levels)
{
	const double usual_error = usual_error_of(levels);
	struct peers peers = {.sorted = xcalloc(levels->gpu_count + 1, sizeof(*peers.sorted)),
			      .least = fmax(FLEET_SCATTER_LEAST, usual_error)};

	for (size_t gpu = 0; gpu < levels->gpu_count; gpu++) {
		if (!isnan(levels->gpus[gpu].level))
			peers.sorted[peers.end++] =
				(struct placed_level){levels->gpus[gpu].level, gpu};
	}
	if (peers.end >= FLEET_GPUS_LEAST) {
		const size_t count = peers.end;

		qsort(peers.sorted, count, sizeof(*peers.sorted), by_level);
		peers.middle = peers.sorted[count / 2].level;
		for (size_t i = 0; i < count; i++) {
			const double own = peers.sorted[i].level - peers.middle;

			peers.sum += own;
			peers.squares += own * own;
		}
		leave_out_outliers(&peers);
		for (size_t i = 0; i < count; i++) {
			const struct distance distance = distance_of(
				&peers, peers.sorted[i].level, i >= peers.begin && i < peers.end);

			set_distance(&levels->gpus[peers.sorted[i].place], &distance, usual_error);
		}
	}
	free(peers.sorted);
}
