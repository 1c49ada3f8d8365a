/*
 * Samples program counters: cupti_pcsampling.h, in the mode in which kernels are serialised, which
 * tells their samples apart and takes 2 ms a kernel, where starting and stopping takes 14.
 */
#include "metrics/cupti/cupti_internal.h"
#include "metrics/cupti/cupti_profile.h"

#include <stdlib.h>
#include <string.h>

/* 2.9 MB hold 360,000 samples. With the 512 MB of CUPTI's default the first launch takes 574 ms,
 * with this 68: docs/results/log.md. */
#define HARDWARE_BUFFER_BYTES ((size_t)16 << 20)
#define PCS_TOGETHER 4096
#define REASON_PREFIX "smsp__pcsamp_"
#define STALL_PREFIX "warps_issue_stalled_"
#define NOT_ISSUED "_not_issued"
/* The threads of CUPTI that decode samples sleep so long; by default 100 ms. */
#define DECODER_SLEEP_MS 1

struct reason {
	char name[CUPTI_STALL_REASON_STRING_SIZE]; /* "": no reason for a stall */
	bool not_issued;
};

struct cupti_sampler {
	const struct cupti_library *cupti;
	CUcontext context;
	bool enabled;
	int period_log2;
	struct reason *reasons; /* by CUPTI's number */
	size_t reason_count;
	/* CUPTI keeps the first, and fills the second at a read; with one for both, reads are
	 * empty.
	 */
	CUpti_PCSamplingData kept, read;
};

/* ---- the reasons ---- */

/* "smsp__pcsamp_warps_issue_stalled_wait_not_issued": wait, not issued. */
static void reason_parse(struct reason *out, const char *name)
{
	size_t length;

	if (strncmp(name, REASON_PREFIX STALL_PREFIX, strlen(REASON_PREFIX STALL_PREFIX)) != 0)
		return;
	name += strlen(REASON_PREFIX STALL_PREFIX);
	length = strnlen(name, STALL_REASON_BYTES + strlen(NOT_ISSUED));
	out->not_issued = has_suffix(name, NOT_ISSUED);
	if (out->not_issued)
		length -= strlen(NOT_ISSUED);
	if (length < STALL_REASON_BYTES)
		memcpy(out->name, name, length);
}

static int reasons_read(struct cupti_sampler *sampler, struct error *err)
{
	CUpti_PCSamplingGetNumStallReasonsParams number = {
		.size = CUpti_PCSamplingGetNumStallReasonsParamsSize,
		.ctx = sampler->context,
		.numStallReasons = &sampler->reason_count};
	CUpti_PCSamplingGetStallReasonsParams params = {
		.size = CUpti_PCSamplingGetStallReasonsParamsSize, .ctx = sampler->context};
	int rc = CUPTI_CALL(sampler->cupti, cuptiPCSamplingGetNumStallReasons, &number, err);
	size_t most = 0;

	if (rc)
		return rc;
	params.numStallReasons = sampler->reason_count;
	params.stallReasonIndex = xcalloc(sampler->reason_count + 1, sizeof(uint32_t));
	params.stallReasons = xcalloc(sampler->reason_count + 1, sizeof(char *));
	for (size_t i = 0; i < sampler->reason_count; i++)
		params.stallReasons[i] = xcalloc(1, CUPTI_STALL_REASON_STRING_SIZE);
	rc = CUPTI_CALL(sampler->cupti, cuptiPCSamplingGetStallReasons, &params, err);
	for (size_t i = 0; i < sampler->reason_count && !rc; i++)
		if (params.stallReasonIndex[i] >= most)
			most = (size_t)params.stallReasonIndex[i] + 1;
	sampler->reasons = xcalloc(most + 1, sizeof(*sampler->reasons));
	for (size_t i = 0; i < sampler->reason_count && !rc; i++)
		reason_parse(&sampler->reasons[params.stallReasonIndex[i]], params.stallReasons[i]);
	for (size_t i = 0; i < sampler->reason_count; i++)
		free(params.stallReasons[i]);
	free(params.stallReasonIndex);
	free(params.stallReasons);
	sampler->reason_count = most;
	return rc;
}

