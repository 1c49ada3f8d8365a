#include "record/images.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "record/elf.h"
#include "record/fatbin.h"
#include "record/triton_cache.h"

/* Larger files, and fat binaries or PTX that a program may free afterwards, are not kept. */
#define COPIED_MOST_BYTES ((size_t)256 << 20)

/* A call that loaded an image. */
struct image_load {
	const void *handle;  /* CUmodule or CUlibrary; NULL: it was unloaded */
	const void *context; /* CUcontext, with which a module ends; NULL: it is a library */
	const void *image;   /* the fat binary of a library, which stays where it is; or `copy` */
	char *copy;          /* PTX or fat binary that the program may free; NULL: none */
	size_t bytes;        /* of the copy */
	size_t cubin;        /* index + 1 of its cubin; 0: it is not known */
};

static struct {
	const struct record_request *request;
	bool reloads;
	pthread_mutex_t lock;  /* held to use what follows */
	struct cubin **cubins; /* each is allocated by itself, so that it stays where it is */
	size_t cubin_count, cubin_capacity;
	struct image_load *loads;
	size_t load_count, load_capacity;
	size_t reloading; /* index + 1 of the load whose image is loaded again; 0: none */
} images = {.lock = PTHREAD_MUTEX_INITIALIZER};

void images_init(const struct record_request *request, bool reloads)
{
	images.request = request;
	images.reloads = reloads;
}

/* ---- what is loaded and unloaded ---- */

static bool is_wanted(void *context, const char *kernel)
{
	return record_request_wants(context, kernel);
}

/* Returns the index of the cubin + 1; 0 if nothing in it is wanted, or there is no memory. The lock
 * is held. */
static size_t keep_cubin(const void *bytes, size_t size)
{
	unsigned char *copy;
	struct cubin *cubin;
	uint64_t hash;

	if (!elf_each_kernel(bytes, size, is_wanted, (void *)(uintptr_t)images.request))
		return 0;
	hash = XXH3_64bits(bytes, size);
	for (size_t i = 0; i < images.cubin_count; i++)
		if (images.cubins[i]->hash == hash && images.cubins[i]->size == size &&
		    memcmp(images.cubins[i]->bytes, bytes, size) == 0)
			return i + 1;
	copy = malloc(size);
	if (!copy)
		return 0; /* the program goes on */
	memcpy(copy, bytes, size);
	cubin = xcalloc(1, sizeof(*cubin));
	*cubin = (struct cubin){.bytes = copy, .size = size, .hash = hash};
	images.cubins = xgrow(images.cubins, &images.cubin_capacity, images.cubin_count + 1,
			      sizeof(*images.cubins));
	images.cubins[images.cubin_count++] = cubin;
	return images.cubin_count;
}

void images_note_cubin(const void *bytes, size_t size)
{
	size_t kept;

	pthread_mutex_lock(&images.lock);
	kept = keep_cubin(bytes, size);
	if (images.reloading && kept)
		images.loads[images.reloading - 1].cubin = kept;
	pthread_mutex_unlock(&images.lock);
}

/* The lock is held. */
static struct image_load *load_of(const void *handle)
{
	for (size_t i = 0; handle && i < images.load_count; i++)
		if (images.loads[i].handle == handle)
			return &images.loads[i];
	return NULL;
}

static void forget(struct image_load *load)
{
	free(load->copy);
	*load = (struct image_load){0};
}

/* A handle may come again, because unloading it was not noticed. The lock is held. */
static struct image_load *add_load(const void *handle, const void *context)
{
	struct image_load *load = load_of(handle);

