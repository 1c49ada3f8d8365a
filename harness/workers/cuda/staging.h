/*
 * staging: host memory from which data is uploaded to the device. It is
 * page-locked, so that uploads run at the speed of the bus. Later cases reuse
 * it, because touching new pages takes longer than filling them. Internal to
 * harness/workers/cuda.
 */
#ifndef HARNESS_WORKERS_CUDA_STAGING_H
#define HARNESS_WORKERS_CUDA_STAGING_H

#include "harness/workers/cuda/device.h"
#include "kernels/kernels.h"

/* A slot for each input of a case, then a slot for each expected result. */
#define STAGING_SLOTS (2 * KERNEL_MAX_BUFFERS)

struct staging {
	const struct device *device;
	void *slots[STAGING_SLOTS];
	size_t bytes[STAGING_SLOTS];
};

/* Makes a slot at least `bytes` large and returns its memory. Its old contents are lost. Returns
 * PL_ENOMEM if the memory is not available. */
int staging_reserve(struct staging *staging, size_t slot, size_t bytes, void **out,
		    struct error *err);
void staging_release(struct staging *staging);

#endif