/* ---- buffers ---- */

static void buffer_create(CUpti_PCSamplingData *out, size_t reasons)
{
	CUpti_PCSamplingStallReason *all = xcalloc(PCS_TOGETHER * (reasons + 1), sizeof(*all));

	*out = (CUpti_PCSamplingData){.size = sizeof(*out), .collectNumPcs = PCS_TOGETHER};
	out->pPcData = xcalloc(PCS_TOGETHER, sizeof(*out->pPcData));
	for (size_t i = 0; i < PCS_TOGETHER; i++) {
		out->pPcData[i].size = sizeof(out->pPcData[i]);
		out->pPcData[i].stallReason = all + i * (reasons + 1);
	}
}

static void buffer_release(CUpti_PCSamplingData *buffer)
{
	if (buffer->pPcData)
		free(buffer->pPcData[0].stallReason);
	free(buffer->pPcData);
}

/* ---- the sampler ---- */

static int configure(struct cupti_sampler *sampler, CUpti_PCSamplingConfigurationInfo *items,
		     size_t count, struct error *err)
{
	CUpti_PCSamplingConfigurationInfoParams params = {
		.size = CUpti_PCSamplingConfigurationInfoParamsSize,
		.ctx = sampler->context,
		.numAttributes = count,
		.pPCSamplingConfigurationInfo = items};

	return CUPTI_CALL(sampler->cupti, cuptiPCSamplingSetConfigurationAttribute, &params, err);
}

static CUpti_PCSamplingConfigurationInfo period_item(int period_log2)
{
	return (CUpti_PCSamplingConfigurationInfo){
		.attributeType = CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SAMPLING_PERIOD,
		.attributeData.samplingPeriodData.samplingPeriod = (uint32_t)period_log2};
}

static int sampler_begin(struct cupti_sampler *sampler, struct error *err)
{
	CUpti_PCSamplingEnableParams params = {.size = CUpti_PCSamplingEnableParamsSize,
					       .ctx = sampler->context};
	CUpti_PCSamplingConfigurationInfo items[] = {
		period_item(sampler->period_log2),
		{.attributeType = CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_COLLECTION_MODE,
		 .attributeData.collectionModeData.collectionMode =
			 CUPTI_PC_SAMPLING_COLLECTION_MODE_KERNEL_SERIALIZED},
		{.attributeType = CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SAMPLING_DATA_BUFFER,
		 .attributeData.samplingDataBufferData.samplingDataBuffer = &sampler->kept},
		{.attributeType = CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_HARDWARE_BUFFER_SIZE,
		 .attributeData.hardwareBufferSizeData.hardwareBufferSize = HARDWARE_BUFFER_BYTES},
		{.attributeType =
			 CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_WORKER_THREAD_PERIODIC_SLEEP_SPAN,
		 .attributeData.workerThreadPeriodicSleepSpanData.workerThreadPeriodicSleepSpan =
			 DECODER_SLEEP_MS},
	};
	int rc = CUPTI_CALL(sampler->cupti, cuptiPCSamplingEnable, &params, err);

	if (rc)
		return rc;
	sampler->enabled = true;
	if (!sampler->reasons) {
		rc = reasons_read(sampler, err);
		if (rc)
			return rc;
		buffer_create(&sampler->kept, sampler->reason_count);
		buffer_create(&sampler->read, sampler->reason_count);
	}
	return configure(sampler, items, ARRAY_SIZE(items), err);
}

static void sampler_end(struct cupti_sampler *sampler)
{
	CUpti_PCSamplingDisableParams params = {.size = CUpti_PCSamplingDisableParamsSize,
						.ctx = sampler->context};

	if (sampler->enabled)
		sampler->cupti->cuptiPCSamplingDisable(&params);
	sampler->enabled = false;
}

int cupti_sampler_open(struct cupti_sampler **out, void *cuda_context, int period_log2,
		       struct error *err)
{
	struct cupti_sampler *sampler = xcalloc(1, sizeof(*sampler));
	int rc = cupti_library_get(&sampler->cupti, err);

