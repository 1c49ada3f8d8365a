/*
 * capture_skeleton: the first text of a kernel that replaces a recorded one: what
 * the capture knows of the launch, as comments, annotations that pass the
 * recorded parameters by name, and a kernel that does nothing yet.
 *
 * Invariants: the text compiles as CUDA C++, and kernel_files_read() accepts it
 * beside the capture. No string of the capture leaves its comment. All memory is
 * borrowed.
 */
#ifndef KERNELS_USER_CAPTURE_SKELETON_H
#define KERNELS_USER_CAPTURE_SKELETON_H

#include "capture/capture.h"

/* Appends the text to *out. `name` is the capture as the user wrote it. */
void capture_skeleton_write(struct text *out, const char *name, const struct capture_info *info);

#endif
