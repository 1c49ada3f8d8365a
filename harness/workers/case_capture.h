/*
 * case_capture: the capture from which a case takes memory, the same for every
 * backend. It knows which buffer of the case is which memory of the capture. A
 * backend says where it has put the buffers; the contents that are read then have
 * these addresses in place of those of the recorded program.
 */
#ifndef HARNESS_WORKERS_CASE_CAPTURE_H
#define HARNESS_WORKERS_CASE_CAPTURE_H

#include "capture/capture.h"
#include "kernels/kernels.h"

struct case_capture;

/*
 * Opens the capture that fills buffers of the case; *out is NULL if none does. The
 * case must outlive it. Errors are those of capture_open(). PL_EUSAGE: the buffers take
 * memory of several captures, memory that the capture does not have, or of another
 * size.
 */
int case_capture_open(struct case_capture **out, const struct launch_case *work, struct error *err);
void case_capture_close(struct case_capture *from); /* accepts NULL */
const struct capture_info *case_capture_info(const struct case_capture *from);
/* The memory that fills a buffer. NULL: it has another fill, or `from` is NULL. */
const struct capture_memory *case_capture_memory(const struct case_capture *from, size_t buffer);
/* Says where a buffer is. Until then, pointers to it stay as the program had them. */
void case_capture_place(struct case_capture *from, size_t buffer, uint64_t address);
/* Reads the content of a buffer before or after the recorded launch, with the addresses of the
 * case. The buffer has a memory. Errors are those of capture_read_memory(). */
int case_capture_read(const struct case_capture *from, size_t buffer, enum capture_state state,
		      void *data, struct error *err);
/* Adds to a key on what the contents of a buffer depend beyond the capture: the addresses to which
 * its pointers lead. Adds nothing if it has none. */
void case_capture_add_key(struct text *key, const struct case_capture *from, size_t buffer);

/* Fills an input: by a capture, or from the seed as kernel_fill(), or if `mixed` as
 * case_fill_mixed(). */
int case_fill(void *data, const struct launch_case *work, size_t buffer,
	      const struct case_capture *from, uint64_t seed, bool mixed, struct error *err);

#endif
