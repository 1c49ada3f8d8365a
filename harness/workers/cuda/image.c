/* Finds the best image for a device and loads it. */
#include "harness/workers/cuda/image.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define IMAGE_LIMIT_BYTES (256u << 20)

void cuda_image_cache_init(struct cuda_image_cache *cache, const struct device *device)
{
	*cache = (struct cuda_image_cache){.device = device};
}

void cuda_image_cache_release(struct cuda_image_cache *cache)
{
	for (size_t i = 0; i < cache->count; i++) {
		cache->device->driver.cuModuleUnload(cache->images[i]->module);
		free(cache->images[i]->name);
		free(cache->images[i]);
	}
	free(cache->images);
	*cache = (struct cuda_image_cache){0};
}

/* Finds the best file for the device: first the cubin for this architecture only (sm_90a), then a
 * cubin of the same major version with the highest minor version that the device can run, then PTX.
 */
static int find_file(const struct device_info *info, const char *name, struct text *path,
		     char code_kind[32], struct error *err)
{
	struct text stem = TEXT_INIT;
	char relative[192];
	int rc;

	snprintf(relative, sizeof(relative), "share/perflab/kernels/%s", name);
	rc = install_path(&stem, relative, err);
	for (int minor = info->cc_minor; rc == 0 && minor >= 0; minor--) {
		for (int alone = minor == info->cc_minor; alone >= 0; alone--) {
			text_clear(path);
			text_addf(path, "%s.sm_%d%d%s.cubin", stem.data, info->cc_major, minor,
				  alone ? "a" : "");
			if (access(path->data, R_OK) == 0) {
				snprintf(code_kind, 32, "cubin sm_%d%d%s", info->cc_major, minor,
					 alone ? "a" : "");
				goto out;
			}
		}
	}
	if (rc == 0) {
		text_clear(path);
		text_addf(path, "%s.ptx", stem.data);
		snprintf(code_kind, 32, "ptx");
		if (access(path->data, R_OK) != 0)
			rc = error_set(err, PL_ENOENT,
				       "there is no image '%s': neither %s nor a cubin for sm_%d%d "
				       "exists; "
				       "install all of perflab, or build it with a CUDA toolkit",
				       name, path->data, info->cc_major, info->cc_minor);
	}
out:
	text_release(&stem);
	return rc;
}

/* A user's file is named by its path. */
static void take_user_file(const char *name, struct text *path, char code_kind[32])
{
	const char *suffix = strrchr(name, '.');

	text_add(path, name);
	snprintf(code_kind, 32, "%s", suffix && strcmp(suffix, ".ptx") == 0 ? "ptx" : "cubin");
}

static int load_module(const struct device *device, struct cuda_image *image, const char *bytes,
		       const char *path, struct error *err)
{
	char log[512] = "";
	CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
	void *values[] = {log, (void *)(uintptr_t)sizeof(log)};
	int rc;

	rc = cuda_check(&device->driver,
			device->driver.cuModuleLoadDataEx(&image->module, bytes,
							  ARRAY_SIZE(options), options, values),
			err, "loading");
	log[strcspn(log, "\n")] = '\0';
	return error_context(err, rc, "%s%s%s", path, log[0] ? ": " : "", log);
}

int cuda_image_load(struct cuda_image_cache *cache, const char *name, const struct cuda_image **out,
		    struct error *err)
{
	struct cuda_image *image = NULL;
	struct text path = TEXT_INIT;
	char *bytes = NULL;
	size_t length = 0;
	int rc;

	for (size_t i = 0; i < cache->count; i++) {
		if (strcmp(cache->images[i]->name, name) == 0) {
			*out = cache->images[i];
			return 0;
		}
	}
	image = xcalloc(1, sizeof(*image));
	image->name = xstrdup(name);
	if (name[0] == '/')
		take_user_file(name, &path, image->code_kind);
	rc = name[0] == '/' ? 0
			    : find_file(&cache->device->info, name, &path, image->code_kind, err);
	if (rc)
		goto out;
	rc = read_file(&bytes, &length, path.data, IMAGE_LIMIT_BYTES, err);
	if (rc)
		goto out;
	if (strcmp(image->code_kind, "ptx") == 0)
		hash_of(image->code_hash, bytes, length);
	else
		rc = cubin_hash(image->code_hash, bytes, length, err);
	if (rc == 0)
		rc = load_module(cache->device, image, bytes, path.data, err);
	if (rc)
		goto out;
	cache->images = xgrow(cache->images, &cache->capacity, cache->count + 1, sizeof(image));
	cache->images[cache->count++] = image;
	*out = image;
	image = NULL;
out:
	if (image)
		free(image->name);
	free(image);
	free(bytes);
	text_release(&path);
	return rc;
}

int cuda_image_function(const struct cuda_image_cache *cache, const struct cuda_image *image,
			const char *entry, CUfunction *out, struct error *err)
{
	int rc = cuda_check(&cache->device->driver,
			    cache->device->driver.cuModuleGetFunction(out, image->module, entry),
			    err, entry);

	return error_context(err, rc, "image %s", image->name);
}
