/*
 * Kernel images: machine code for this device if the build has some, PTX for
 * the driver to compile if not. Images are found by name ("reduce/shuffle")
 * under share/perflab/kernels. Internal to harness/workers/cuda.
 */
#ifndef HARNESS_WORKERS_CUDA_IMAGE_H
#define HARNESS_WORKERS_CUDA_IMAGE_H

#include "harness/workers/cuda/device.h"

struct cuda_image {
	char name[128];
	CUmodule module;
	char code_hash[24]; /* of the machine code alone: equal code, equal hash */
	char code_kind[32]; /* "cubin sm_90" or "ptx" */
};

struct cuda_image_cache {
	const struct device *device;
	struct cuda_image **images;
	size_t count, capacity;
};

void cuda_image_cache_init(struct cuda_image_cache *cache, const struct device *device);
void cuda_image_cache_release(struct cuda_image_cache *cache);
/* The image stays the cache's. PL_ENOENT names the folder searched. */
int cuda_image_load(struct cuda_image_cache *cache, const char *name, const struct cuda_image **out,
		    struct error *err);
int cuda_image_function(const struct cuda_image_cache *cache, const struct cuda_image *image,
			const char *entry, CUfunction *out, struct error *err);

/*
 * Hash of the .text.* sections of a cubin (an ELF file): names and bytes, in
 * the file's order. PL_EPARSE if it is none. The bytes may be anybody's.
 */
int cubin_hash(char out[24], const char *bytes, size_t length, struct error *err);

#endif
