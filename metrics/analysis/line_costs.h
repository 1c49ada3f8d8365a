/*
 * line_costs: what the lines of a case cost: the counts and samples of a profile, summed over the
 * instructions of each line. A line of an inlined function is one line for each call of it.
 */
#ifndef METRICS_ANALYSIS_LINE_COSTS_H
#define METRICS_ANALYSIS_LINE_COSTS_H

#include "metrics/profile.h"

/* Samples of a line with one reason. */
struct line_stall {
	const char *reason; /* borrowed from the profile */
	int64_t samples, not_issued;
};

struct line_cost {
	int64_t frame;    /* of the profile; -1: the instructions without a position */
	int64_t function; /* of its first instruction */
	/* Sums over its instructions; `varies`: 1 if one varies, -1 if for one it is not known.
	 * function, pc and frame are those of the first. A count that no instruction has is -1. */
	struct profile_instruction sums;
	/* Times that warps executed its instructions that a lane executed: an exit that no lane
	 * takes wastes no lanes. */
	int64_t laned;
	int64_t not_issued; /* samples in cycles in which nothing was issued; -1: not sampled */
	double share;       /* of all samples; NAN: not sampled */
	double low, high;   /* its 95 % interval; NAN: not known */
	struct line_stall *stalls; /* the most samples first */
	size_t stall_count;
	size_t *instructions; /* their numbers, ascending */
	size_t instruction_count;
};

/* The lines with instructions, by frame. */
struct line_cost_list {
	struct line_cost *items;
	size_t count;
};

/* The profile must outlive the list. */
void line_costs_of(const struct profile *profile, struct line_cost_list *out);
void line_cost_list_release(struct line_cost_list *list);
/* Adds a count to a sum, of which -1 is not known. */
void line_sum_add(int64_t *sum, int64_t value);
/* For qsort(): the largest share first; lines without samples by executed instructions, then in
 * their order. */
int line_cost_compare(const void *a, const void *b);

/* What a reason of CUPTI means, to follow "it": "waits for global memory". A reason that is not
 * known is itself. Source: Nsight Compute, Kernel Profiling Guide, Warp Stall Reasons. */
const char *stall_reason_words(const char *reason);

/* The part of its global sectors that adjacent accesses would not need; NAN: it has none. */
double line_wasted_sectors(const struct line_cost *line);
/* The part of its wavefronts of shared memory that bank conflicts add; NAN: it has none. */
double line_wasted_wavefronts(const struct line_cost *line);
/* The lanes that executed an instruction, of 32, in the mean over `laned`; in percent. NAN: none
 * did. */
double line_lanes_pct(const struct line_cost *line);

#endif
