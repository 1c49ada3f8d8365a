/*
 * profiler: detects a profiler that is attached to this process, and marks cases and phases for
 * Nsight. Internal to harness/workers/cuda.
 */
#ifndef HARNESS_WORKERS_CUDA_PROFILER_H
#define HARNESS_WORKERS_CUDA_PROFILER_H

#include "kernels/kernels.h"

enum profiler { PROFILER_NONE, PROFILER_NCU, PROFILER_NSYS, PROFILER_OTHER };

/* Looks for the environment variables that profilers set for the programs that they start. */
enum profiler profiler_attached(void);
const char *profiler_name(enum profiler tool); /* "", "ncu", "nsys", "other" */

/*
 * NVTX ranges in the domain "perflab". They are nested: kernel > variant > one per axis value
 * ("block=256") > phase. They are push/pop ranges, because the filter of Nsight Compute reads
 * slashes as nesting: perflab@reduce/shuffle/block=256/. The names contain no character with a
 * special meaning in that filter. Without a profiler the ranges cost nothing.
 */
struct nvtx_ranges;
struct nvtx_ranges *nvtx_open(void);
void nvtx_close(struct nvtx_ranges *ranges);
/* Enters the ranges of kernel, variant and axes. The innermost has `id` as its payload. */
void nvtx_enter_case(struct nvtx_ranges *ranges, const struct launch_case *work, int64_t id);
void nvtx_leave_case(struct nvtx_ranges *ranges, const struct launch_case *work);
void nvtx_enter_phase(struct nvtx_ranges *ranges, const char *phase);
void nvtx_leave_phase(struct nvtx_ranges *ranges);

#endif
