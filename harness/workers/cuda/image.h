/*
 * image: loads the images of kernels. The name of a user's image is the absolute path of a .cubin
 * or .ptx file. A built-in image ("reduce/shuffle") is in the file that perflab made for the
 * device, or else it is the PTX in share/perflab/ptx, which the driver compiles. Internal to
 * harness/workers/cuda.
 */
#ifndef HARNESS_WORKERS_CUDA_IMAGE_H
#define HARNESS_WORKERS_CUDA_IMAGE_H

#include "base/hash.h"
#include "harness/workers/cuda/device.h"

struct cuda_image {
	char *name;
	CUmodule module;
	char code_hash[HASH_TEXT_BYTES]; /* of a cubin's machine code, or of the whole file */
	char code_kind[32];              /* "cubin sm_90", "cubin" of a user, "ptx" or "fatbin" */
};

struct cuda_image_cache {
	const struct device *device;
	struct cuda_image **images;
	size_t count, capacity;
};

void cuda_image_cache_init(struct cuda_image_cache *cache, const struct device *device);
void cuda_image_cache_release(struct cuda_image_cache *cache);
/* Loads an image, or returns the loaded one. The cache owns it. `file` is where a built-in image is
 * (NULL: not known), `arch` that of its machine code, or "". Returns PL_ENOENT, with the searched
 * path, if there is no such image. */
int cuda_image_load(struct cuda_image_cache *cache, const char *name, const char *file,
		    const char *arch, const struct cuda_image **out, struct error *err);
int cuda_image_function(const struct cuda_image_cache *cache, const struct cuda_image *image,
			const char *entry, CUfunction *out, struct error *err);

/*
 * Hashes the names and bytes of the .text.* sections of a cubin (an ELF file),
 * in the order of the file. Returns PL_EPARSE for anything else. The bytes are
 * untrusted input.
 */
int cubin_hash(char out[HASH_TEXT_BYTES], const char *bytes, size_t length, struct error *err);

#endif