	for (size_t i = 0; i < images.load_count && !load; i++)
		if (!images.loads[i].handle)
			load = &images.loads[i];
	if (load) {
		forget(load);
	} else {
		images.loads = xgrow(images.loads, &images.load_capacity, images.load_count + 1,
				     sizeof(*images.loads));
		load = &images.loads[images.load_count++];
	}
	*load = (struct image_load){.handle = handle, .context = context};
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

/* The program has loaded `image`. stays: it may be read until the handle is unloaded. */
static void note_image(const void *handle, const void *context, const void *image, bool stays)
{
	const size_t elf = elf_size(image, COPIED_MOST_BYTES);
	struct image_load *load;

	pthread_mutex_lock(&images.lock);
	load = add_load(handle, context);
	if (elf) {
		load->cubin = keep_cubin(image, elf);
	} else if (stays) {
		load->image = image;
	} else {
		copy_image(load, image);
	}
	pthread_mutex_unlock(&images.lock);
}

/* Whether the driver and the recorder may read the code until the library is unloaded. What nvcc
 * has wrapped is a part of the program. */
static bool code_stays(const cuLibraryLoadData_params *given)
{
	for (unsigned i = 0; i < given->numLibraryOptions; i++)
		if (given->libraryOptions[i] == CU_LIBRARY_BINARY_IS_PRESERVED)
			return true;
	return fatbin_is_wrapped(given->code);
}

/* The parameters of all functions that load a module, or a library, begin in the same way. Only
 * after the call: before it there is no handle. */
static void note_load(enum call_role role, const CUpti_CallbackData *data, CUcontext current)
{
	const CUresult *result = data->functionReturnValue;
	const cuModuleLoadData_params *module = data->functionParams;
	const cuLibraryLoadData_params *library = data->functionParams;
	const cuModuleLoad_params *module_file = data->functionParams;
	const cuLibraryLoadFromFile_params *library_file = data->functionParams;
	/* A library is loaded into every context that needs it. */
	const bool of_context = role == CALL_MODULE_IMAGE || role == CALL_MODULE_FILE;
	const void *context = of_context ? current : NULL;
	const void *handle;
	struct error none = {0};
	char *bytes = NULL;
	size_t size = 0;

	if (!result || *result != CUDA_SUCCESS)
		return;
	handle = of_context ? (const void *)*module->module : (const void *)*library->library;
	if (role == CALL_LIBRARY_IMAGE)
		note_image(handle, context, library->code, code_stays(library));
	else if (role == CALL_MODULE_IMAGE)
		note_image(handle, context, module->image, false);
	else if (!read_file(&bytes, &size, of_context ? module_file->fname : library_file->fileName,
			    COPIED_MOST_BYTES, &none))
		/* what the file holds when the driver has read it */
		note_image(handle, context, bytes, false);
	free(bytes);
}

/* `handle` is about to be unloaded, and may then stand for another image. */
static void note_unload(const void *handle)
{
	struct image_load *load;

	pthread_mutex_lock(&images.lock);
	load = load_of(handle);
	if (load)
		forget(load);
	pthread_mutex_unlock(&images.lock);
}

void images_note_call(CUpti_CallbackId id, const CUpti_CallbackData *data, CUcontext context)
{
	const enum call_role role = call_role_of(id);

	if (data->callbackSite == CUPTI_API_EXIT && call_loads_code(role))
		note_load(role, data, context);
	else if (data->callbackSite == CUPTI_API_ENTER && role == CALL_UNLOAD)
		/* before the call: after it, another thread may have got the handle again; it is
		 * the only parameter */
		note_unload(((const cuModuleUnload_params *)data->functionParams)->hmod);
}

void images_forget_context(const void *context)
{
	pthread_mutex_lock(&images.lock);
	for (size_t i = 0; context && i < images.load_count; i++)
		if (images.loads[i].context == context)
			forget(&images.loads[i]);
	pthread_mutex_unlock(&images.lock);
}

/* ---- loading code once more, while CUPTI shows it ---- */

/* Other threads of the program may load code at the same time. */
static _Thread_local bool reloading;

static void CUPTIAPI on_resource(void *context, CUpti_CallbackDomain domain, CUpti_CallbackId id,
				 const void *data)
{
	const CUpti_ResourceData *resource = data;
	const CUpti_ModuleResourceData *module;

	(void)context;
	if (!reloading || domain != CUPTI_CB_DOMAIN_RESOURCE ||
	    id != CUPTI_CBID_RESOURCE_MODULE_LOADED)
		return;
	module = resource->resourceDescriptor;
	images_note_cubin(module->pCubin, module->cubinSize);
}

/* What the driver refuses now, it took from the program. So it is left out. */
static void load_again(const void *image)
{
	CUlibrary library;
	CUmodule module;

	if (driver.cuLibraryLoadData(&library, image, NULL, NULL, 0, NULL, NULL, 0) != CUDA_SUCCESS)
		return;
	driver.cuLibraryGetModule(&module, library); /* loads the code */
	driver.cuLibraryUnload(library);
}

static int listen_to_loads(CUpti_SubscriberHandle *subscriber, struct error *err)
{
	int rc = record_cupti_open(images.request->cupti, err);

	if (rc)
		return rc;
	rc = record_cupti_check(cupti.cuptiSubscribe(subscriber, on_resource, NULL), err,
				"subscribing to CUPTI, to see the machine code of the kernel");
	if (rc)
		return rc;
	rc = record_cupti_check(cupti.cuptiEnableCallback(1, *subscriber, CUPTI_CB_DOMAIN_RESOURCE,
							  CUPTI_CBID_RESOURCE_MODULE_LOADED),
				err, "listening to what the driver loads");
	if (rc)
		cupti.cuptiUnsubscribe(*subscriber);
	return rc;
}

/* What the program loaded as the module or the library of a function. The lock is held. */
static struct image_load *load_of_function(const struct launched_function *function)
{
	struct image_load *load = load_of(function->module);

