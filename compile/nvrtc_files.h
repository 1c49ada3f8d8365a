/*
 * Records which files NVRTC opens. NVRTC has no option for that. It opens files with functions of
 * libc, and the dynamic linker prefers those that this program exports.
 */
#ifndef COMPILE_NVRTC_FILES_H
#define COMPILE_NVRTC_FILES_H

#include <stddef.h>

/* Starts the record. */
void nvrtc_files_begin(void);
/*
 * Ends the record and returns it: "+path" for a file that was read, "-path" for a name that was not
 * there, one a line, in the order of the calls and with repetitions. If a path contains a line end,
 * or memory ran out, it is a single "?". It lives until the program ends.
 */
const char *nvrtc_files_end(size_t *length);

#endif
