/* cupti_internal: the loaded library, errors, and the contents of a plan. Internal to
 * metrics/cupti/.
 */
#ifndef METRICS_CUPTI_CUPTI_INTERNAL_H
#define METRICS_CUPTI_CUPTI_INTERNAL_H

#include "metrics/cupti/cupti_session.h"

#include <cuda.h>
#include <cupti_activity.h>
#include <cupti_pcsampling.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_result.h>
#include <cupti_sass_metrics.h>
#include <cupti_target.h>
#include <cupti_version.h>

/* The CUPTI functions without which perflab reads no counters. */
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

/* Those for single instructions and for records of kernels. NULL in a CUPTI that lacks them. */
#define CUPTI_PROFILE_FUNCTION_LIST(X)              \
	X(cuptiGetCubinCrc)                         \
	X(cuptiPCSamplingEnable)                    \
	X(cuptiPCSamplingDisable)                   \
	X(cuptiPCSamplingGetNumStallReasons)        \
	X(cuptiPCSamplingGetStallReasons)           \
	X(cuptiPCSamplingSetConfigurationAttribute) \
	X(cuptiPCSamplingGetData)                   \
	X(cuptiSassMetricsGetProperties)            \
	X(cuptiSassMetricsSetConfig)                \
	X(cuptiSassMetricsUnsetConfig)              \
	X(cuptiSassMetricsEnable)                   \
	X(cuptiSassMetricsDisable)                  \
	X(cuptiSassMetricsGetDataProperties)        \
	X(cuptiSassMetricsFlushData)                \
	X(cuptiActivityRegisterCallbacks)           \
	X(cuptiActivityEnable)                      \
	X(cuptiActivityDisable)                     \
	X(cuptiActivityFlushAll)                    \
	X(cuptiActivityGetNextRecord)               \
	X(cuptiActivityGetNumDroppedRecords)

struct cupti_library {
#define X(name) __typeof__(name) *name;
	CUPTI_FUNCTION_LIST(X)
	CUPTI_PROFILE_FUNCTION_LIST(X)
#undef X
	char version[16];
};

/* Returns the library, and opens it if it is not open yet. */
int cupti_library_get(const struct cupti_library **out, struct error *err);

/* Returns 0 for success. Otherwise sets *err to "FUNCTION: CUPTI_ERROR_NAME (NUMBER)", followed by
 * cause and remedy if they are known, and returns PL_EUNSUPPORTED if another try would fail too,
 * PL_EBUSY if another process holds the counters, and otherwise PL_EDEVICE. */
int cupti_checked(const struct cupti_library *cupti, CUptiResult result, const char *function,
		  struct error *err);

/* CUPTI_PARAMS zeroes the parameters of a call and sets their size. CUPTI_CALL calls name(params)
 * of the library and turns the result into an error. */
#define CUPTI_PARAMS(type)                       \
	{                                        \
		.structSize = type##_STRUCT_SIZE \
	}
#define CUPTI_CALL(cupti, name, params, err) \
	cupti_checked((cupti), (cupti)->name(params), #name, (err))

/* Creates a host object for a chip. Returns PL_EUSAGE, with the nearest names, for an unknown chip.
 */
int cupti_host_create(const struct cupti_library *cupti, CUpti_Profiler_Host_Object **out,
		      const char *chip, const uint8_t *availability, struct error *err);
void cupti_host_free(const struct cupti_library *cupti, CUpti_Profiler_Host_Object *host);

/* One wanted counter of a plan. Invariant: it has a reason, or slot < counters.count. */
struct cupti_plan_item {
	char *metric;  /* name in the catalogue, or CUPTI's name */
	char *counter; /* CUPTI's name; "": the chip has none */
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
	struct string_list counters; /* the counters to collect, each once */
	struct string_list missing;
	uint8_t *config;
	size_t config_bytes;
	size_t pass_count;
	struct cupti_plan *next; /* cupti_plan_next() */
};

#endif
