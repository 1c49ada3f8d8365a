/*
 * A stand-in for libcupti, loaded through PERFLAB_CUPTI, for tests that would need a GPU or an
 * error of CUPTI. It has one chip, GH100, and needs FAKE_CUPTI_PASSES passes
 * (2). FAKE_CUPTI_FAIL="cuptiProfilerInitialize=39" makes that function
 * return that result; FAKE_CUPTI_DROPPED ranges are dropped at decoding;
 * FAKE_CUPTI_VGPU makes the device a virtual GPU without profiling.
 * A counter's value is 100 * (range + 1) + its position.
 */
#include "fake_cupti.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The image: the offset of the ranges, as in real images, then the number of ranges. */
#define RANGES_OFFSET 0x38
#define COUNT_OFFSET 64
#define NAMES_OFFSET 128
#define NAME_BYTES 32
#define MAX_RANGES 128

struct CUpti_Profiler_Host_Object {
	size_t counters;
};

struct CUpti_RangeProfiler_Object {
	uint8_t *image;
	size_t pass;
	uint32_t ranges;
};

size_t setting(const char *name, size_t otherwise)
{
	const char *text = getenv(name);

	return text ? strtoul(text, NULL, 10) : otherwise;
}

CUptiResult result_of(const char *function)
{
	const char *fail = getenv("FAKE_CUPTI_FAIL");
	size_t length = strlen(function);

	if (fail && strncmp(fail, function, length) == 0 && fail[length] == '=')
		return (CUptiResult)atoi(fail + length + 1);
	return CUPTI_SUCCESS;
}

CUptiResult cuptiGetVersion(uint32_t *version)
{
	*version = 130001;
	return CUPTI_SUCCESS;
}

