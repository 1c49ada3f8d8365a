/*
 * Collects counters with the Range Profiler API: user ranges, user replay. After
 * each pass CUPTI reports whether it needs another one. All passes of all cases
 * go into one counter-data image, which is decoded once at the end. Needs a GPU.
 */
#include "metrics/cupti/cupti_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct cupti_session {
	const struct cupti_library *cupti;
	const struct cupti_plan *plan;
	CUpti_RangeProfiler_Object *profiler;
	uint8_t *image;    /* of these ranges */
	uint8_t *previous; /* of the ranges before; NULL: they are the first */
	size_t image_bytes;
	size_t max_ranges;
	struct string_list names; /* ranges of the first pass; later passes must repeat them */
	size_t pass, range;       /* number of passes ended, and of ranges pushed in this pass */
	bool in_pass, in_range, all_submitted, decoded;
};

/* Hooks CUPTI into the driver. Repeated calls are harmless. */
static int profiler_initialise(const struct cupti_library *cupti, struct error *err)
{
	CUpti_Profiler_Initialize_Params params = CUPTI_PARAMS(CUpti_Profiler_Initialize_Params);
	CUptiResult result = cupti->cuptiProfilerInitialize(&params);

	/* Without a driver CUPTI only reports "unknown". */
	if (result == CUPTI_ERROR_UNKNOWN)
		return error_set(err, PL_EUNSUPPORTED,
				 "cuptiProfilerInitialize: CUPTI_ERROR_UNKNOWN (%d): no usable "
				 "NVIDIA driver, or one too old for CUPTI %s; check nvidia-smi",
				 (int)result, cupti->version);
	return cupti_checked(cupti, result, "cuptiProfilerInitialize", err);
}

int cupti_hook(struct error *err)
{
	struct string_list chips = {0};
	const struct cupti_library *cupti;
	int rc = cupti_library_get(&cupti, err);

	if (!rc)
		rc = profiler_initialise(cupti, err);
	/* makes CUPTI load its other libraries */
	if (!rc)
		rc = cupti_chips(&chips, err);
	string_list_release(&chips);
	return rc;
}

/* ---- checking a device ---- */

/* Reports the first reason that CUPTI names. */
static int device_supported(const struct cupti_library *cupti, int cuda_device, struct error *err)
{
	CUpti_Profiler_DeviceSupported_Params params =
		CUPTI_PARAMS(CUpti_Profiler_DeviceSupported_Params);
	int rc;

	params.cuDevice = cuda_device;
	params.api = CUPTI_PROFILER_RANGE_PROFILING;
	rc = CUPTI_CALL(cupti, cuptiProfilerDeviceSupported, &params, err);
	if (rc || params.isSupported == CUPTI_PROFILER_CONFIGURATION_SUPPORTED)
		return rc;
	{
		const struct {
			CUpti_Profiler_Support_Level level;
			const char *reason;
		} checks[] = {
			{params.architecture,
			 "the GPU is too old: compute capability 7.5 or newer is needed"},
			{params.sli, "SLI is on; switch it off"},
			{params.vGpu, "this is a virtual GPU without profiling; its host must "
				      "enable it"},
			{params.confidentialCompute, "confidential-computing mode is on"},
			{params.cmp, "this is a mining processor"},
			{params.wsl, "this version of WSL does not pass counters through"},
		};

		for (size_t i = 0; i < ARRAY_SIZE(checks); i++) {
			if (checks[i].level == CUPTI_PROFILER_CONFIGURATION_UNSUPPORTED ||
			    checks[i].level == CUPTI_PROFILER_CONFIGURATION_DISABLED)
				return error_set(err, PL_EUNSUPPORTED,
						 "cuptiProfilerDeviceSupported: %s",
						 checks[i].reason);
		}
	}
	return error_set(err, PL_EUNSUPPORTED,
			 "cuptiProfilerDeviceSupported: the device cannot be profiled, CUPTI does "
			 "not say why");
}

