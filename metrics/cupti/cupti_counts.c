/* Counts what single instructions do: cupti_sass_metrics.h. All metrics are collected in one
 * execution. */
#include "metrics/cupti/cupti_internal.h"
#include "metrics/cupti/cupti_profile.h"

#include <stdlib.h>
#include <string.h>

#define MEMBER(name) offsetof(struct profile_instruction, name)

/* The metrics, and what they count into. The meanings are in metrics/fields.h. */
static const struct {
	const char *metric;
	size_t member;
} counted[] = {
	{"smsp__sass_inst_executed", MEMBER(executed)},
	{"smsp__sass_thread_inst_executed_pred_on", MEMBER(lanes)},
	{"smsp__sass_inst_executed_op_global", MEMBER(requests)},
	{"smsp__sass_sectors_mem_global", MEMBER(sectors)},
	{"smsp__sass_sectors_mem_global_ideal", MEMBER(ideal_sectors)},
	{"smsp__sass_sectors_mem_local", MEMBER(local_sectors)},
	{"smsp__sass_inst_executed_op_shared", MEMBER(shared_requests)},
	{"smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared", MEMBER(wavefronts)},
	{"smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared_ideal", MEMBER(ideal_wavefronts)},
	{"smsp__sass_branch_targets_threads_uniform", MEMBER(branches)},
	{"smsp__sass_branch_targets_threads_divergent", MEMBER(branches)},
	{"smsp__sass_branch_targets_threads_divergent", MEMBER(divergent)},
};

struct cupti_instruction_counts {
	const struct cupti_library *cupti;
	CUcontext context;
	uint32_t device;
	CUpti_SassMetrics_Config configs[ARRAY_SIZE(counted)];
	size_t config_count;
	uint64_t ids[ARRAY_SIZE(counted)]; /* of the metric of each row; valid if it has one */
	bool has_id[ARRAY_SIZE(counted)];
	bool configured, enabled;
};

/* A metric that the chip lacks is not counted. */
static void find_metrics(struct cupti_instruction_counts *counts, const char *chip)
{
	for (size_t i = 0; i < ARRAY_SIZE(counted); i++) {
		CUpti_SassMetrics_GetProperties_Params params =
			CUPTI_PARAMS(CUpti_SassMetrics_GetProperties_Params);

		params.pChipName = chip;
		params.pMetricName = counted[i].metric;
		if (counts->cupti->cuptiSassMetricsGetProperties(&params) != CUPTI_SUCCESS)
			continue;
		counts->has_id[i] = true;
		counts->ids[i] = params.metric.metricId;
		if (i == 0 || strcmp(counted[i].metric, counted[i - 1].metric) != 0)
			counts->configs[counts->config_count++] = (CUpti_SassMetrics_Config){
				.metricId = params.metric.metricId,
				.outputGranularity = CUPTI_SASS_METRICS_OUTPUT_GRANULARITY_GPU};
	}
}

int cupti_counts_open(struct cupti_instruction_counts **out, void *cuda_context, int cuda_device,
		      const char *chip, struct error *err)
{
	CUpti_SassMetricsSetConfig_Params params = CUPTI_PARAMS(CUpti_SassMetricsSetConfig_Params);
	struct cupti_instruction_counts *counts = xcalloc(1, sizeof(*counts));
	int rc = cupti_library_get(&counts->cupti, err);

	counts->context = cuda_context;
	counts->device = (uint32_t)cuda_device;
	if (!rc && !counts->cupti->cuptiSassMetricsSetConfig)
		rc = error_set(err, PL_EUNSUPPORTED, "this CUPTI (%s) cannot count by instruction",
			       counts->cupti->version);
	if (!rc)
		find_metrics(counts, chip);
	if (!rc && !counts->config_count)
		rc = error_set(err, PL_EUNSUPPORTED,
			       "this CUPTI (%s) cannot count by instruction on %s",
			       counts->cupti->version, chip);
	params.pConfigs = counts->configs;
	params.numOfMetricConfig = counts->config_count;
	params.deviceIndex = counts->device;
	if (!rc)
		rc = CUPTI_CALL(counts->cupti, cuptiSassMetricsSetConfig, &params, err);
	counts->configured = !rc;
	if (rc)
		cupti_counts_close(counts);
	else
		*out = counts;
	return rc;
}

