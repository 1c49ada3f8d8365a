/*
 * placement: where the data of operations lies in physical memory. Internal to
 * harness/workers/cuda.
 */
#ifndef HARNESS_WORKERS_CUDA_PLACEMENT_H
#define HARNESS_WORKERS_CUDA_PLACEMENT_H

#include "harness/workers/cuda/operation.h"

enum placement_result {
	PLACEMENT_CHANGED,
	PLACEMENT_FIXED, /* there is nothing that can be moved */
	PLACEMENT_SCARCE /* something stayed, because memory is scarce */
};

/*
 * Waits for the device, and moves what the launches of both operations read and
 * write to other physical pages, at the same addresses. `base` may be NULL. What
 * only restores or verifies stays: no sample reads it. So does memory of a capture
 * at its old addresses, because several of its buffers can share pages, and
 * variables of an image. Errors as memory_replace_pages().
 */
int placement_change(const struct operation *operation, const struct operation *base,
		     enum placement_result *result, struct error *err);

#endif