/* Fails without permission; enabling and configuring would succeed. */
static int counter_availability(const struct cupti_library *cupti, void *cuda_context,
				uint8_t **out, struct error *err)
{
	CUpti_Profiler_GetCounterAvailability_Params params =
		CUPTI_PARAMS(CUpti_Profiler_GetCounterAvailability_Params);
	uint8_t *image;
	int rc;

	params.ctx = cuda_context;
	rc = CUPTI_CALL(cupti, cuptiProfilerGetCounterAvailability, &params, err);
	if (rc)
		return rc;
	image = xcalloc(1, params.counterAvailabilityImageSize);
	params.pCounterAvailabilityImage = image;
	rc = CUPTI_CALL(cupti, cuptiProfilerGetCounterAvailability, &params, err);
	if (rc) {
		free(image);
		return rc;
	}
	*out = image;
	return 0;
}

int cupti_device_check(void *cuda_context, int cuda_device, char chip[16], uint8_t **availability,
		       struct error *err)
{
	CUpti_Device_GetChipName_Params named = CUPTI_PARAMS(CUpti_Device_GetChipName_Params);
	const struct cupti_library *cupti;
	uint8_t *image = NULL;
	int rc = cupti_library_get(&cupti, err);

	if (!rc)
		rc = profiler_initialise(cupti, err);
	if (rc)
		return rc; /* CUPTI 13.0 would crash in cuptiDeviceGetChipName now */
	named.deviceIndex = (size_t)cuda_device;
	if (cupti->cuptiDeviceGetChipName(&named) == CUPTI_SUCCESS && named.pChipName)
		snprintf(chip, 16, "%s", named.pChipName);
	rc = device_supported(cupti, cuda_device, err);
	if (!rc)
		rc = counter_availability(cupti, cuda_context, &image, err);
	if (!rc && availability)
		*availability = image;
	else
		free(image);
	return rc;
}

/* ---- sessions ---- */

/* Finds the size of the image in which CUPTI keeps the raw counters of all ranges and passes. */
static int session_measure_image(struct cupti_session *session, struct error *err)
{
	CUpti_RangeProfiler_GetCounterDataSize_Params size =
		CUPTI_PARAMS(CUpti_RangeProfiler_GetCounterDataSize_Params);
	int rc;

	size.pRangeProfilerObject = session->profiler;
	size.pMetricNames = (const char **)session->plan->counters.items;
	size.numMetrics = session->plan->counters.count;
	size.maxNumOfRanges = session->max_ranges;
	size.maxNumRangeTreeNodes = (uint32_t)session->max_ranges;
	rc = CUPTI_CALL(session->cupti, cuptiRangeProfilerGetCounterDataSize, &size, err);
	session->image_bytes = size.counterDataSize;
	return rc;
}

static int session_image_create(struct cupti_session *session, struct error *err)
{
	session->image = calloc(1, session->image_bytes);
	if (session->image)
		return 0;
	return error_set(err, PL_ENOMEM,
			 "no memory for the counters of %zu ranges (%zu bytes); count fewer "
			 "cases together",
			 session->max_ranges, session->image_bytes);
}

/* Empties the image and makes it that of the next passes. */
static int session_configure(struct cupti_session *session, struct error *err)
{
	CUpti_RangeProfiler_CounterDataImage_Initialize_Params image =
		CUPTI_PARAMS(CUpti_RangeProfiler_CounterDataImage_Initialize_Params);
	CUpti_RangeProfiler_SetConfig_Params params =
		CUPTI_PARAMS(CUpti_RangeProfiler_SetConfig_Params);
	int rc;

	image.pRangeProfilerObject = session->profiler;
	image.counterDataSize = session->image_bytes;
	image.pCounterData = session->image;
	rc = CUPTI_CALL(session->cupti, cuptiRangeProfilerCounterDataImageInitialize, &image, err);
	if (rc)
		return rc;
	params.pRangeProfilerObject = session->profiler;
	params.pConfig = session->plan->config;
	params.configSize = session->plan->config_bytes;
	params.pCounterDataImage = session->image;
	params.counterDataImageSize = session->image_bytes;
	params.range = CUPTI_UserRange;
	params.replayMode = CUPTI_UserReplay;
	params.maxRangesPerPass = session->max_ranges;
	params.numNestingLevels = 1;
	params.minNestingLevel = 1;
	params.passIndex = 0;
	params.targetNestingLevel = 1;
	return CUPTI_CALL(session->cupti, cuptiRangeProfilerSetConfig, &params, err);
}

