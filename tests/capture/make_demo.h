/*
 * make_demo: two captures of real kernels with results that the processor
 * computed. All sums are exact in float, so a replay gives the same bits.
 */
#ifndef TESTS_CAPTURE_MAKE_DEMO_H
#define TESTS_CAPTURE_MAKE_DEMO_H

#include "base/base.h"

/* Texts and bytes of the images; see make_capture.h. */
struct demo_images {
	const char *ptx;
	const void *cubin; /* may be NULL */
	size_t cubin_bytes;
};

/*
 * saxpy.cu: n = 1000, a = 2, 8 blocks of 128 threads. One memory of 16 KiB has
 * x at byte 512 and y, which the launch changes, at byte 8192. The other bytes
 * are 0xa5.
 */
int make_demo_saxpy(const char *path, const struct demo_images *images, struct error *err);

/*
 * add_lists.cu: count = 2, n = 500, 4 blocks of 128 threads. Memory 0 has 512
 * bytes; at byte 64 it holds the addresses of byte 256 of memory 1, which the
 * launch changes, and of byte 1024 of memory 2, which it only reads. Both have 4 KiB.
 */
int make_demo_lists(const char *path, const struct demo_images *images, struct error *err);

#endif
