/*
 * gpu_part: the part of one process in a sweep on several GPUs. In mode split it claims the cases
 * that it reaches first (gpu_share.h) and leaves out those of others; in mode spread it measures
 * all of them. Internal to sweep/.
 */
#ifndef HARNESS_SWEEP_GPUS_GPU_PART_H
#define HARNESS_SWEEP_GPUS_GPU_PART_H

#include "harness/sweep/gpus/gpu_share.h"
#include "harness/sweep/sweep_parts.h"

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
};

/* The fact GPUS_INTERFERENCE_KEY where nobody wanted it measured. */
#define GPUS_INTERFERENCE_NEVER "not measured: --interference never"

/* ---- the processors: gpu_pin.c ---- */

/* Pins this process and a worker to the processors next to the device, which gpu.pci_bus_id of the
 * environment names. What they start later, and the memory that they touch first, then follows.
 * Adds GPUS_PROCESSORS_KEY: the processors, or why nothing was pinned. */
void gpu_pin(struct key_value_list *environment, pid_t worker);

/*
 * ---- whether the other GPUs of a split change times: gpu_sentinels.c ----
 *
 * Before the split each process in turn measures a few cases, the sentinels, alone, while the
 * others wait. In the sweep it measures the same cases again, with the others at work.
 */

/* Waits until all processes can begin. In mode split also measures the sentinels alone, and claims
 * at least one case. PL_EINTERRUPTED, or the error of measuring. */
int gpu_sentinels_begin(struct sweep *sweep, struct error *err);
/* A round of a case was measured. */
void gpu_sentinels_round(struct sweep *sweep, size_t index, const struct round_result *round);
/* Judges the sentinels as `perflab regress` judges cases, stores what came out, and warns. */
int gpu_sentinels_end(struct sweep *sweep, struct sweep_store *store, struct error *err);

/* ---- the part: gpu_part.c ---- */

/* What the part changes in its sweep. The caller keeps `part` until the sweep has ended. */
struct sweep_hooks gpu_part_hooks(struct gpu_part *part);

#endif
