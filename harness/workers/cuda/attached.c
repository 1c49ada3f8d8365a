#include "harness/workers/cuda/attached.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool mentions(const char *variable, const char *word)
{
	const char *value = getenv(variable);

	return value && strstr(value, word);
}

enum attached_tool attached_tool(void)
{
	if (getenv("NSYS_PROFILING_SESSION_ID") ||
	    mentions("CUDA_INJECTION64_PATH", "nsight-systems"))
		return ATTACHED_NSYS;
	if (getenv("NV_NSIGHT_INJECTION_TRANSPORT_TYPE") ||
	    getenv("NV_NSIGHT_INJECTION_PORT_BASE") ||
	    getenv("NV_COMPUTE_PROFILER_PERFWORKS_DIR") ||
	    mentions("CUDA_INJECTION64_PATH", "nsight-compute") ||
	    mentions("LD_PRELOAD", "nsight-compute") ||
	    mentions("NVTX_INJECTION64_PATH", "nsight-compute"))
		return ATTACHED_NCU;
	if (getenv("CUDA_INJECTION64_PATH"))
		return ATTACHED_OTHER;
	return ATTACHED_NONE;
}

const char *attached_tool_name(enum attached_tool tool)
{
	static const char *const names[] = {[ATTACHED_NONE] = "",
					    [ATTACHED_NCU] = "ncu",
					    [ATTACHED_NSYS] = "nsys",
					    [ATTACHED_OTHER] = "other"};

	return names[tool];
}
