/*
 * cuda_resources: everything that the cases of one worker share: loaded
 * images, opened libraries, device memory, and the means to compare results and
 * to flush the L2 cache. Internal to harness/workers/cuda.
 */
#ifndef HARNESS_WORKERS_CUDA_RESOURCES_H
#define HARNESS_WORKERS_CUDA_RESOURCES_H

#include "base/hash.h"
#include "harness/workers/cuda/device.h"
#include "harness/workers/cuda/device_memory.h"
#include "harness/workers/cuda/libraries/library.h"
#include "harness/workers/shared_data.h"
#include "kernels/kernels.h"

/*
 * ---- images of kernels: image.c ----
 *
 * The name of a user's image is the absolute path of a .cubin or .ptx file. A built-in image
 * ("reduce/shuffle") is in the file that perflab made for the device, or else it is the PTX in
 * share/perflab/ptx, which the driver compiles.
 */

#define CUDA_IMAGE_LIMIT_BYTES (256u << 20)

struct cuda_image {
	char *name;
	CUmodule module;
	char code_hash[HASH_TEXT_BYTES]; /* of a cubin's machine code, or of the whole file */
	char instructions_hash[HASH_TEXT_BYTES]; /* of a cubin; otherwise "" */
	char code_kind[32]; /* "cubin sm_90", "cubin" of a user, "ptx" or "fatbin" */
};

struct cuda_image_cache {
	const struct device *device;
	struct cuda_image **images;
	size_t count, capacity;
};

void cuda_image_cache_init(struct cuda_image_cache *cache, const struct device *device);
void cuda_image_cache_release(struct cuda_image_cache *cache);
/* Unloads all images but the one with the name `but`. No operation may use them. */
void cuda_image_cache_forget(struct cuda_image_cache *cache, const char *but);
/* Loads an image, or returns the loaded one. The cache owns it. `file` is where a built-in image is
 * (NULL: not known), `arch` that of its machine code, or "". Returns PL_ENOENT, with the searched
 * path, if there is no such image. */
int cuda_image_load(struct cuda_image_cache *cache, const char *name, const char *file,
		    const char *arch, const struct cuda_image **out, struct error *err);
int cuda_image_function(const struct cuda_image_cache *cache, const struct cuda_image *image,
			const char *entry, CUfunction *out, struct error *err);

/*
 * Hashes the names and bytes of the sections of a cubin (an ELF file) that hold code, constants
 * and the values of variables, in the order of the file; and those of the instructions alone.
 * Returns PL_EPARSE for anything else. The bytes are untrusted input.
 */
int cubin_hash(char code[HASH_TEXT_BYTES], char instructions[HASH_TEXT_BYTES], const char *bytes,
	       size_t length, struct error *err);

/*
 * ---- uploads: uploader.c ----
 *
 * Copies memory of the host to the device faster than the driver does from ordinary memory, which
 * is far below the speed of the bus: docs/results/log.md. Several threads copy parts into
 * page-locked buffers, from which they queue uploads.
 */

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

/* The image of the worker's own kernels. */
#define CUDA_SUPPORT_IMAGE "support"

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
 * L2. Before a timed execution it reads at least 1.5 times the L2, before a counted
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
