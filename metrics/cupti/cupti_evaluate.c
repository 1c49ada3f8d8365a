/* Evaluates counter-data images. Needs no GPU. */
#include "metrics/catalogue/catalogue.h"
#include "metrics/cupti/cupti_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * CUPTI does not check an image: it ignores the given size and reads at the offsets
 * in the image. perflab checks the header and the first offset, which leads to
 * the number of ranges. That refuses other data, and empty and truncated images.
 * An image that is damaged further inside can still crash CUPTI, so evaluate
 * images only in a process that may die.
 */
#define IMAGE_HEADER_BYTES 64
#define IMAGE_RANGES_OFFSET 0x38 /* u32: offset of the description of the ranges */
#define IMAGE_RANGES_BYTES 0x24  /* the part of that description that CUPTI reads first */

static int check_counter_image(const uint8_t *image, size_t image_bytes, struct error *err)
{
	uint32_t ranges;

	if (!image || image_bytes < IMAGE_HEADER_BYTES)
		return error_set(err, PL_ECORRUPT,
				 "%zu bytes are too short for a counter-data image", image_bytes);
	if ((uintptr_t)image % 8 != 0)
		return error_set(err, PL_ECORRUPT,
				 "the address of a counter-data image must be a multiple of 8");
	memcpy(&ranges, image + IMAGE_RANGES_OFFSET, sizeof(ranges));
	if (ranges < IMAGE_HEADER_BYTES || ranges + (uint64_t)IMAGE_RANGES_BYTES > image_bytes)
		return error_set(err, PL_ECORRUPT,
				 "%zu bytes are not a counter-data image, or it is truncated: its "
				 "ranges would begin at byte %u",
				 image_bytes, ranges);
	return 0;
}

static int image_range_count(const struct cupti_plan *plan, const uint8_t *image,
			     size_t image_bytes, size_t *count, struct error *err)
{
	CUpti_RangeProfiler_GetCounterDataInfo_Params params =
		CUPTI_PARAMS(CUpti_RangeProfiler_GetCounterDataInfo_Params);
	int rc;

	rc = check_counter_image(image, image_bytes, err);
	if (rc)
		return rc;
	params.pCounterDataImage = image;
	params.counterDataImageSize = image_bytes;
	rc = CUPTI_CALL(plan->cupti, cuptiRangeProfilerGetCounterDataInfo, &params, err);
	if (rc)
		return rc;
	/* Every range takes many bytes. */
	if (params.numTotalRanges > image_bytes)
		return error_set(err, PL_ECORRUPT,
				 "%zu bytes cannot be a counter-data image of %zu ranges",
				 image_bytes, params.numTotalRanges);
	*count = params.numTotalRanges;
	return 0;
}

int cupti_image_ranges(const struct cupti_plan *plan, const uint8_t *image, size_t image_bytes,
		       struct string_list *names, struct error *err)
{
	struct string_list found = {0};
	size_t count;
	int rc;

	rc = image_range_count(plan, image, image_bytes, &count, err);
	if (rc)
		return rc;
	for (size_t i = 0; i < count && !rc; i++) {
		CUpti_Profiler_Host_GetRangeName_Params params =
			CUPTI_PARAMS(CUpti_Profiler_Host_GetRangeName_Params);

		params.pCounterDataImage = image;
		params.counterDataImageSize = image_bytes;
		params.rangeIndex = i;
		params.delimiter = "/";
		rc = CUPTI_CALL(plan->cupti, cuptiProfilerHostGetRangeName, &params, err);
		if (rc)
			break;
		string_list_add(&found, params.pRangeName ? params.pRangeName : "");
		free((char *)params.pRangeName); /* CUPTI allocated it for the caller */
	}
	for (size_t i = 0; i < found.count && !rc; i++)
		string_list_add(names, found.items[i]);
	string_list_release(&found);
	return rc;
}

int cupti_plan_evaluate(const struct cupti_plan *plan, const uint8_t *image, size_t image_bytes,
			size_t range, struct counter_list *out, struct error *err)
{
	CUpti_Profiler_Host_EvaluateToGpuValues_Params params =
		CUPTI_PARAMS(CUpti_Profiler_Host_EvaluateToGpuValues_Params);
	double *values = xcalloc(plan->counters.count + 1, sizeof(*values));
	size_t count = 0;
	int rc = 0;

	if (plan->counters.count > 0) {
		rc = image_range_count(plan, image, image_bytes, &count, err);
		if (rc)
			goto out;
		if (range >= count) {
			rc = error_set(err, PL_ENOENT,
				       "range %zu of a counter-data image that holds %zu", range,
				       count);
			goto out;
		}
		for (size_t i = 0; i < plan->counters.count; i++)
			values[i] = NAN;
		params.pHostObject = plan->host;
		params.pCounterDataImage = image;
		params.counterDataImageSize = image_bytes;
		params.rangeIndex = range;
		params.ppMetricNames = (const char **)plan->counters.items;
		params.numMetrics = plan->counters.count;
		params.pMetricValues = values;
		rc = CUPTI_CALL(plan->cupti, cuptiProfilerHostEvaluateToGpuValues, &params, err);
		if (rc)
			goto out;
	}
	for (size_t i = 0; i < plan->item_count; i++) {
		const struct cupti_plan_item *item = &plan->items[i];

		if (item->reason)
			counter_list_set_missing(out, item->metric, item->unit, item->counter,
						 item->reason);
		else if (!isfinite(values[item->slot]))
			counter_list_set_missing(out, item->metric, item->unit, item->counter,
						 "the counter was not collected");
		else
			counter_list_set(out, item->metric, item->unit, item->counter,
					 values[item->slot]);
	}
	metric_derive(out, &plan->wanted);
out:
	free(values);
	return rc;
}
