/*
 * gpu_absent: stores, after a sweep on several GPUs, why a GPU of it has no run: in each run of the
 * others, as the GPU has none of its own. Internal to sweep/.
 */
#ifndef HARNESS_SWEEP_GPUS_GPU_ABSENT_H
#define HARNESS_SWEEP_GPUS_GPU_ABSENT_H

#include "harness/sweep/gpus/gpu_process.h"

/* All processes have ended. Does nothing if every GPU has a run, or if none has. The observer is
 * told of a failure. */
void gpu_absent_store(const struct gpu_process *processes, size_t count,
		      const struct gpu_share *share, const char *db_path,
		      const struct sweep_observer *observer);

#endif
