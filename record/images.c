/* Keeps the code that the program has loaded. See images.h. */
#include "record/images.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "record/elf.h"
#include "record/fatbin.h"
#include "record/triton_cache.h"

/* PTX, or a fat binary that a program hands over and may free afterwards. */
#define COPIED_MOST_BYTES ((size_t)256 << 20)

void images_init(struct images *images, const struct record_request *request)
{
	*images = (struct images){.request = request};
	pthread_mutex_init(&images->lock, NULL);
}

static bool is_wanted(void *context, const char *kernel)
{
	return record_request_wants(context, kernel);
}

/* Returns the index of the cubin + 1; 0 if nothing in it is wanted, or there is no memory. The lock
 * is held. */
static size_t keep_cubin(struct images *images, const void *bytes, size_t size)
{
	unsigned char *copy;
	struct cubin *cubin;
	uint64_t hash;

	if (!elf_each_kernel(bytes, size, is_wanted, (void *)(uintptr_t)images->request))
		return 0;
	hash = XXH3_64bits(bytes, size);
	for (size_t i = 0; i < images->cubin_count; i++)
		if (images->cubins[i]->hash == hash && images->cubins[i]->size == size &&
		    memcmp(images->cubins[i]->bytes, bytes, size) == 0)
			return i + 1;
	copy = malloc(size);
	if (!copy)
		return 0; /* the program goes on */
	memcpy(copy, bytes, size);
	cubin = xcalloc(1, sizeof(*cubin));
	*cubin = (struct cubin){.bytes = copy, .size = size, .hash = hash};
	images->cubins = xgrow(images->cubins, &images->cubin_capacity, images->cubin_count + 1,
			       sizeof(*images->cubins));
	images->cubins[images->cubin_count++] = cubin;
	return images->cubin_count;
}

void images_note_cubin(struct images *images, const void *bytes, size_t size)
{
	size_t kept;

	pthread_mutex_lock(&images->lock);
	kept = keep_cubin(images, bytes, size);
	if (images->reloading && kept)
		images->loads[images->reloading - 1].cubin = kept;
	pthread_mutex_unlock(&images->lock);
}

/* The lock is held. */
static struct image_load *load_of(struct images *images, const void *handle)
{
	for (size_t i = 0; handle && i < images->load_count; i++)
		if (images->loads[i].owner.handle == handle)
			return &images->loads[i];
	return NULL;
}

static void forget(struct image_load *load)
{
	free(load->copy);
	*load = (struct image_load){0};
}

/* A handle may come again, because unloading it was not noticed. */
static struct image_load *add_load(struct images *images, const struct image_owner *owner)
{
	struct image_load *load = load_of(images, owner->handle);

	for (size_t i = 0; i < images->load_count && !load; i++)
		if (!images->loads[i].owner.handle)
			load = &images->loads[i];
	if (load) {
		forget(load);
	} else {
		images->loads = xgrow(images->loads, &images->load_capacity, images->load_count + 1,
				      sizeof(*images->loads));
		load = &images->loads[images->load_count++];
	}
	*load = (struct image_load){.owner = *owner};
	return load;
}

/* The program may free what it hands over. */
static void copy_image(struct image_load *load, const void *image)
{
	const void *data = fatbin_part(image, 0, COPIED_MOST_BYTES, &load->bytes);

	if (!data)
		return;
	load->copy = malloc(load->bytes);
	if (!load->copy)
		return; /* as if it had been loaded before the recorder */
	memcpy(load->copy, data, load->bytes);
	load->image = load->copy;
}

void images_note_load(struct images *images, const struct image_owner *owner, const void *image,
		      bool stays)
{
	const size_t elf = elf_size(image, COPIED_MOST_BYTES);
	struct image_load *load;

	pthread_mutex_lock(&images->lock);
	load = add_load(images, owner);
	if (elf) {
		load->cubin = keep_cubin(images, image, elf);
	} else if (stays) {
		load->image = image;
	} else {
		copy_image(load, image);
	}
	pthread_mutex_unlock(&images->lock);
}

void images_forget_load(struct images *images, const void *handle)
{
	struct image_load *load;

	pthread_mutex_lock(&images->lock);
	load = load_of(images, handle);
	if (load)
		forget(load);
	pthread_mutex_unlock(&images->lock);
}

