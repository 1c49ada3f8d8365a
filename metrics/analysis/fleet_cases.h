/*
 * fleet_cases: the time of each case on each GPU, judged like a quantity. A GPU that is slow in one
 * case of many is found by it. Private to metrics/analysis/.
 */
#ifndef METRICS_ANALYSIS_FLEET_CASES_H
#define METRICS_ANALYSIS_FLEET_CASES_H

#include "metrics/analysis/fleet_level.h"

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