int cupti_session_open(struct cupti_session **out, const struct cupti_plan *plan,
		       void *cuda_context, size_t max_ranges, struct error *err)
{
	CUpti_RangeProfiler_Enable_Params enable = CUPTI_PARAMS(CUpti_RangeProfiler_Enable_Params);
	struct cupti_session *session;
	int rc;

	if (plan->counters.count == 0 || max_ranges == 0 || max_ranges > UINT32_MAX)
		return error_set(err, PL_EUSAGE, "nothing to count: %zu counters, %zu ranges",
				 plan->counters.count, max_ranges);
	session = xcalloc(1, sizeof(*session));
	session->cupti = plan->cupti;
	session->plan = plan;
	session->max_ranges = max_ranges;
	enable.ctx = cuda_context;
	rc = profiler_initialise(session->cupti, err);
	if (!rc)
		rc = CUPTI_CALL(session->cupti, cuptiRangeProfilerEnable, &enable, err);
	session->profiler = enable.pRangeProfilerObject; /* NULL after an error */
	if (!rc)
		rc = session_measure_image(session, err);
	if (!rc)
		rc = session_image_create(session, err);
	if (!rc)
		rc = session_configure(session, err);
	if (rc)
		cupti_session_close(session);
	else
		*out = session;
	return rc;
}

int cupti_session_pass_begin(struct cupti_session *session, bool *more, struct error *err)
{
	CUpti_RangeProfiler_Start_Params params = CUPTI_PARAMS(CUpti_RangeProfiler_Start_Params);
	int rc;

	if (session->in_pass)
		return error_set(err, PL_EPROTOCOL, "a counting pass is begun inside another");
	if (session->all_submitted) {
		*more = false;
		return 0;
	}
	/* CUPTI decides when it has enough passes. This limit prevents an endless loop. */
	if (session->pass > 2 * session->plan->pass_count + 8)
		return error_set(err, PL_EDEVICE,
				 "CUPTI still wants passes after %zu, though %zu were planned",
				 session->pass, session->plan->pass_count);
	params.pRangeProfilerObject = session->profiler;
	rc = CUPTI_CALL(session->cupti, cuptiRangeProfilerStart, &params, err);
	if (rc)
		return error_context(err, rc, "counting pass %zu", session->pass + 1);
	session->in_pass = true;
	session->range = 0;
	*more = true;
	return 0;
}

int cupti_session_range_push(struct cupti_session *session, const char *name, struct error *err)
{
	CUpti_RangeProfiler_PushRange_Params params =
		CUPTI_PARAMS(CUpti_RangeProfiler_PushRange_Params);
	bool first = session->pass == 0;
	int rc;

	if (!session->in_pass || session->in_range)
		return error_set(err, PL_EPROTOCOL, "range '%s' is pushed %s", name,
				 session->in_pass ? "inside another range" : "outside a pass");
	if (session->range >= (first ? session->max_ranges : session->names.count))
		return error_set(err, PL_EPROTOCOL, "range '%s' is one more than the %zu expected",
				 name, first ? session->max_ranges : session->names.count);
	if (!first && strcmp(session->names.items[session->range], name) != 0)
		return error_set(err, PL_EPROTOCOL,
				 "range %zu of pass %zu is '%s', but was '%s' in the first pass",
				 session->range, session->pass + 1, name,
				 session->names.items[session->range]);
	params.pRangeProfilerObject = session->profiler;
	params.pRangeName = name;
	rc = CUPTI_CALL(session->cupti, cuptiRangeProfilerPushRange, &params, err);
	if (rc)
		return error_context(err, rc, "range '%s'", name);
	if (first)
		string_list_add(&session->names, name);
	session->range++;
	session->in_range = true;
	return 0;
}

