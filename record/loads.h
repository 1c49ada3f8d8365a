/* loads: which images the program loads and unloads, from the callbacks of the driver's functions.
 * Internal to record/. */
#ifndef RECORD_LOADS_H
#define RECORD_LOADS_H

#include "record/calls.h"
#include "record/images.h"

/* Notes an image that was loaded, and forgets one that will be unloaded. Other calls have no
 * effect. context: the current one of the thread. */
void load_call_note(struct images *images, CUpti_CallbackId id, const CUpti_CallbackData *data,
		    CUcontext context);

#endif
