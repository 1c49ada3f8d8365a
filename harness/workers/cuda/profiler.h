/* Which NVIDIA tool has this process under observation. Internal to harness/workers/cuda. */
#ifndef HARNESS_WORKERS_CUDA_PROFILER_H
#define HARNESS_WORKERS_CUDA_PROFILER_H

enum profiler { PROFILER_NONE, PROFILER_NCU, PROFILER_NSYS, PROFILER_OTHER };

/* By the environment that the tools give to what they start. */
enum profiler profiler_attached(void);
const char *profiler_name(enum profiler tool); /* "", "ncu", "nsys", "other" */

#endif