void images_forget_context(struct images *images, const void *context)
{
	pthread_mutex_lock(&images->lock);
	for (size_t i = 0; context && i < images->load_count; i++)
		if (images->loads[i].owner.context == context)
			forget(&images->loads[i]);
	pthread_mutex_unlock(&images->lock);
}

const struct cubin *images_find(struct images *images, const void *module, const void *library,
				const char *kernel, bool *ambiguous)
{
	const struct cubin *found = NULL;
	const struct image_load *load;

	*ambiguous = false;
	pthread_mutex_lock(&images->lock);
	load = load_of(images, module);
	if (!load)
		load = load_of(images, library);
	if (load && load->cubin)
		found = images->cubins[load->cubin - 1];
	for (size_t i = images->cubin_count; i-- && !(load && load->cubin);) {
		const struct cubin *cubin = images->cubins[i];

		if (!elf_has_kernel(cubin->bytes, cubin->size, kernel))
			continue;
		*ambiguous |= found != NULL;
		if (!found)
			found = cubin;
	}
	pthread_mutex_unlock(&images->lock);
	return found;
}

/* The index of the load + 1; 0: its code is known, or nothing can be loaded again. The lock is
 * held. */
static size_t next_reload(const struct images *images, const struct image_load *load,
			  const char *kernel, size_t *next)
{
	if (load)
		return load->cubin || !load->image || *next ? 0
							    : (size_t)(load - images->loads) + 1;
	for (size_t i = 0; i < images->cubin_count; i++)
		if (elf_has_kernel(images->cubins[i]->bytes, images->cubins[i]->size, kernel))
			return 0;
	/* A function that was taken from a library does not say from which. */
	while (*next < images->load_count) {
		const struct image_load *other = &images->loads[(*next)++];

		if (other->image && !other->cubin)
			return *next;
	}
	return 0;
}

const void *images_reload_next(struct images *images, const void *module, const void *library,
			       const char *kernel, size_t *next)
{
	const struct image_load *load;
	const void *image;

	pthread_mutex_lock(&images->lock);
	load = load_of(images, module);
	if (!load)
		load = load_of(images, library);
	images->reloading = next_reload(images, load, kernel, next);
	*next += load != NULL;
	image = images->reloading ? images->loads[images->reloading - 1].image : NULL;
	pthread_mutex_unlock(&images->lock);
	return image;
}

void images_reload_end(struct images *images)
{
	pthread_mutex_lock(&images->lock);
	images->reloading = 0;
	pthread_mutex_unlock(&images->lock);
}

/* The PTX in what the program loaded. */
static bool find_loaded_ptx(struct images *images, const void *module, const void *library,
			    const char *kernel, int cc, struct loaded_ptx *out)
{
	struct fatbin_ptx found = {0};
	const struct image_load *load;
	struct error none = {0};
	int rc = PL_ENOENT;

	pthread_mutex_lock(&images->lock);
	load = load_of(images, module);
	if (!load || !load->image)
		load = load_of(images, library);
	out->origin = "the fat binary of the program";
	if (load && load->copy) {
		out->origin = "the image that the program loaded";
		rc = fatbin_find_ptx_in(&found, load->copy, load->bytes, kernel, cc, &none);
	} else if (load && load->image) {
		rc = fatbin_find_ptx(&found, load->image, SIZE_MAX, kernel, cc, &none);
	}
	pthread_mutex_unlock(&images->lock);
	out->text = found.text;
	out->bytes = found.bytes;
	return rc == 0;
}

static bool find_triton_ptx(const struct cubin *cubin, const char *kernel, struct loaded_ptx *out)
{
	struct text folder = TEXT_INIT;
	struct error none = {0};
	const bool found = triton_cache_folder(&folder) &&
			   triton_cache_find(&out->text, &out->bytes, folder.data, kernel,
					     cubin->bytes, cubin->size, &none) == 0;

	out->origin = "the cache of Triton";
	text_release(&folder);
	return found;
}

bool images_find_ptx(struct images *images, const void *module, const void *library,
		     const struct cubin *cubin, const char *kernel, int cc, struct loaded_ptx *out)
{
	*out = (struct loaded_ptx){0};
	return find_loaded_ptx(images, module, library, kernel, cc, out) ||
	       find_triton_ptx(cubin, kernel, out);
}
