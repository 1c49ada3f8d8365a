/*
 * gpu_group: the runs of one sweep on several GPUs, together: the cases of all as one run, and, of
 * a spread, how the GPUs differ. Each GPU is compared with the first one that finished, as `perflab
 * regress` compares two runs.
 */
#ifndef METRICS_ANALYSIS_GPU_GROUP_H
#define METRICS_ANALYSIS_GPU_GROUP_H

#include "metrics/analysis/regress.h"
#include "metrics/metrics.h"

/* ---- facts of a run, which the database stores as text ---- */

/* What the interference facts of a run say of one sentinel case. NAN: the text says no number. */
struct gpu_sentinel_fact {
	const char *text;         /* as stored; borrowed */
	double change, low, high; /* shares, with the 95 % interval */
	const char *name;         /* of the case, within `text` */
	size_t name_length;
};
/* The fact number i, from 1. Returns false if the run has none. */
bool gpu_sentinel_fact_of(struct gpu_sentinel_fact *out, const struct run *run, size_t i);
/* Adds the fact number i. Returns its text, which `facts` owns. */
const char *gpu_sentinel_fact_add(struct key_value_list *facts, size_t i, const char *name,
				  const struct effect *effect);

/* A GPU of the sweep that has no run, by the facts of the runs of the others. */
struct gpu_absence {
	int64_t number;
	const char *uuid; /* borrowed, like the reason */
	size_t uuid_length;
	const char *reason;
};
/* The next of them, from *at, which begins at 0. Returns false if there is no more. */
bool gpu_absence_next(struct gpu_absence *out, const struct run *run, size_t *at);
/* Adds the fact of a GPU without a run. */
void gpu_absence_add(struct key_value_list *facts, int64_t number, const char *uuid,
		     const char *reason);

/* ---- the runs together ---- */

/* How the cases of a GPU differ from those of the base. */
struct gpu_difference {
	const struct run *run; /* borrowed */
	struct regress_options options;
	struct regress_pair *pairs;
	struct regress regress;
	/* The mean over all cases, head / base - 1: of each round the mean of the logarithms of the
	 * ratios, and of these means their mean with its 95 % interval by Student's t. Both GPUs
	 * measure a round at about the same time, so what drifts with time cancels out. NAN: no
	 * case; low and high also with one round. */
	struct gpu_mean {
		double change, low, high;
		size_t cases; /* those that both timed in all rounds that are compared */
	} mean;
	const struct regress_case *largest; /* of the changes; NULL: there is none */
};

struct gpu_group {
	struct run *runs; /* owned, with rounds; by the number of the GPU, then by id */
	size_t count;
	bool spread;
	bool one_model; /* all GPUs are of one model, so that one set of roofs is true for all */
	int64_t gpus;   /* of the sweep, at least those here; some may have no run here */
	/* The cases of all runs by position, then by GPU. Has no id and no uid. The facts that
	 * all runs have in common, and why counters are off or times disturbed, with the GPU. The
	 * device is unknown if the models differ. Borrows from `runs`; not to be released. */
	struct run all;
	struct run_gpu *of_all;
	size_t base; /* of a spread: the run that the others are compared with */
	struct gpu_difference *differences; /* of a spread: one for each run but the base */
	size_t difference_count;
};
/* Completes a group whose runs are loaded. PL_E… of regress_judge(). Release it also after an
 * error. */
int gpu_group_complete(struct gpu_group *group, struct error *err);
void gpu_group_release(struct gpu_group *group);
/* Why the GPU of a run failed. NULL: it did not, or the run was resumed and finished. Borrowed. */
const char *gpu_group_failure(const struct gpu_group *group, size_t run);
/* Whether an earlier run of the group is of the same GPU, which then took over cases of another. */
bool gpu_group_took_over(const struct gpu_group *group, size_t run);

#endif
