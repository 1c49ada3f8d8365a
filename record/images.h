/*
 * images: the code that the program has loaded, as far as it holds kernels that
 * are wanted. The call of the program shows where it came from. CUPTI shows the
 * machine code when the driver loads it, which may be long afterwards, or when
 * reload.c has it loaded again. Functions may be called from several threads.
 * Internal to record/.
 */
#ifndef RECORD_IMAGES_H
#define RECORD_IMAGES_H

#include <pthread.h>

#include "record/request.h"

struct cubin {
	unsigned char *bytes;
	size_t size;
	uint64_t hash;
};

/* What an image was loaded as. */
struct image_owner {
	const void *handle;  /* CUmodule or CUlibrary */
	const void *context; /* CUcontext, with which a module ends; NULL: it is a library */
};

/* A call that loaded an image. */
struct image_load {
	struct image_owner owner; /* without a handle: it was unloaded */
	const void *image; /* the fat binary of a library, which stays where it is; or `copy` */
	char *copy;        /* PTX or fat binary that the program may free; NULL: none */
	size_t bytes;      /* of the copy */
	size_t cubin;      /* index + 1 of its cubin; 0: it is not known */
};

struct images {
	const struct record_request *request;
	pthread_mutex_t lock;
	struct cubin **cubins; /* each is allocated by itself, so that it stays where it is */
	size_t cubin_count, cubin_capacity;
	struct image_load *loads;
	size_t load_count, load_capacity;
	size_t reloading; /* index + 1 of the load whose image is loaded again; 0: none */
};

void images_init(struct images *images, const struct record_request *request);
/* Machine code that the driver loads. It is copied if it has a kernel that is wanted. */
void images_note_cubin(struct images *images, const void *bytes, size_t size);
/* The program has loaded `image`. stays: it may be read until the handle is unloaded. */
void images_note_load(struct images *images, const struct image_owner *owner, const void *image,
		      bool stays);
/* The program unloads the handle, which may then stand for another image. */
void images_forget_load(struct images *images, const void *handle);
/* A context ends, and with it its modules. Libraries stay until they are unloaded. */
void images_forget_context(struct images *images, const void *context);

/*
 * The machine code of a kernel. `module` and `library` are the handles that it
 * belongs to; NULL: none. *ambiguous: several loaded images have a kernel of this
 * name with other code, and the newest was taken. NULL: there is none.
 */
const struct cubin *images_find(struct images *images, const void *module, const void *library,
				const char *kernel, bool *ambiguous);
/*
 * The next image to load again in search of a kernel, which then is the one that
 * images_note_cubin() is about: what the program loaded as one of the handles,
 * or, if that is not known, each image in turn. NULL: the code of the kernel is
 * known, or there are no more. *next is 0 at first.
 */
const void *images_reload_next(struct images *images, const void *module, const void *library,
			       const char *kernel, size_t *next);
/* images_note_cubin() is about no image of the program from now on. */
void images_reload_end(struct images *images);

struct loaded_ptx {
	char *text; /* the caller's */
	size_t bytes;
	const char *origin; /* "the fat binary of the program" */
};

/* The PTX of a kernel for compute capability `cc` (90 for 9.0). False: there is none. */
bool images_find_ptx(struct images *images, const void *module, const void *library,
		     const struct cubin *cubin, const char *kernel, int cc, struct loaded_ptx *out);

#endif
