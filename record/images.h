/*
 * images: the code that the program has loaded, as far as it holds kernels that
 * are wanted. The call of the program shows where it came from. CUPTI shows the
 * machine code when the driver loads it, which may be long afterwards. A recorder
 * that listens by hooks does not see that: it has what the program loaded loaded
 * once more, for this moment, and CUPTI shows the code that the driver takes from
 * it: the same as before, unless the program gave options to the compiler.
 * Functions may be called from several threads. Internal to record/.
 */
#ifndef RECORD_IMAGES_H
#define RECORD_IMAGES_H

#include <pthread.h>

#include "record/launches.h"
#include "record/request.h"

struct cubin {
	unsigned char *bytes;
	size_t size;
	uint64_t hash;
};

struct images {
	const struct record_request *request;
	const struct record_driver *driver;
	bool reloads; /* CUPTI shows code only while it is loaded again */
	pthread_mutex_t lock;
	struct cubin **cubins; /* each is allocated by itself, so that it stays where it is */
	size_t cubin_count, cubin_capacity;
	struct image_load *loads;
	size_t load_count, load_capacity;
	size_t reloading;          /* index + 1 of the load whose image is loaded again; 0: none */
	struct record_cupti cupti; /* opened when code is to be loaded again */
	bool cupti_is_open;
};

void images_init(struct images *images, const struct record_request *request,
		 const struct record_driver *driver, bool reloads);
/* Machine code that the driver loads. It is copied if it has a kernel that is wanted. */
void images_note_cubin(struct images *images, const void *bytes, size_t size);
/* Notes an image that was loaded, and forgets one that will be unloaded. Other calls have no
 * effect. context: the current one of the thread. */
void images_note_call(struct images *images, CUpti_CallbackId id, const CUpti_CallbackData *data,
		      CUcontext context);
/* A context ends, and with it its modules. Libraries stay until they are unloaded. */
void images_forget_context(struct images *images, const void *context);

/*
 * The machine code of a kernel. *ambiguous: several loaded images have a kernel of
 * this name with other code, and the newest was taken. PL_ENOENT: there is none.
 * PL_EUNSUPPORTED: CUPTI, which would have to show it, is missing or taken.
 */
int images_find(const struct cubin **out, struct images *images,
		const struct launched_function *function, const char *kernel, bool *ambiguous,
		struct error *err);

struct loaded_ptx {
	char *text; /* the caller's */
	size_t bytes;
	const char *origin; /* "the fat binary of the program" */
};

/* The PTX of a kernel for compute capability `cc` (90 for 9.0). False: there is none. */
bool images_find_ptx(struct images *images, const struct launched_function *function,
		     const struct cubin *cubin, const char *kernel, int cc, struct loaded_ptx *out);

#endif
