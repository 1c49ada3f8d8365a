/*
 * gpu_reconcile: corrects the runs of a sweep on several GPUs in which not every process ended
 * well: afterwards each case is in one of them. Internal to sweep/.
 */
#ifndef HARNESS_SWEEP_GPUS_GPU_RECONCILE_H
#define HARNESS_SWEEP_GPUS_GPU_RECONCILE_H

#include "harness/sweep/gpus/gpu_share.h"
#include "harness/sweep/sweep.h"

/*
 * All processes of the slots below `count` have ended. A run whose process was killed becomes
 * interrupted. In mode split, cases that nobody has go to the runs that were interrupted, in turn,
 * or to those of GPUs that failed if there are no others, and each run that did not end well loses
 * the trials of cases that another slot has. The observer is told which runs keep cases that nobody
 * measured, and a failure.
 */
void gpu_reconcile(struct gpu_share *share, size_t count, bool spread, const char *db_path,
		   const struct sweep_observer *observer);

#endif