	return load ? load : load_of(function->library);
}

/* The index of the load + 1; 0: its code is known, or nothing can be loaded again. The lock is
 * held. */
static size_t next_reload(const struct image_load *load, const char *kernel, size_t *next)
{
	if (load)
		return load->cubin || !load->image || *next ? 0 : (size_t)(load - images.loads) + 1;
	for (size_t i = 0; i < images.cubin_count; i++)
		if (elf_has_kernel(images.cubins[i]->bytes, images.cubins[i]->size, kernel))
			return 0;
	/* A function that was taken from a library does not say from which. */
	while (*next < images.load_count) {
		const struct image_load *other = &images.loads[(*next)++];

		if (other->image && !other->cubin)
			return *next;
	}
	return 0;
}

/*
 * The next image to load again in search of a kernel, which then is the one that
 * images_note_cubin() is about: what the program loaded as the module or library of
 * the function, or, if that is not known, each image in turn. NULL: the code of the
 * kernel is known, or there are no more; then images_note_cubin() is about no image
 * of the program. *next is 0 at first.
 */
static const void *next_image(const struct launched_function *function, const char *kernel,
			      size_t *next)
{
	const struct image_load *load;
	const void *image;

	pthread_mutex_lock(&images.lock);
	load = load_of_function(function);
	images.reloading = next_reload(load, kernel, next);
	*next += load != NULL;
	image = images.reloading ? images.loads[images.reloading - 1].image : NULL;
	pthread_mutex_unlock(&images.lock);
	return image;
}

/* Returns 0 also if the code is known, or was not found. */
static int load_code_again(const struct launched_function *function, const char *kernel,
			   struct error *err)
{
	CUpti_SubscriberHandle subscriber;
	size_t next = 0;
	const void *image = next_image(function, kernel, &next);
	int rc;

	if (!image)
		return 0;
	rc = listen_to_loads(&subscriber, err);
	if (rc) {
		pthread_mutex_lock(&images.lock);
		images.reloading = 0;
		pthread_mutex_unlock(&images.lock);
		return rc;
	}
	reloading = true;
	for (; image; image = next_image(function, kernel, &next))
		load_again(image);
	reloading = false;
	cupti.cuptiUnsubscribe(subscriber);
	return 0;
}

/* ---- finding ---- */

int images_find(const struct cubin **out, const struct launched_function *function,
		const char *kernel, bool *ambiguous, struct error *err)
{
	const struct cubin *found = NULL;
	const struct image_load *load;
	int rc = images.reloads ? load_code_again(function, kernel, err) : 0;

	*ambiguous = false;
	if (rc)
		return rc;
	pthread_mutex_lock(&images.lock);
	load = load_of_function(function);
	if (load && load->cubin)
		found = images.cubins[load->cubin - 1];
	for (size_t i = images.cubin_count; i-- && !(load && load->cubin);) {
		const struct cubin *cubin = images.cubins[i];

		if (!elf_has_kernel(cubin->bytes, cubin->size, kernel))
			continue;
		*ambiguous |= found != NULL;
		if (!found)
			found = cubin;
	}
	pthread_mutex_unlock(&images.lock);
	*out = found;
	return found ? 0
		     : error_set(err, PL_ENOENT,
				 "the machine code of the kernel was loaded before the recorder, "
				 "CUPTI did not show it, or there was no memory for a copy");
}

/* The PTX in what the program loaded. */
static bool find_loaded_ptx(const struct launched_function *function, const char *kernel, int cc,
			    struct loaded_ptx *out)
{
	struct fatbin_ptx found = {0};
	const struct image_load *load;
	struct error none = {0};
	int rc = PL_ENOENT;

	pthread_mutex_lock(&images.lock);
	load = load_of(function->module);
	if (!load || !load->image)
		load = load_of(function->library);
	out->origin = "the fat binary of the program";
	if (load && load->copy) {
		out->origin = "the image that the program loaded";
		rc = fatbin_find_ptx_in(&found, load->copy, load->bytes, kernel, cc, &none);
	} else if (load && load->image) {
		rc = fatbin_find_ptx(&found, load->image, SIZE_MAX, kernel, cc, &none);
	}
	pthread_mutex_unlock(&images.lock);
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

bool images_find_ptx(const struct launched_function *function, const struct cubin *cubin,
		     const char *kernel, int cc, struct loaded_ptx *out)
{
	*out = (struct loaded_ptx){0};
	return find_loaded_ptx(function, kernel, cc, out) || find_triton_ptx(cubin, kernel, out);
}
