/*
 * make_capture: writes a capture from a description in C, for tests that need
 * one. The description may leave out what its test does not look at.
 */
#ifndef TESTS_CAPTURE_MAKE_CAPTURE_H
#define TESTS_CAPTURE_MAKE_CAPTURE_H

#include "capture/capture.h"

struct made_content {
	const void *before; /* memory[i].bytes of it */
	const void *after;  /* the same, or NULL: unchanged */
};

struct made_capture {
	/* Defaults: texts that are NULL get one; so do a number, a compute capability and a driver
	 * version of 0; parts of grid, block and cluster that are 0 become 1. `changed` comes from
	 * the content. */
	struct capture_info info;
	const struct made_content *content; /* one per memory */
	const void *cubin;                  /* NULL: a few bytes that are no cubin */
	size_t cubin_bytes;
	const char *ptx; /* NULL: none */
};

/* Errors as those of capture_writer_commit(). */
int make_capture(const char *path, const struct made_capture *what, struct error *err);

#endif