	if (!rc && !sampler->cupti->cuptiPCSamplingEnable)
		rc = error_set(err, PL_EUNSUPPORTED,
			       "this CUPTI (%s) cannot sample program counters",
			       sampler->cupti->version);
	sampler->context = cuda_context;
	sampler->period_log2 = period_log2;
	if (!rc)
		rc = sampler_begin(sampler, err);
	if (rc)
		cupti_sampler_close(sampler);
	else
		*out = sampler;
	return rc;
}

int cupti_sampler_set_period(struct cupti_sampler *sampler, int period_log2, struct error *err)
{
	CUpti_PCSamplingConfigurationInfo item = period_item(period_log2);
	int rc;

	if (period_log2 == sampler->period_log2)
		return 0;
	rc = configure(sampler, &item, 1, err);
	if (rc == 0)
		sampler->period_log2 = period_log2;
	return rc;
}

static void visit_pc(const struct cupti_sampler *sampler, const CUpti_PCSamplingPCData *pc,
		     cupti_sample_visitor visit, void *context)
{
	const struct cupti_instruction at = {pc->functionName ? pc->functionName : "", pc->cubinCrc,
					     pc->pcOffset};

	for (size_t i = 0; i < pc->stallReasonCount; i++) {
		const uint32_t number = pc->stallReason[i].pcSamplingStallReasonIndex;
		const struct reason *reason =
			number < sampler->reason_count ? &sampler->reasons[number] : NULL;

		if (reason && reason->name[0] && pc->stallReason[i].samples)
			visit(context, &at, reason->name, reason->not_issued,
			      (int64_t)pc->stallReason[i].samples);
	}
}

int cupti_sampler_read(struct cupti_sampler *sampler, cupti_sample_visitor visit, void *context,
		       struct cupti_samples *out, struct error *err)
{
	CUpti_PCSamplingGetDataParams params = {.size = CUpti_PCSamplingGetDataParamsSize,
						.ctx = sampler->context,
						.pcSamplingData = (void *)&sampler->read};

	*out = (struct cupti_samples){0};
	do {
		CUptiResult result = sampler->cupti->cuptiPCSamplingGetData(&params);

		/* a full buffer stays full */
		if (result == CUPTI_ERROR_OUT_OF_MEMORY || sampler->read.hardwareBufferFull) {
			*out = (struct cupti_samples){.full = true};
			sampler_end(sampler);
			return sampler_begin(sampler, err);
		}
		if (result != CUPTI_SUCCESS)
			return cupti_checked(sampler->cupti, result, "cuptiPCSamplingGetData", err);
		out->samples += (int64_t)sampler->read.totalSamples;
		out->dropped += (int64_t)sampler->read.droppedSamples;
		out->unseen += (int64_t)sampler->read.nonUsrKernelsTotalSamples;
		for (size_t i = 0; i < sampler->read.totalNumPcs && visit; i++)
			visit_pc(sampler, &sampler->read.pPcData[i], visit, context);
	} while (sampler->read.remainingNumPcs);
	return 0;
}

void cupti_sampler_close(struct cupti_sampler *sampler)
{
	if (!sampler)
		return;
	sampler_end(sampler);
	buffer_release(&sampler->kept);
	buffer_release(&sampler->read);
	free(sampler->reasons);
	free(sampler);
}

int cupti_cubin_id(uint64_t *out, const void *bytes, size_t length, struct error *err)
{
	CUpti_GetCubinCrcParams params = {
		.size = CUpti_GetCubinCrcParamsSize, .cubinSize = length, .cubin = bytes};
	const struct cupti_library *cupti;
	int rc = cupti_library_get(&cupti, err);

	if (!rc && !cupti->cuptiGetCubinCrc)
		rc = error_set(err, PL_EUNSUPPORTED, "this CUPTI (%s) gives cubins no number",
			       cupti->version);
	if (!rc)
		rc = CUPTI_CALL(cupti, cuptiGetCubinCrc, &params, err);
	if (!rc)
		*out = params.cubinCrc;
	return rc;
}
