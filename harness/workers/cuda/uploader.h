/*
 * uploader: copies memory of the host to the device faster than the driver does
 * from ordinary memory, which is far below the speed of the bus: docs/results/log.md. Several
 * threads copy parts into page-locked buffers, from which they queue uploads. Internal to
 * harness/workers/cuda.
 */
#ifndef HARNESS_WORKERS_CUDA_UPLOADER_H
#define HARNESS_WORKERS_CUDA_UPLOADER_H

#include "harness/workers/cuda/device.h"
#include "kernels/kernels.h"

#define UPLOADER_THREADS_MOST 4
/* A thread fills one buffer while the other is uploaded. */
#define UPLOADER_BUFFERS 2
#define UPLOADER_PART_BYTES ((size_t)2 << 20)

/* All zeroes: uploads without threads. */
struct uploader {
	size_t threads;
	struct upload_buffer {
		void *host;    /* page-locked */
		CUevent empty; /* behind the latest upload from it */
	} buffers[UPLOADER_THREADS_MOST][UPLOADER_BUFFERS];
	bool opened; /* the buffers, with the first large upload */
};

/* At most `jobs` threads; 0: as many as there are processors. */
void uploader_init(struct uploader *uploader, int jobs);
void uploader_close(struct uploader *uploader, const struct device *device);

/*
 * Queues an upload on the device's stream. `from` must not change until the
 * stream has been synchronised. If there is no page-locked memory for buffers, the driver
 * uploads. PL_EDEVICE.
 */
int uploader_queue(struct uploader *uploader, const struct device *device, CUdeviceptr to,
		   const void *from, size_t bytes, struct error *err);

/*
 * Memory of the host in which the data of cases are made. It is page-locked, so that uploads run at
 * the speed of the bus. Later cases reuse it, because touching new pages takes longer than filling
 * them.
 */

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