int cupti_counts_begin(struct cupti_instruction_counts *counts, struct error *err)
{
	CUpti_SassMetricsEnable_Params params = CUPTI_PARAMS(CUpti_SassMetricsEnable_Params);
	int rc;

	params.ctx = counts->context;
	params.enableLazyPatching = 1; /* only the kernels that are launched */
	rc = CUPTI_CALL(counts->cupti, cuptiSassMetricsEnable, &params, err);
	counts->enabled = !rc;
	return rc;
}

static void visit_record(const struct cupti_instruction_counts *counts,
			 const CUpti_SassMetrics_Data *record, size_t instances,
			 cupti_count_visitor visit, void *context)
{
	const struct cupti_instruction at = {record->functionName ? record->functionName : "",
					     record->cubinCrc, record->pcOffset};

	for (size_t i = 0; i < instances; i++)
		for (size_t row = 0; row < ARRAY_SIZE(counted); row++)
			if (counts->has_id[row] &&
			    counts->ids[row] == record->pInstanceValues[i].metricId)
				visit(context, &at, counted[row].member,
				      (int64_t)record->pInstanceValues[i].value);
}

/* A record is of one instruction and one metric. */
static int flush(struct cupti_instruction_counts *counts, cupti_count_visitor visit, void *context,
		 struct error *err)
{
	CUpti_SassMetricsGetDataProperties_Params size =
		CUPTI_PARAMS(CUpti_SassMetricsGetDataProperties_Params);
	CUpti_SassMetricsFlushData_Params params = CUPTI_PARAMS(CUpti_SassMetricsFlushData_Params);
	CUpti_SassMetrics_InstanceValue *values;
	size_t records;
	int rc;

	size.ctx = counts->context;
	rc = CUPTI_CALL(counts->cupti, cuptiSassMetricsGetDataProperties, &size, err);
	records = size.numOfPatchedInstructionRecords;
	if (rc || !records)
		return rc;
	params.ctx = counts->context;
	params.numOfPatchedInstructionRecords = records;
	params.numOfInstances = size.numOfInstances;
	params.pMetricsData = xcalloc(records, sizeof(*params.pMetricsData));
	values = xcalloc(records * (size.numOfInstances + 1), sizeof(*values));
	for (size_t i = 0; i < records; i++) {
		params.pMetricsData[i].structSize = sizeof(params.pMetricsData[i]);
		params.pMetricsData[i].pInstanceValues = values + i * (size.numOfInstances + 1);
	}
	rc = CUPTI_CALL(counts->cupti, cuptiSassMetricsFlushData, &params, err);
	for (size_t i = 0; i < records && !rc; i++)
		visit_record(counts, &params.pMetricsData[i], size.numOfInstances, visit, context);
	free(params.pMetricsData);
	free(values);
	return rc;
}

static int disable(struct cupti_instruction_counts *counts, struct error *err)
{
	CUpti_SassMetricsDisable_Params params = CUPTI_PARAMS(CUpti_SassMetricsDisable_Params);

	counts->enabled = false;
	params.ctx = counts->context;
	return CUPTI_CALL(counts->cupti, cuptiSassMetricsDisable, &params, err);
}

int cupti_counts_end(struct cupti_instruction_counts *counts, cupti_count_visitor visit,
		     void *context, struct error *err)
{
	struct error own = {0};
	int rc = flush(counts, visit, context, err);
	int ended = disable(counts, &own);

	return rc || !ended ? rc : error_set(err, ended, "%s", own.text);
}

void cupti_counts_close(struct cupti_instruction_counts *counts)
{
	CUpti_SassMetricsUnsetConfig_Params params =
		CUPTI_PARAMS(CUpti_SassMetricsUnsetConfig_Params);

	if (!counts)
		return;
	params.deviceIndex = counts->device;
	if (counts->enabled)
		disable(counts, NULL);
	if (counts->configured)
		counts->cupti->cuptiSassMetricsUnsetConfig(&params);
	free(counts);
}
