/* Lists the chips and metrics that CUPTI knows. Needs no GPU. */
#include "metrics/cupti/cupti_internal.h"

#include <string.h>

int cupti_chips(struct string_list *chips, struct error *err)
{
	CUpti_Profiler_Host_GetSupportedChips_Params params =
		CUPTI_PARAMS(CUpti_Profiler_Host_GetSupportedChips_Params);
	const struct cupti_library *cupti;
	int rc;

	rc = cupti_library_get(&cupti, err);
	if (rc)
		return rc;
	rc = CUPTI_CALL(cupti, cuptiProfilerHostGetSupportedChips, &params, err);
	for (size_t i = 0; !rc && i < params.numChips; i++)
		string_list_add(chips, params.ppChipNames[i]);
	return rc;
}

static int describe_cupti_metric(const struct cupti_library *cupti,
				 CUpti_Profiler_Host_Object *host, const char *name,
				 const char *kind, cupti_metric_visitor visit, void *context,
				 bool *stop, struct error *err)
{
	CUpti_Profiler_Host_GetMetricProperties_Params params =
		CUPTI_PARAMS(CUpti_Profiler_Host_GetMetricProperties_Params);
	struct cupti_metric_description metric = {.name = name, .kind = kind};
	int rc;

	params.pHostObject = host;
	params.pMetricName = name;
	rc = CUPTI_CALL(cupti, cuptiProfilerHostGetMetricProperties, &params, err);
	if (rc)
		return error_context(err, rc, "%s", name);
	metric.unit = params.pDimUnit ? params.pDimUnit : "";
	metric.description = params.pDescription ? params.pDescription : "";
	*stop = visit(context, &metric) != 0;
	return 0;
}

int cupti_metrics_visit(const char *chip, const char *pattern, cupti_metric_visitor visit,
			void *context, struct error *err)
{
	static const struct {
		CUpti_MetricType type;
		const char *name;
	} kinds[] = {
		{CUPTI_METRIC_TYPE_COUNTER, "counter"},
		{CUPTI_METRIC_TYPE_RATIO, "ratio"},
		{CUPTI_METRIC_TYPE_THROUGHPUT, "throughput"},
	};
	const struct cupti_library *cupti;
	CUpti_Profiler_Host_Object *host = NULL;
	bool stop = false;
	int rc;

	rc = cupti_library_get(&cupti, err);
	if (rc)
		return rc;
	rc = cupti_host_create(cupti, &host, chip, NULL, err);
	for (size_t k = 0; k < ARRAY_SIZE(kinds) && !rc && !stop; k++) {
		CUpti_Profiler_Host_GetBaseMetrics_Params params =
			CUPTI_PARAMS(CUpti_Profiler_Host_GetBaseMetrics_Params);

		params.pHostObject = host;
		params.metricType = kinds[k].type;
		rc = CUPTI_CALL(cupti, cuptiProfilerHostGetBaseMetrics, &params, err);
		for (size_t i = 0; !rc && !stop && i < params.numMetrics; i++) {
			if (pattern && !pattern_matches(pattern, params.ppMetricNames[i]))
				continue;
			rc = describe_cupti_metric(cupti, host, params.ppMetricNames[i],
						   kinds[k].name, visit, context, &stop, err);
		}
	}
	cupti_host_free(cupti, host);
	return rc;
}
