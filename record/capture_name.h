/* capture_name: names for the captures of a recording, PREFIX.capture, PREFIX-2.capture, …, which
 * several processes may want at once. Internal to record/. */
#ifndef RECORD_CAPTURE_NAME_H
#define RECORD_CAPTURE_NAME_H

#include "base/base.h"

struct capture_name {
	char *path;        /* of the capture */
	char *reservation; /* a file that keeps other processes from the same name; NULL: none */
};

/* Takes the first name that no file has and no process wants. `folder` is that of the request. */
void capture_name_reserve(struct capture_name *out, const char *folder, const char *prefix);
/* To be called when the capture is there, or will never be. */
void capture_name_release(struct capture_name *name);

#endif
