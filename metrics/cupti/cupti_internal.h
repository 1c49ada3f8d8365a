/* Private to metrics/cupti: the loaded library, errors, and what a plan holds. */
#ifndef METRICS_CUPTI_CUPTI_INTERNAL_H
#define METRICS_CUPTI_CUPTI_INTERNAL_H

#include "metrics/cupti/cupti_session.h"

#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_result.h>
#include <cupti_target.h>
#include <cupti_version.h>

/* Every CUPTI function that perflab calls. */
#define CUPTI_FUNCTION_LIST(X)                          \
	X(cuptiGetVersion)                              \
	X(cuptiGetResultString)                         \
	X(cuptiProfilerHostInitialize)                  \
	X(cuptiProfilerHostDeinitialize)                \
	X(cuptiProfilerHostGetSupportedChips)           \
	X(cuptiProfilerHostGetBaseMetrics)              \
	X(cuptiProfilerHostGetMetricProperties)         \
	X(cuptiProfilerHostGetRangeName)                \
	X(cuptiProfilerHostEvaluateToGpuValues)         \
	X(cuptiProfilerHostConfigAddMetrics)            \
	X(cuptiProfilerHostGetConfigImageSize)          \
	X(cuptiProfilerHostGetConfigImage)              \
	X(cuptiProfilerHostGetNumOfPasses)              \
	X(cuptiProfilerInitialize)                      \
	X(cuptiProfilerDeviceSupported)                 \
	X(cuptiProfilerGetCounterAvailability)          \
	X(cuptiDeviceGetChipName)                       \
	X(cuptiRangeProfilerEnable)                     \
	X(cuptiRangeProfilerDisable)                    \
	X(cuptiRangeProfilerSetConfig)                  \
	X(cuptiRangeProfilerStart)                      \
	X(cuptiRangeProfilerStop)                       \
	X(cuptiRangeProfilerPushRange)                  \
	X(cuptiRangeProfilerPopRange)                   \
	X(cuptiRangeProfilerDecodeData)                 \
	X(cuptiRangeProfilerGetCounterDataSize)         \
	X(cuptiRangeProfilerCounterDataImageInitialize) \
	X(cuptiRangeProfilerGetCounterDataInfo)

struct cupti_library {
#define X(name) __typeof__(name) *name;
	CUPTI_FUNCTION_LIST(X)
#undef X
	char version[16];
};

/* The library, opened if need be. */
int cupti_library_get(const struct cupti_library **out, struct error *err);

/* Sets *err to "FUNCTION: CUPTI_ERROR_NAME (NUMBER): cause and remedy, where they are known".
 * PL_EUNSUPPORTED for what no other try would change, PL_EDEVICE for the rest. */
int cupti_failed(const struct cupti_library *cupti, CUptiResult result, const char *function,
		 struct error *err);

/* Calls name(params) of the library; params is zeroed but for its size by its initialiser. */
#define CUPTI_PARAMS(type)                       \
	{                                        \
		.structSize = type##_STRUCT_SIZE \
	}
#define CUPTI_CALL(cupti, name, params, err) \
	cupti_checked((cupti), (cupti)->name(params), #name, (err))
int cupti_checked(const struct cupti_library *cupti, CUptiResult result, const char *function,
		  struct error *err);

/* A host object for a chip. PL_EUSAGE for an unknown chip, with the nearest names. */
int cupti_host_create(const struct cupti_library *cupti, CUpti_Profiler_Host_Object **out,
		      const char *chip, const uint8_t *availability, struct error *err);
void cupti_host_free(const struct cupti_library *cupti, CUpti_Profiler_Host_Object *host);

/* One wanted metric of a plan that is a counter. Invariant: reason, or slot < counters.count. */
struct cupti_plan_item {
	char *metric;  /* catalogue name, or CUPTI's */
	char *counter; /* CUPTI's name, "" if the chip has none */
	char *unit;
	char *reason; /* why it cannot be collected */
	size_t slot;  /* in counters */
};

struct cupti_plan {
	const struct cupti_library *cupti;
	CUpti_Profiler_Host_Object *host;
	char chip[16];
	struct string_list wanted;
	struct cupti_plan_item *items;
	size_t item_count;
	struct string_list counters; /* what is collected, no duplicates */
	struct string_list missing;
	uint8_t *config;
	size_t config_bytes;
	size_t pass_count;
};

#endif
