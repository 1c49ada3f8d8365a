/*
 * gpu_process: one process of a sweep on several GPUs: a fork of perflab that runs an ordinary
 * sweep on its device, and sends its notices to the parent. Its progress and its end are in its
 * slot of the shared memory. Internal to sweep/.
 */
#ifndef HARNESS_SWEEP_GPUS_GPU_PROCESS_H
#define HARNESS_SWEEP_GPUS_GPU_PROCESS_H

#include <sys/types.h>

#include "harness/sweep/gpus/gpu_devices.h"
#include "harness/sweep/gpus/gpu_part.h"

struct gpu_process {
	pid_t pid;   /* 0: it has ended */
	int notices; /* read end of its pipe; -1: closed */
	struct text unread;
	const struct gpu_device *gpu; /* borrowed */
	int slot;
};

/*
 * Forks. `request` is that of the user; the process changes what its GPU and its share of the
 * machine demand. To be called while this process has one thread and no open database. PL_EIO.
 */
int gpu_process_start(struct gpu_process *out, const struct sweep_request *request,
		      const struct gpu_part *part, const struct gpu_device *gpu, int jobs,
		      int64_t shared_bytes, struct error *err);
/* Calls `notice` for each whole notice that has come. Sets the slot's code and error if the process
 * has ended otherwise than by itself. Returns false once it has ended; then it is reaped. */
bool gpu_process_read(struct gpu_process *process, struct gpu_share *share,
		      void (*notice)(void *context, const struct gpu_process *process,
				     enum notice_kind kind, const char *line),
		      void *context);
/* Wakes it, so that it sees share->stop. */
void gpu_process_wake(const struct gpu_process *process);

#endif
