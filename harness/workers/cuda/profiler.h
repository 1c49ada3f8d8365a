/* profiler: detects a profiler that is attached to this process. Internal to harness/workers/cuda.
 */
#ifndef HARNESS_WORKERS_CUDA_PROFILER_H
#define HARNESS_WORKERS_CUDA_PROFILER_H

enum profiler { PROFILER_NONE, PROFILER_NCU, PROFILER_NSYS, PROFILER_OTHER };

/* Looks for the environment variables that profilers set for the programs that they start. */
enum profiler profiler_attached(void);
const char *profiler_name(enum profiler tool); /* "", "ncu", "nsys", "other" */

#endif
