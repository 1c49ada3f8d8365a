/* Recognises profilers by the environment variables that they set, and pushes and pops NVTX ranges.
 */
#include "harness/workers/cuda/backend.h"

#include <inttypes.h>
#include <nvtx3/nvToolsExt.h>
#include <stdbool.h>
#include <stdio.h>
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

/* ---- ranges ---- */

struct nvtx_ranges {
	nvtxDomainHandle_t domain;
};

struct nvtx_ranges *nvtx_open(void)
{
	struct nvtx_ranges *ranges = xcalloc(1, sizeof(*ranges));

	ranges->domain = nvtxDomainCreateA("perflab");
	return ranges;
}

void nvtx_close(struct nvtx_ranges *ranges)
{
	if (!ranges)
		return;
	nvtxDomainDestroy(ranges->domain);
	free(ranges);
}

static void push_range(struct nvtx_ranges *ranges, const char *name, bool has_payload,
		       int64_t payload)
{
	nvtxEventAttributes_t attributes = {0};

	attributes.version = NVTX_VERSION;
	attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
	attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
	attributes.message.ascii = name;
	if (has_payload) {
		attributes.payloadType = NVTX_PAYLOAD_TYPE_INT64;
		attributes.payload.llValue = payload;
	}
	nvtxDomainRangePushEx(ranges->domain, &attributes);
}

void nvtx_enter_case(struct nvtx_ranges *ranges, const struct launch_case *work, int64_t id)
{
	push_range(ranges, work->kernel, false, 0);
	push_range(ranges, work->variant, work->axis_count == 0, id);
	for (size_t i = 0; i < work->axis_count; i++) {
		char name[64];

		snprintf(name, sizeof(name), "%s=%" PRId64, work->axes[i].name,
			 work->axes[i].value);
		push_range(ranges, name, true,
			   i + 1 == work->axis_count ? id : work->axes[i].value);
	}
}

void nvtx_leave_case(struct nvtx_ranges *ranges, const struct launch_case *work)
{
	for (size_t i = 0; i < work->axis_count + 2; i++)
		nvtxDomainRangePop(ranges->domain);
}

void nvtx_enter_phase(struct nvtx_ranges *ranges, const char *phase)
{
	push_range(ranges, phase, false, 0);
}

void nvtx_leave_phase(struct nvtx_ranges *ranges)
{
	nvtxDomainRangePop(ranges->domain);
}
