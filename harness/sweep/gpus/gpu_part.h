/*
 * gpu_part: the part of one process in a sweep on several GPUs. In mode split it claims the cases
 * that it reaches first (gpu_share.h) and leaves out those of others; in mode spread it measures
 * all of them. All functions do nothing, and allow everything, for a sweep on one GPU.
 * Internal to sweep/.
 */
#ifndef HARNESS_SWEEP_GPUS_GPU_PART_H
#define HARNESS_SWEEP_GPUS_GPU_PART_H

#include "harness/sweep/gpus/gpu_share.h"
#include "harness/sweep/sweep_state.h"

struct sweep_store;

#define GPU_SENTINELS 3        /* cases of each GPU */
#define GPU_SENTINEL_ROUNDS 12 /* of each, alone and with the others; more are not compared */

struct gpu_sentinel {
	size_t index;                                                 /* of the case */
	double alone[GPU_SENTINEL_ROUNDS], busy[GPU_SENTINEL_ROUNDS]; /* medians, ns */
	size_t alone_count, busy_count;
};

struct gpu_part {
	struct gpu_share *share; /* borrowed, like all strings */
	int slot;
	const char *uuid; /* that the device must have */
	const char *group;
	size_t gpus;
	bool spread;
	enum interference_when interference;
	struct gpu_sentinel sentinels[GPU_SENTINELS];
	size_t sentinel_count;
	bool alone;   /* the sentinels are measured alone now */
	size_t *left; /* by unit: its cases that have not ended; owned */
	/* Cases that have ended, but are not committed yet; owned. */
	size_t *deferred;
	size_t deferred_count, deferred_capacity;
	bool defers;
};

/* The fact GPUS_INTERFERENCE_KEY where nobody wanted it measured. */
#define GPUS_INTERFERENCE_NEVER "not measured: --interference never"

/* Whether the cases of the sweep are split. */
bool gpu_part_splits(const struct sweep *sweep);
/* Adds what a run of the sweep stores of it. */
void gpu_part_describe(struct key_value_list *environment, const struct gpu_part *part);
/* PL_EDEVICE: the device that opened is not that of the sweep, because a GPU was taken away. */
int gpu_part_check_device(const struct sweep *sweep, const struct session_info *info,
			  struct error *err);
/* The cases are known, and none has ended in this process. */
void gpu_part_begin_cases(struct sweep *sweep);
/* Claims a case before the first result of it. false: another process has it, so this one leaves it
 * out. */
bool gpu_part_take(struct sweep *sweep, size_t index);
/* Leaves out the cases that other processes have claimed, and reclaims those that they gave back.
 * `all` false: leaves out the cases that nobody has claimed, too, because no round follows. */
void gpu_part_reclaim(struct sweep *sweep, bool all);
/*
 * Sorts the shuffled order of the round in which cases are claimed. Each process begins with the
 * variants that are its own, one after the other, and goes on with those of the others, from their
 * end. So few variants are on two GPUs, each of which would load their code, and patch it to count.
 */
void gpu_part_order(const struct sweep *sweep, size_t *order, size_t count);
/* Two GPUs were lost with this case: no process may measure it (`measuring`) or count it. */
void gpu_part_exclude(struct sweep *sweep, size_t index, bool measuring);
bool gpu_part_excludes(const struct sweep *sweep, size_t index, bool measuring);
#define GPU_PART_EXCLUDED "two GPUs of this sweep were lost with this case"
/* A case has ended, and its results are stored: no other process takes it over. */
void gpu_part_case_ended(struct sweep *sweep, size_t index);
/* Defers telling the other processes which cases have ended: their results are stored together.
 * gpu_part_committed() tells the others, unless the results did not come into the database. */
void gpu_part_defer(struct sweep *sweep);
void gpu_part_committed(struct sweep *sweep, bool stored);
/* A round of a case was measured. */
void gpu_part_round(struct sweep *sweep, size_t index, const struct round_result *round);
/* Tells the other processes how far this one is. */
void gpu_part_progress(const struct sweep *sweep);
/* The sweep has ended with rc: deletes the trials of cases that others have, or stores why this
 * process failed, and gives the case in flight back if its device is lost. Returns rc, or the error
 * of this. */
int gpu_part_end(struct sweep *sweep, struct sweep_store *store, int rc, struct error *err);

#endif
