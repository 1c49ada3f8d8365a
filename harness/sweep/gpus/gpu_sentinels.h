/*
 * gpu_sentinels: whether the other GPUs of a split change times. Before the split each process in
 * turn measures a few cases alone, while the others wait. In the sweep it measures the same cases
 * again, with the others at work. Internal to sweep/.
 */
#ifndef HARNESS_SWEEP_GPUS_GPU_SENTINELS_H
#define HARNESS_SWEEP_GPUS_GPU_SENTINELS_H

#include "harness/sweep/gpus/gpu_part.h"

/* Waits until all processes can begin, measures the sentinels alone, and claims at least one case.
 * PL_EINTERRUPTED, or the error of measuring. Does nothing for a sweep on one GPU. */
int gpu_sentinels_begin(struct sweep *sweep, struct error *err);
/* Judges the sentinels as `perflab regress` judges cases, stores what came out, and warns. */
int gpu_sentinels_end(struct sweep *sweep, struct sweep_store *store, struct error *err);

#endif
