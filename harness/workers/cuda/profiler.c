/* Recognises profilers by the environment variables that they set. */
#include "harness/workers/cuda/profiler.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool variable_contains(const char *variable, const char *word)
{
	const char *value = getenv(variable);

	return value && strstr(value, word);
}

enum profiler profiler_attached(void)
{
	if (getenv("NSYS_PROFILING_SESSION_ID") ||
	    variable_contains("CUDA_INJECTION64_PATH", "nsight-systems"))
		return PROFILER_NSYS;
	if (getenv("NV_NSIGHT_INJECTION_TRANSPORT_TYPE") ||
	    getenv("NV_NSIGHT_INJECTION_PORT_BASE") ||
	    getenv("NV_COMPUTE_PROFILER_PERFWORKS_DIR") ||
	    variable_contains("CUDA_INJECTION64_PATH", "nsight-compute") ||
	    variable_contains("LD_PRELOAD", "nsight-compute") ||
	    variable_contains("NVTX_INJECTION64_PATH", "nsight-compute"))
		return PROFILER_NCU;
	if (getenv("CUDA_INJECTION64_PATH"))
		return PROFILER_OTHER;
	return PROFILER_NONE;
}

const char *profiler_name(enum profiler tool)
{
	static const char *const names[] = {[PROFILER_NONE] = "",
					    [PROFILER_NCU] = "ncu",
					    [PROFILER_NSYS] = "nsys",
					    [PROFILER_OTHER] = "other"};

	return names[tool];
}
