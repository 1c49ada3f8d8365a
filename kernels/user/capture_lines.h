/*
 * capture_lines: the annotations of a capture, as if its user had written them
 * into a sidecar:
 *
 *   summary launch 3 of softmax in ./train, on NVIDIA H200
 *   let p0 = m0 + 4096
 *   let p1 = 1000
 *   buffer m0: u8[1048576] inout capture "/tmp/softmax.capture" 0
 *   buffer m1: u8[256] in capture "/tmp/softmax.capture" 1
 *   verify m0 from "/tmp/softmax.capture"
 *   variant recorded
 *   summary the launch as it was recorded
 *   symbol m1 "_ZL5table": u8[256] capture "/tmp/softmax.capture" 1
 *   axis grid = 4096 "blocks along x of the recorded size"
 *   axis block = 256 "threads along x"
 *   axis shared = 0 "bytes of dynamic shared memory"
 *   launch "_Z7softmaxPfi"<<<ceil_div(grid * 256, block), block, shared>>>(m0 + 4096,
 * bytes(e8030000))
 *
 * The lets pN hold for replacements of the kernel, too; the axes only for the
 * recorded launch, because another kernel has other blocks.
 */
#ifndef KERNELS_USER_CAPTURE_LINES_H
#define KERNELS_USER_CAPTURE_LINES_H

#include "capture/capture.h"
#include "kernels/user/annotations.h"

/* The variant of the recorded launch. */
#define RECORDED_VARIANT "recorded"

bool is_capture_file(const char *path);

/*
 * Appends the annotations of the capture at `path`, which is absolute; `shown`
 * is as the user wrote it. PL_EUNSUPPORTED: the capture has more memory than a
 * case can have buffers.
 */
int capture_lines_add(struct annotation_lines *lines, struct annotation_pool *pool,
		      const char *shown, const char *path, const struct capture_info *info,
		      struct error *err);
/* Sets what a launch without a list of arguments passes: the recorded ones. */
void capture_arguments_set(struct annotation_scope *scope, struct annotation_pool *pool,
			   const struct capture_info *info);

#endif
