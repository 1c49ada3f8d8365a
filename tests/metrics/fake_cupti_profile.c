/*
 * What the stand-in for libcupti shows of single instructions: fake_cupti.h says how it is told. A
 * read has two instructions. kernel_a, at 16: 5 samples of long_scoreboard, in 3 of which nothing
 * was issued, and 2 of selected. kernel_b, at the binary logarithm of the period: 1 of wait. Each
 * execution between two calls for counts has two records.
 */
#include "fake_cupti.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CUBIN UINT64_C(0x100000007)

/* CUPTI's numbers of the reasons have gaps. */
static const struct {
	uint32_t number;
	const char *name;
} reasons[] = {
	{2, "smsp__pcsamp_sample_buffer_full"},
	{9, "smsp__pcsamp_warps_issue_stalled_long_scoreboard"},
	{4, "smsp__pcsamp_warps_issue_stalled_long_scoreboard_not_issued"},
	{5, "smsp__pcsamp_warps_issue_stalled_selected"},
	{7, "smsp__pcsamp_warps_issue_stalled_wait"},
};

static struct {
	bool sampling;
	bool full, was_full; /* it stays full until sampling begins again */
	uint32_t period;
	CUpti_PCSamplingData *kept;
	size_t metrics; /* that are configured; 0: none */
	CUpti_SassMetrics_Config configs[64];
	bool counting;
} state;

CUptiResult cuptiGetCubinCrc(CUpti_GetCubinCrcParams *params)
{
	MAY_FAIL();
	params->cubinCrc = CUBIN + params->cubinSize;
	return CUPTI_SUCCESS;
}

/* ---- samples ---- */

CUptiResult cuptiPCSamplingEnable(CUpti_PCSamplingEnableParams *params)
{
	(void)params;
	MAY_FAIL();
	if (state.sampling)
		return CUPTI_ERROR_INVALID_OPERATION;
	state.sampling = true;
	state.full = setting("FAKE_CUPTI_FULL", 0) && !state.was_full;
	state.was_full = setting("FAKE_CUPTI_FULL", 0);
	return CUPTI_SUCCESS;
}

CUptiResult cuptiPCSamplingDisable(CUpti_PCSamplingDisableParams *params)
{
	(void)params;
	if (!state.sampling)
		return CUPTI_ERROR_INVALID_OPERATION;
	state.sampling = false;
	state.kept = NULL;
	return CUPTI_SUCCESS;
}

CUptiResult cuptiPCSamplingGetNumStallReasons(CUpti_PCSamplingGetNumStallReasonsParams *params)
{
	MAY_FAIL();
	*params->numStallReasons = sizeof(reasons) / sizeof(reasons[0]);
	return CUPTI_SUCCESS;
}

CUptiResult cuptiPCSamplingGetStallReasons(CUpti_PCSamplingGetStallReasonsParams *params)
{
	MAY_FAIL();
	for (size_t i = 0; i < params->numStallReasons; i++) {
		params->stallReasonIndex[i] = reasons[i].number;
		snprintf(params->stallReasons[i], CUPTI_STALL_REASON_STRING_SIZE, "%s",
			 reasons[i].name);
	}
	return CUPTI_SUCCESS;
}

CUptiResult
cuptiPCSamplingSetConfigurationAttribute(CUpti_PCSamplingConfigurationInfoParams *params)
{
	MAY_FAIL();
	if (!state.sampling)
		return CUPTI_ERROR_INVALID_OPERATION;
	for (size_t i = 0; i < params->numAttributes; i++) {
		const CUpti_PCSamplingConfigurationInfo *item =
			&params->pPCSamplingConfigurationInfo[i];

		if (item->attributeType ==
		    CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SAMPLING_PERIOD)
			state.period = item->attributeData.samplingPeriodData.samplingPeriod;
		if (item->attributeType ==
		    CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SAMPLING_DATA_BUFFER)
			state.kept = item->attributeData.samplingDataBufferData.samplingDataBuffer;
	}
	return CUPTI_SUCCESS;
}

static void fill_pc(CUpti_PCSamplingPCData *pc, const char *function, uint64_t offset)
{
	pc->functionName = (char *)function;
	pc->cubinCrc = CUBIN;
	pc->pcOffset = offset;
	pc->stallReasonCount = 0;
}

static void add_reason(CUpti_PCSamplingPCData *pc, uint32_t number, uint32_t samples)
{
	pc->stallReason[pc->stallReasonCount++] = (CUpti_PCSamplingStallReason){number, samples};
}

