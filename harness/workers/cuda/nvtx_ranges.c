/* Pushes and pops NVTX ranges. */
#include "harness/workers/cuda/nvtx_ranges.h"

#include <inttypes.h>
#include <nvtx3/nvToolsExt.h>
#include <stdio.h>
#include <stdlib.h>

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
