/*
 * Host memory that data passes through on its way to the device: page-locked,
 * so that it goes at the speed of the bus, and kept from case to case, because
 * touching fresh pages costs more than filling them. Internal to harness/workers/cuda.
 */
#ifndef HARNESS_WORKERS_CUDA_STAGING_H
#define HARNESS_WORKERS_CUDA_STAGING_H

#include "harness/workers/cuda/device.h"
#include "kernels/kernels.h"

/* One slot for every input of a case and one for every expected result. */
#define STAGING_SLOTS (2 * KERNEL_MAX_BUFFERS)

struct staging {
	const struct device *device;
	void *slots[STAGING_SLOTS];
	size_t bytes[STAGING_SLOTS];
};

/* At least `bytes` in a slot; what it held before is lost. PL_ENOMEM. */
int staging_reserve(struct staging *staging, size_t slot, size_t bytes, void **out,
		    struct error *err);
void staging_release(struct staging *staging);

#endif
