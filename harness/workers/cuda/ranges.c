#include "harness/workers/cuda/ranges.h"

#include <inttypes.h>
#include <nvtx3/nvToolsExt.h>
#include <stdio.h>
#include <stdlib.h>

struct ranges {
	nvtxDomainHandle_t domain;
};

struct ranges *ranges_open(void)
{
	struct ranges *ranges = xcalloc(1, sizeof(*ranges));

	ranges->domain = nvtxDomainCreateA("perflab");
	return ranges;
}

void ranges_close(struct ranges *ranges)
{
	if (!ranges)
		return;
	nvtxDomainDestroy(ranges->domain);
	free(ranges);
}

static void push(struct ranges *ranges, const char *name, bool has_payload, int64_t payload)
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

void ranges_enter_case(struct ranges *ranges, const struct launch_case *work, int64_t id)
{
	push(ranges, work->kernel, false, 0);
	push(ranges, work->variant, work->axis_count == 0, id);
	for (size_t i = 0; i < work->axis_count; i++) {
		char name[64];

		snprintf(name, sizeof(name), "%s=%" PRId64, work->axes[i].name,
			 work->axes[i].value);
		push(ranges, name, true, i + 1 == work->axis_count ? id : work->axes[i].value);
	}
}

void ranges_leave_case(struct ranges *ranges, const struct launch_case *work)
{
	for (size_t i = 0; i < work->axis_count + 2; i++)
		nvtxDomainRangePop(ranges->domain);
}

void ranges_enter_phase(struct ranges *ranges, const char *phase)
{
	push(ranges, phase, false, 0);
}

void ranges_leave_phase(struct ranges *ranges)
{
	nvtxDomainRangePop(ranges->domain);
}