int cupti_session_range_pop(struct cupti_session *session, struct error *err)
{
	CUpti_RangeProfiler_PopRange_Params params =
		CUPTI_PARAMS(CUpti_RangeProfiler_PopRange_Params);
	int rc;

	if (!session->in_range)
		return error_set(err, PL_EPROTOCOL, "a range is popped that was not pushed");
	params.pRangeProfilerObject = session->profiler;
	rc = CUPTI_CALL(session->cupti, cuptiRangeProfilerPopRange, &params, err);
	if (rc)
		return error_context(err, rc, "range '%s'",
				     session->names.items[session->range - 1]);
	session->in_range = false;
	return 0;
}

int cupti_session_pass_end(struct cupti_session *session, struct error *err)
{
	CUpti_RangeProfiler_Stop_Params params = CUPTI_PARAMS(CUpti_RangeProfiler_Stop_Params);
	int rc;

	if (!session->in_pass || session->in_range)
		return error_set(err, PL_EPROTOCOL, "a counting pass is ended %s",
				 session->in_range ? "inside a range" : "that was not begun");
	params.pRangeProfilerObject = session->profiler;
	rc = CUPTI_CALL(session->cupti, cuptiRangeProfilerStop, &params, err);
	if (rc)
		return error_context(err, rc, "counting pass %zu", session->pass + 1);
	session->in_pass = false;
	if (session->range != session->names.count)
		return error_set(err, PL_EPROTOCOL,
				 "pass %zu had %zu ranges, but the first had %zu",
				 session->pass + 1, session->range, session->names.count);
	session->pass++;
	session->all_submitted = params.isAllPassSubmitted != 0;
	return 0;
}

int cupti_session_image(struct cupti_session *session, const uint8_t **image, size_t *image_bytes,
			struct error *err)
{
	CUpti_RangeProfiler_DecodeData_Params params =
		CUPTI_PARAMS(CUpti_RangeProfiler_DecodeData_Params);
	int rc;

	if (!session->all_submitted)
		return error_set(err, PL_EPROTOCOL, "counters are read after %zu of %zu passes",
				 session->pass, session->plan->pass_count);
	if (!session->decoded) {
		params.pRangeProfilerObject = session->profiler;
		rc = CUPTI_CALL(session->cupti, cuptiRangeProfilerDecodeData, &params, err);
		if (rc)
			return rc;
		if (params.numOfRangeDropped > 0)
			return error_set(err, PL_EDEVICE,
					 "cuptiRangeProfilerDecodeData: CUPTI dropped %zu of %zu "
					 "ranges; count fewer cases together",
					 params.numOfRangeDropped, session->names.count);
		session->decoded = true;
	}
	*image = session->image;
	*image_bytes = session->image_bytes;
	return 0;
}

int cupti_session_begin_again(struct cupti_session *session, struct error *err)
{
	uint8_t *free_image = session->previous;
	int rc = 0;

	if (!session->decoded)
		return error_set(err, PL_EPROTOCOL,
				 "other ranges are begun before the counters of %zu are read",
				 session->names.count);
	session->previous = session->image;
	session->image = free_image;
	if (session->image)
		memset(session->image, 0, session->image_bytes);
	else
		rc = session_image_create(session, err);
	if (rc == 0)
		rc = session_configure(session, err);
	if (rc)
		return rc;
	string_list_release(&session->names);
	session->pass = 0;
	session->range = 0;
	session->all_submitted = false;
	session->decoded = false;
	return 0;
}

void cupti_session_close(struct cupti_session *session)
{
	struct error ignored = {0};

	if (!session)
		return;
	if (session->in_range)
		cupti_session_range_pop(session, &ignored);
	if (session->in_pass) {
		session->in_range = false;
		cupti_session_pass_end(session, &ignored);
	}
	if (session->profiler) {
		CUpti_RangeProfiler_Disable_Params params =
			CUPTI_PARAMS(CUpti_RangeProfiler_Disable_Params);

		params.pRangeProfilerObject = session->profiler;
		session->cupti->cuptiRangeProfilerDisable(&params);
	}
	string_list_release(&session->names);
	free(session->image);
	free(session->previous);
	free(session);
}
