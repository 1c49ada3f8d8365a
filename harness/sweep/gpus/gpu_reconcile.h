/*
 * gpu_reconcile: corrects the runs of a sweep on several GPUs in which not every process ended
 * well. All processes have ended. Internal to sweep/.
 */
#ifndef HARNESS_SWEEP_GPUS_GPU_RECONCILE_H
#define HARNESS_SWEEP_GPUS_GPU_RECONCILE_H

#include "harness/sweep/gpus/gpu_process.h"

/*
 * Afterwards each case is in one of the runs of the slots below `count`. A run whose process was
 * killed becomes interrupted. In mode split, cases that nobody has go to the runs that were
 * interrupted, in turn, or to those of GPUs that failed if there are no others, and each run that
 * did not end well loses the trials of cases that another slot has. The observer is told which runs
 * keep cases that nobody measured, and a failure.
 */
void gpu_reconcile(struct gpu_share *share, size_t count, bool spread, const char *db_path,
		   const struct sweep_observer *observer);

/* Stores why a GPU has no run, in each run of the others. Does nothing if every GPU has a run, or
 * if none has. The observer is told of a failure. */
void gpu_absent_store(const struct gpu_process *processes, size_t count,
		      const struct gpu_share *share, const char *db_path,
		      const struct sweep_observer *observer);

#endif
