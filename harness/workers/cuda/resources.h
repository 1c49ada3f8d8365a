/*
 * cuda_resources: everything that the cases of one worker share: loaded
 * images, opened libraries, device memory, and the means to compare results and
 * to flush the L2 cache. Internal to harness/workers/cuda.
 */
#ifndef HARNESS_WORKERS_CUDA_RESOURCES_H
#define HARNESS_WORKERS_CUDA_RESOURCES_H

#include "harness/workers/cuda/device_memory.h"
#include "harness/workers/cuda/image.h"
#include "harness/workers/cuda/libraries/library.h"
#include "harness/workers/cuda/uploader.h"
#include "harness/workers/shared_data.h"
#include "kernels/kernels.h"

struct cuda_resources {
	const struct device *device;
	struct cuda_image_cache images;
	struct library_set libraries;
	struct memory memory;
	struct staging staging;
	struct uploader uploader;
	uint64_t seed;
	int64_t check_end_ns; /* when a program that verifies must end: case_check_end_ns() */
	/* Called before the expected results of a case are computed. Its error ends the
	 * preparation. NULL: nobody listens. */
	int (*announce_check)(void *context);
	void *announce_context;
	struct shared_data *shared; /* of the current request; NULL: none */
	struct meter meter;         /* of the current request */
	bool mixed; /* inputs are mixed with those of another seed: operation_data.c */
	CUfunction compare[ELEMENT_TYPES]; /* support.cu's compare_f32 and so on */
	CUfunction flush;                  /* support.cu's flush_by_reading */
	struct memory_block *flush_buffer; /* several times the L2; no case uses it */
	struct memory_block *flush_sink, *comparison;
	struct memory_block *sample_comparisons; /* of each buffer of two operations:
						    operation_watch_samples() */
};

/* Loads the worker's own device code and allocates its buffers. After an error, the caller still
 * calls cuda_resources_close(). */
int cuda_resources_open(struct cuda_resources *resources, const struct device *device,
			uint64_t seed, struct error *err);
void cuda_resources_close(struct cuda_resources *resources);

/*
 * Queues reads of a large buffer, so that no cache line of a case stays in the
 * L2. Before a timed execution it reads at least 2 times the L2, before a counted
 * one at least 3 times: dirty lines that a short flush leaves do not affect times, but they do
 * affect counters.
 */
enum flush_purpose { FLUSH_TO_TIME, FLUSH_TO_COUNT };
int cuda_flush_l2(const struct cuda_resources *resources, enum flush_purpose purpose,
		  struct error *err);
/* Queues kernels that read nothing. */
int cuda_queue_idle_kernels(const struct cuda_resources *resources, size_t count,
			    struct error *err);
/*
 * Waits for the device, then makes persisting lines of the L2 normal, so that a
 * flush can evict them. A kernel makes lines persist with a cache policy
 * (createpolicy, L2::evict_last). The driver's function is no command of a
 * stream: it acts when the host calls it. So it needs an idle device, and cannot
 * be queued behind a closed gate.
 */
int cuda_reset_persisting_lines(const struct cuda_resources *resources, struct error *err);

#endif
