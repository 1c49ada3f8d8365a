/*
 * What the stand-in for libcupti records of a device: two kernels and a copy, in an order that is
 * not that of their starts. FAKE_CUPTI_LOST_RECORDS of them are said to be lost; no more than
 * FAKE_CUPTI_KINDS kinds are recorded.
 */
#include "fake_cupti.h"

#include <stdlib.h>
#include <string.h>

static struct {
	CUpti_BuffersCallbackRequestFunc give;
	CUpti_BuffersCallbackCompleteFunc take;
	size_t kinds; /* that are enabled */
	/* of the buffer that is read */
	CUpti_ActivityKernel9 kernels[2];
	CUpti_ActivityMemcpy5 copy;
	size_t read;
} activity;

CUptiResult cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc give,
					   CUpti_BuffersCallbackCompleteFunc take)
{
	MAY_FAIL();
	activity.give = give;
	activity.take = take;
	return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityEnable(CUpti_ActivityKind kind)
{
	(void)kind;
	MAY_FAIL();
	if (activity.kinds == setting("FAKE_CUPTI_KINDS", 3))
		return CUPTI_ERROR_INVALID_KIND;
	activity.kinds++;
	return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityDisable(CUpti_ActivityKind kind)
{
	(void)kind;
	activity.kinds -= activity.kinds > 0;
	return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityFlushAll(uint32_t flag)
{
	uint8_t *buffer = NULL;
	size_t bytes = 0, most = 0;

	(void)flag;
	MAY_FAIL();
	if (!activity.kinds)
		return CUPTI_ERROR_INVALID_OPERATION;
	memset(activity.kernels, 0, sizeof(activity.kernels));
	for (size_t i = 0; i < 2; i++) {
		activity.kernels[i].kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
		activity.kernels[i].name =
			i ? "flush_by_reading" : "a_kernel_whose_name_is_longer_than_a_record";
		activity.kernels[i].start = i ? 100 : 300;
		activity.kernels[i].end = i ? 200 : 450;
	}
	memset(&activity.copy, 0, sizeof(activity.copy));
	activity.copy.kind = CUPTI_ACTIVITY_KIND_MEMCPY;
	activity.copy.start = 50;
	activity.copy.end = 60;
	activity.read = 0;
	activity.give(&buffer, &bytes, &most);
	activity.take(NULL, 0, buffer, bytes, 3);
	return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityGetNextRecord(uint8_t *buffer, size_t used, CUpti_Activity **record)
{
	(void)buffer;
	if (activity.read == used)
		return CUPTI_ERROR_MAX_LIMIT_REACHED;
	*record = activity.read < 2 ? (void *)&activity.kernels[activity.read]
				    : (void *)&activity.copy;
	activity.read++;
	return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityGetNumDroppedRecords(CUcontext context, uint32_t stream, size_t *dropped)
{
	(void)context;
	(void)stream;
	*dropped = setting("FAKE_CUPTI_LOST_RECORDS", 0);
	return CUPTI_SUCCESS;
}
