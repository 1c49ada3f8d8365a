/*
 * fleet_level: the levels of the GPUs of one model in one quantity. Private to metrics/analysis/.
 */
#ifndef METRICS_ANALYSIS_FLEET_LEVEL_H
#define METRICS_ANALYSIS_FLEET_LEVEL_H

#include "metrics/analysis/fleet.h"

/* A logarithm that was measured on a GPU. */
struct fleet_point {
	uint32_t key, gpu, run; /* the GPUs are numbered within the model, from 0 */
	int32_t night;
	double value;
};

struct fleet_run_level {
	int64_t started_ns, id;
	double level; /* mean over the cases of the run, relative to the fleet */
	uint32_t run, gpu;
	int32_t night;
};

/* The level of a GPU. */
struct fleet_gpu_level {
	/* Its runs in `runs` of the levels, oldest first, and the first of them that is judged. */
	size_t begin, end, judged;
	size_t cases;   /* shared cases in the judged runs */
	size_t nights;  /* of the judged runs */
	double level;   /* NAN: no shared case */
	double error;   /* standard error of the level */
	double freedom; /* its degrees of freedom */
	/* How far it is from the other GPUs that are like each other, and the standard deviation
	 * that this has by chance. */
	double apart;
	double scatter, scatter_freedom;
};

struct fleet_levels {
	struct fleet_run_level *runs; /* by GPU, then by time */
	size_t run_count;
	struct fleet_gpu_level *gpus;
	size_t gpu_count;
};

/*
 * Computes the levels. `points` is sorted by key, night and GPU; `runs` has all runs of the fleet.
 * A key that fewer than FLEET_GPUS_LEAST GPUs have is left out.
 */
void fleet_levels_init(struct fleet_levels *out, const struct fleet_point *points, size_t count,
		       const struct fleet_run *runs, size_t run_count, size_t gpu_count,
		       size_t last);
/* Sets how far each GPU is from the others, and the scatter (fleet_scatter.c). */
void fleet_levels_compare(struct fleet_levels *levels);
/* What the levels say about the GPU at a place of the model: p is not adjusted yet, and since when
 * is set only if the GPU can be an outlier. Leaves *out unchanged if the GPU has no level. */
void fleet_levels_take(struct fleet_level *out, const struct fleet_levels *levels, size_t place,
		       const struct fleet_limits *limits);
/* The least difference whose p is below `level`, as a ratio minus 1; NAN: not known. */
double fleet_level_least(const struct fleet_level *found, double level);
void fleet_levels_release(struct fleet_levels *levels);

/* ---- fleet_cases.c: the time of each case on each GPU, judged like a quantity. A GPU that is slow
 * in one case of many is found by it ---- */

/* All zeroes is empty. */
struct fleet_case_list {
	double *p; /* of every case on every GPU, not adjusted */
	size_t count, capacity;
	/* The cases that can be outliers, and the places of their p. */
	struct fleet_case *items;
	size_t *p_at;
	size_t item_count, item_capacity, place_capacity;
};
/* Adds the cases of a model. `points` as for fleet_levels_init(); members: its GPUs in the fleet.
 */
void fleet_cases_add(struct fleet_case_list *list, const struct fleet *fleet,
		     const struct fleet_point *points, size_t count, const size_t *members,
		     size_t gpu_count, const struct fleet_limits *limits);
/* Keeps the cases that are outliers, sorted as in struct fleet_judgement, and moves them to *out.
 * Frees the rest. `share`: the part of the false alarms that the cases may spend. Returns their
 * number. */
size_t fleet_cases_judge(struct fleet_case **out, struct fleet_case_list *list, double share,
			 const struct fleet_limits *limits);

#endif
