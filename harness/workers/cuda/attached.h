/* Which NVIDIA tool has this process under observation. Internal to harness/workers/cuda. */
#ifndef HARNESS_WORKERS_CUDA_ATTACHED_H
#define HARNESS_WORKERS_CUDA_ATTACHED_H

enum attached_tool { ATTACHED_NONE, ATTACHED_NCU, ATTACHED_NSYS, ATTACHED_OTHER };

/* By the environment that the tools give to what they start. */
enum attached_tool attached_tool(void);
const char *attached_tool_name(enum attached_tool tool); /* "", "ncu", "nsys", "other" */

#endif