CUptiResult cuptiGetResultString(CUptiResult result, const char **str)
{
	if (result != CUPTI_ERROR_INSUFFICIENT_PRIVILEGES)
		*str = "CUPTI_ERROR_FAKE";
	else
		*str = "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES";
	return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostInitialize(CUpti_Profiler_Host_Initialize_Params *params)
{
	MAY_FAIL();
	params->pHostObject = calloc(1, sizeof(*params->pHostObject));
	return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostDeinitialize(CUpti_Profiler_Host_Deinitialize_Params *params)
{
	free(params->pHostObject);
	return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostGetSupportedChips(CUpti_Profiler_Host_GetSupportedChips_Params *params)
{
	static const char *const chips[] = {"GH100"};

	MAY_FAIL();
	params->ppChipNames = chips;
	params->numChips = 1;
	return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostGetBaseMetrics(CUpti_Profiler_Host_GetBaseMetrics_Params *params)
{
	params->numMetrics = 0;
	return CUPTI_SUCCESS;
}

CUptiResult
cuptiProfilerHostGetMetricProperties(CUpti_Profiler_Host_GetMetricProperties_Params *params)
{
	params->pDimUnit = "byte";
	params->pDescription = "fake";
	return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostConfigAddMetrics(CUpti_Profiler_Host_ConfigAddMetrics_Params *params)
{
	MAY_FAIL();
	params->pHostObject->counters += params->numMetrics;
	return CUPTI_SUCCESS;
}

CUptiResult
cuptiProfilerHostGetConfigImageSize(CUpti_Profiler_Host_GetConfigImageSize_Params *params)
{
	MAY_FAIL();
	params->configImageSize = 8;
	return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostGetConfigImage(CUpti_Profiler_Host_GetConfigImage_Params *params)
{
	MAY_FAIL();
	memset(params->pConfigImage, 1, params->configImageSize);
	return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostGetNumOfPasses(CUpti_Profiler_Host_GetNumOfPasses_Params *params)
{
	MAY_FAIL();
	params->numOfPasses = 2;
	return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostGetRangeName(CUpti_Profiler_Host_GetRangeName_Params *params)
{
	MAY_FAIL();
	params->pRangeName = strdup((const char *)params->pCounterDataImage + NAMES_OFFSET +
				    params->rangeIndex * NAME_BYTES);
	return CUPTI_SUCCESS;
}

/* The last counter has no value: CUPTI returns NAN. */
CUptiResult
cuptiProfilerHostEvaluateToGpuValues(CUpti_Profiler_Host_EvaluateToGpuValues_Params *params)
{
	MAY_FAIL();
	for (size_t i = 0; i < params->numMetrics; i++)
		params->pMetricValues[i] = 100.0 * (double)(params->rangeIndex + 1) + (double)i;
	if (params->numMetrics > 1)
		params->pMetricValues[params->numMetrics - 1] = NAN;
	return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerInitialize(CUpti_Profiler_Initialize_Params *params)
{
	(void)params;
	MAY_FAIL();
	return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerDeviceSupported(CUpti_Profiler_DeviceSupported_Params *params)
{
	MAY_FAIL();
	if (params->api != CUPTI_PROFILER_RANGE_PROFILING)
		return CUPTI_ERROR_INVALID_PARAMETER;
	params->architecture = CUPTI_PROFILER_CONFIGURATION_SUPPORTED;
	params->isSupported = CUPTI_PROFILER_CONFIGURATION_SUPPORTED;
	if (setting("FAKE_CUPTI_VGPU", 0)) {
		params->vGpu = CUPTI_PROFILER_CONFIGURATION_DISABLED;
		params->isSupported = CUPTI_PROFILER_CONFIGURATION_UNSUPPORTED;
	}
	return CUPTI_SUCCESS;
}

CUptiResult
cuptiProfilerGetCounterAvailability(CUpti_Profiler_GetCounterAvailability_Params *params)
{
	MAY_FAIL();
	params->counterAvailabilityImageSize = 16;
	if (params->pCounterAvailabilityImage)
		memset(params->pCounterAvailabilityImage, 2, 16);
	return CUPTI_SUCCESS;
}

CUptiResult cuptiDeviceGetChipName(CUpti_Device_GetChipName_Params *params)
{
	MAY_FAIL();
	params->pChipName = "GH100";
	return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerEnable(CUpti_RangeProfiler_Enable_Params *params)
{
	MAY_FAIL();
	params->pRangeProfilerObject = calloc(1, sizeof(*params->pRangeProfilerObject));
	return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerDisable(CUpti_RangeProfiler_Disable_Params *params)
{
	free(params->pRangeProfilerObject);
	return CUPTI_SUCCESS;
}

CUptiResult
cuptiRangeProfilerGetCounterDataSize(CUpti_RangeProfiler_GetCounterDataSize_Params *params)
{
	MAY_FAIL();
	if (params->maxNumRangeTreeNodes < params->maxNumOfRanges)
		return CUPTI_ERROR_INVALID_PARAMETER;
	params->counterDataSize = NAMES_OFFSET + MAX_RANGES * NAME_BYTES;
	return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerCounterDataImageInitialize(
	CUpti_RangeProfiler_CounterDataImage_Initialize_Params *params)
{
	uint32_t offset = COUNT_OFFSET;

	MAY_FAIL();
	memcpy(params->pCounterData + RANGES_OFFSET, &offset, sizeof(offset));
	return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerSetConfig(CUpti_RangeProfiler_SetConfig_Params *params)
{
	MAY_FAIL();
	if (params->range != CUPTI_UserRange || params->replayMode != CUPTI_UserReplay ||
	    params->numNestingLevels != 1 || params->minNestingLevel != 1 || !params->pConfig ||
	    !params->pCounterDataImage)
		return CUPTI_ERROR_INVALID_PARAMETER;
	params->pRangeProfilerObject->image = params->pCounterDataImage;
	params->pRangeProfilerObject->pass = 0;
	return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerStart(CUpti_RangeProfiler_Start_Params *params)
{
	MAY_FAIL();
	params->pRangeProfilerObject->ranges = 0;
	return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerPushRange(CUpti_RangeProfiler_PushRange_Params *params)
{
	struct CUpti_RangeProfiler_Object *profiler = params->pRangeProfilerObject;

	MAY_FAIL();
	strncpy((char *)profiler->image + NAMES_OFFSET + profiler->ranges * NAME_BYTES,
		params->pRangeName, NAME_BYTES - 1);
	profiler->ranges++;
	return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerPopRange(CUpti_RangeProfiler_PopRange_Params *params)
{
	(void)params;
	MAY_FAIL();
	return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerStop(CUpti_RangeProfiler_Stop_Params *params)
{
	MAY_FAIL();
	params->passIndex = ++params->pRangeProfilerObject->pass;
	params->isAllPassSubmitted = params->passIndex >= setting("FAKE_CUPTI_PASSES", 2);
	return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerDecodeData(CUpti_RangeProfiler_DecodeData_Params *params)
{
	struct CUpti_RangeProfiler_Object *profiler = params->pRangeProfilerObject;

	MAY_FAIL();
	memcpy(profiler->image + COUNT_OFFSET, &profiler->ranges, sizeof(profiler->ranges));
	params->numOfRangeDropped = setting("FAKE_CUPTI_DROPPED", 0);
	return CUPTI_SUCCESS;
}

CUptiResult
cuptiRangeProfilerGetCounterDataInfo(CUpti_RangeProfiler_GetCounterDataInfo_Params *params)
{
	uint32_t ranges;

	MAY_FAIL();
	memcpy(&ranges, params->pCounterDataImage + COUNT_OFFSET, sizeof(ranges));
	params->numTotalRanges = ranges;
	return CUPTI_SUCCESS;
}
