/*
 * NVTX ranges in the domain "perflab": kernel > variant > one for each axis
 * value ("block=256") > phase. Nested push/pop ranges, because Nsight
 * Compute's filter takes slashes as nesting: perflab@reduce/shuffle/block=256/.
 * Names hold none of the characters that the filter gives a meaning of its
 * own. Costs nothing when no tool listens. Internal to harness/workers/cuda.
 */
#ifndef HARNESS_WORKERS_CUDA_NVTX_RANGES_H
#define HARNESS_WORKERS_CUDA_NVTX_RANGES_H

#include "kernels/kernels.h"

struct nvtx_ranges;
struct nvtx_ranges *nvtx_open(void);
void nvtx_close(struct nvtx_ranges *ranges);
/* Enters kernel, variant and axis ranges; the innermost carries `id` as its payload. */
void nvtx_enter_case(struct nvtx_ranges *ranges, const struct launch_case *work, int64_t id);
void nvtx_leave_case(struct nvtx_ranges *ranges, const struct launch_case *work);
void nvtx_enter_phase(struct nvtx_ranges *ranges, const char *phase);
void nvtx_leave_phase(struct nvtx_ranges *ranges);

#endif