CUptiResult cuptiPCSamplingGetData(CUpti_PCSamplingGetDataParams *params)
{
	CUpti_PCSamplingData *out = params->pcSamplingData;
	const size_t batches = setting("FAKE_CUPTI_BATCHES", 1);
	static size_t batch;

	MAY_FAIL();
	if (!state.sampling || !state.kept || state.kept == out)
		return CUPTI_ERROR_INVALID_OPERATION;
	out->hardwareBufferFull = state.full;
	out->totalNumPcs = out->remainingNumPcs = 0;
	out->totalSamples = out->droppedSamples = 0;
	out->nonUsrKernelsTotalSamples = setting("FAKE_CUPTI_UNSEEN", 0);
	if (out->hardwareBufferFull)
		return setting("FAKE_CUPTI_FULL", 0) == 2 ? CUPTI_ERROR_OUT_OF_MEMORY
							  : CUPTI_SUCCESS;
	if (out->nonUsrKernelsTotalSamples)
		return CUPTI_SUCCESS;
	out->totalSamples = 8;
	out->droppedSamples = setting("FAKE_CUPTI_LOST", 0);
	out->totalNumPcs = 2;
	fill_pc(&out->pPcData[0], "kernel_a", 16);
	add_reason(&out->pPcData[0], 9, 5);
	add_reason(&out->pPcData[0], 4, 3);
	add_reason(&out->pPcData[0], 5, 2);
	add_reason(&out->pPcData[0], 2, 1);
	fill_pc(&out->pPcData[1], batches > 1 && !batch ? NULL : "kernel_b", state.period);
	add_reason(&out->pPcData[1], 7, 1);
	add_reason(&out->pPcData[1], 9, 0);
	batch = (batch + 1) % batches;
	out->remainingNumPcs = batch ? 2 * (batches - batch) : 0;
	return CUPTI_SUCCESS;
}

/* ---- counts ---- */

/* The chip lacks one. */
CUptiResult cuptiSassMetricsGetProperties(CUpti_SassMetrics_GetProperties_Params *params)
{
	MAY_FAIL();
	if (strcmp(params->pChipName, "GH100") != 0 || strstr(params->pMetricName, "mem_local"))
		return CUPTI_ERROR_INVALID_METRIC_NAME;
	params->metric.metricId = 0;
	for (const char *c = params->pMetricName; *c; c++)
		params->metric.metricId = params->metric.metricId * 31 + (unsigned char)*c;
	return CUPTI_SUCCESS;
}

CUptiResult cuptiSassMetricsSetConfig(CUpti_SassMetricsSetConfig_Params *params)
{
	MAY_FAIL();
	if (state.metrics || params->numOfMetricConfig > 64)
		return CUPTI_ERROR_INVALID_OPERATION;
	state.metrics = params->numOfMetricConfig;
	memcpy(state.configs, params->pConfigs, state.metrics * sizeof(*state.configs));
	return CUPTI_SUCCESS;
}

CUptiResult cuptiSassMetricsUnsetConfig(CUpti_SassMetricsUnsetConfig_Params *params)
{
	(void)params;
	if (!state.metrics || state.counting)
		return CUPTI_ERROR_INVALID_OPERATION;
	state.metrics = 0;
	return CUPTI_SUCCESS;
}

CUptiResult cuptiSassMetricsEnable(CUpti_SassMetricsEnable_Params *params)
{
	MAY_FAIL();
	if (!state.metrics || state.counting || !params->enableLazyPatching)
		return CUPTI_ERROR_INVALID_OPERATION;
	state.counting = true;
	return CUPTI_SUCCESS;
}

CUptiResult cuptiSassMetricsDisable(CUpti_SassMetricsDisable_Params *params)
{
	(void)params;
	state.counting = false;
	MAY_FAIL();
	return CUPTI_SUCCESS;
}

/* A record for each metric. */
CUptiResult cuptiSassMetricsGetDataProperties(CUpti_SassMetricsGetDataProperties_Params *params)
{
	MAY_FAIL();
	if (!state.counting)
		return CUPTI_ERROR_INVALID_OPERATION;
	params->numOfPatchedInstructionRecords =
		setting("FAKE_CUPTI_UNCOUNTED", 0) ? 0 : state.metrics;
	params->numOfInstances = 1;
	return CUPTI_SUCCESS;
}

/* The value of the metric with number i is 100 + i. */
CUptiResult cuptiSassMetricsFlushData(CUpti_SassMetricsFlushData_Params *params)
{
	MAY_FAIL();
	if (!state.counting || params->numOfPatchedInstructionRecords != state.metrics)
		return CUPTI_ERROR_INVALID_OPERATION;
	for (size_t i = 0; i < state.metrics; i++) {
		CUpti_SassMetrics_Data *record = &params->pMetricsData[i];

		record->functionName = "kernel_a";
		record->cubinCrc = (uint32_t)CUBIN;
		record->pcOffset = 16;
		record->pInstanceValues[0] = (CUpti_SassMetrics_InstanceValue){
			.metricId = state.configs[i].metricId, .value = 100 + i};
	}
	return CUPTI_SUCCESS;
}
