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

#include "record/launches.h"
#include "record/request.h"

struct cubin {
	unsigned char *bytes;
	size_t size;
	uint64_t hash;
};

/* reloads: CUPTI shows code only while it is loaded again. */
void images_init(const struct record_request *request, bool reloads);
/* Machine code that the driver loads. It is copied if it has a kernel that is wanted. */
void images_note_cubin(const void *bytes, size_t size);
/* Notes an image that was loaded, and forgets one that will be unloaded. Other calls have no
 * effect. context: the current one of the thread. */
void images_note_call(CUpti_CallbackId id, const CUpti_CallbackData *data, CUcontext context);
/* A context ends, and with it its modules. Libraries stay until they are unloaded. */
void images_forget_context(const void *context);

/*
 * The machine code of a kernel. *ambiguous: several loaded images have a kernel of
 * this name with other code, and the newest was taken. PL_ENOENT: there is none.
 * PL_EUNSUPPORTED: CUPTI, which would have to show it, is missing or taken.
 */
int images_find(const struct cubin **out, const struct launched_function *function,
		const char *kernel, bool *ambiguous, struct error *err);

struct loaded_ptx {
	char *text; /* the caller's */
	size_t bytes;
	const char *origin; /* "the fat binary of the program" */
};

/* The PTX of a kernel for compute capability `cc` (90 for 9.0). False: there is none. */
bool images_find_ptx(const struct launched_function *function, const struct cubin *cubin,
		     const char *kernel, int cc, struct loaded_ptx *out);

#endif
