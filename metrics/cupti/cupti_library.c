/* Finds and opens libcupti, turns its results into errors, and finds the chips that it knows and
 * their metrics. */
#include <dlfcn.h>
#include <glob.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "metrics/cupti/cupti_internal.h"

static const struct {
	const char *name;
	size_t offset;
	bool needed;
} functions[] = {
#define X(name) {#name, offsetof(struct cupti_library, name), true},
	CUPTI_FUNCTION_LIST(X)
#undef X
#define X(name) {#name, offsetof(struct cupti_library, name), false},
		CUPTI_PROFILE_FUNCTION_LIST(X)
#undef X
};

/* Opens one candidate. Returns false, with a note in `tried`, if it is missing or not usable. */
static bool library_open(struct cupti_library *library, const char *path, struct text *tried)
{
	void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	uint32_t api;

	if (!handle) {
		text_addf(tried, "%s%s", tried->length ? ", " : "", path);
		return false;
	}
	for (size_t i = 0; i < ARRAY_SIZE(functions); i++) {
		void *symbol = dlsym(handle, functions[i].name);

		if (!symbol && functions[i].needed) {
			text_addf(tried, "%s%s (too old: it lacks %s)", tried->length ? ", " : "",
				  path, functions[i].name);
			dlclose(handle);
			return false;
		}
		/* POSIX guarantees that the address of a function fits; ISO C has no cast for it.
		 */
		memcpy((char *)library + functions[i].offset, &symbol, sizeof(symbol));
	}
	if (library->cuptiGetVersion(&api) != CUPTI_SUCCESS)
		api = 0;
	/* API versions were small numbers before CUDA 13.0, and are MMmmpp since then. */
	if (api < 100000)
		snprintf(library->version, sizeof(library->version), "API %u", api);
	else
		snprintf(library->version, sizeof(library->version), "%u.%u", api / 10000,
			 api / 100 % 100);
	return true;
}

/* Tries the places of CUPTI in the releases of the toolkit. */
static bool library_open_under(struct cupti_library *library, const char *toolkit,
			       struct text *tried)
{
	static const char *const folders[] = {"lib64", "extras/CUPTI/lib64",
					      "targets/x86_64-linux/lib", "targets/sbsa-linux/lib",
					      "lib"};
	bool opened = false;

	for (size_t i = 0; i < ARRAY_SIZE(folders) && !opened; i++) {
		char *pattern = xasprintf("%s/%s/libcupti.so*", toolkit, folders[i]);
		glob_t found;

		if (glob(pattern, 0, NULL, &found) == 0) {
			for (size_t j = 0; j < found.gl_pathc && !opened; j++)
				opened = library_open(library, found.gl_pathv[j], tried);
			globfree(&found);
		}
		free(pattern);
	}
	return opened;
}

static bool library_open_under_each(struct cupti_library *library, const char *pattern,
				    struct text *tried)
{
	bool opened = false;
	glob_t found;

	if (glob(pattern, 0, NULL, &found) != 0)
		return false;
	for (size_t i = 0; i < found.gl_pathc && !opened; i++)
		opened = library_open_under(library, found.gl_pathv[i], tried);
	globfree(&found);
	return opened;
}

static int library_find(struct cupti_library *library, struct error *err)
{
	const char *named = getenv("PERFLAB_CUPTI");
	static const char *const variables[] = {"CUDA_HOME", "CUDA_PATH"};
	struct text tried = TEXT_INIT, soname = TEXT_INIT;
	bool opened = false;

	text_addf(&soname, "libcupti.so.%d", CUPTI_API_VERSION / 10000);
	if (named && *named) {
		/* Never replaces the library that the user names by another one. */
		opened = library_open(library, named, &tried);
	} else {
		opened = library_open(library, soname.data, &tried) ||
			 library_open(library, "libcupti.so", &tried);
		for (size_t i = 0; i < ARRAY_SIZE(variables) && !opened; i++) {
			const char *toolkit = getenv(variables[i]);

			if (toolkit && *toolkit)
				opened = library_open_under(library, toolkit, &tried);
		}
		opened = opened || library_open_under_each(library, "/usr/local/cuda", &tried) ||
			 library_open_under_each(library, "/usr/local/cuda-*", &tried) ||
			 library_open_under_each(library, "/opt/cuda*", &tried);
	}
	if (!opened)
		error_set(
			err, PL_EUNSUPPORTED,
			"libcupti not found: tried %s%s; install the CUDA toolkit's CUPTI, or set "
			"PERFLAB_CUPTI to the library file",
			tried.data,
			named && *named ? " (from PERFLAB_CUPTI)"
					: ", $CUDA_HOME, $CUDA_PATH, /usr/local/cuda*, /opt/cuda*");
	text_release(&soname);
	text_release(&tried);
	return opened ? 0 : PL_EUNSUPPORTED;
}

int cupti_library_get(const struct cupti_library **out, struct error *err)
{
	/* One library per process: CUPTI has global state and cannot be closed again. */
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static struct cupti_library library;
	static bool opened;
	int rc = 0;

	pthread_mutex_lock(&lock);
	if (!opened) {
		rc = library_find(&library, err);
		opened = !rc;
	}
	pthread_mutex_unlock(&lock);
	if (!rc)
		*out = &library;
	return rc;
}

int cupti_load(char version[16], struct error *err)
{
	const struct cupti_library *cupti;
	int rc = cupti_library_get(&cupti, err);

	if (!rc && version)
		memcpy(version, cupti->version, sizeof(cupti->version));
	return rc;
}

/* Cause and remedy of the results for which they are known. */
static const struct {
	CUptiResult result;
	int code;
	const char *advice;
} advices[] = {
	{CUPTI_ERROR_INSUFFICIENT_PRIVILEGES, PL_EUNSUPPORTED,
	 "only administrators may read counters; run as root (in a container with "
	 "--cap-add SYS_ADMIN), or load the nvidia module with "
	 "NVreg_RestrictProfilingToAdminUsers=0"},
	{CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES, PL_EUNSUPPORTED,
	 "profiling is switched off for this virtual GPU; its host must enable it"},
	{CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED, PL_EUNSUPPORTED,
	 "another profiler holds the counters (ncu, nsys or another CUPTI client in this process)"},
	{CUPTI_ERROR_HARDWARE_BUSY, PL_EBUSY,
	 "another process holds the counters; end that profiler, or pause DCGM with "
	 "`dcgmi profile --pause`"},
	{CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED, PL_EUNSUPPORTED,
	 "counters cannot be read on this virtual GPU"},
	{CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED, PL_EUNSUPPORTED,
	 "counters cannot be read in confidential-computing mode"},
	{CUPTI_ERROR_CMP_DEVICE_NOT_SUPPORTED, PL_EUNSUPPORTED,
	 "mining processors have no counters to read"},
	{CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED, PL_EUNSUPPORTED,
	 "counters cannot be read on this MIG instance; switch MIG off, or give the whole GPU to "
	 "one instance"},
	{CUPTI_ERROR_SLI_DEVICE_NOT_SUPPORTED, PL_EUNSUPPORTED,
	 "counters cannot be read while SLI is on; switch it off"},
	{CUPTI_ERROR_WSL_DEVICE_NOT_SUPPORTED, PL_EUNSUPPORTED,
	 "counters cannot be read under this version of WSL"},
	{CUPTI_ERROR_LEGACY_PROFILER_NOT_SUPPORTED, PL_EUNSUPPORTED,
	 "this GPU is too old: compute capability 7.5 or newer is needed"},
};

int cupti_checked(const struct cupti_library *cupti, CUptiResult result, const char *function,
		  struct error *err)
{
	const char *name = NULL;

	if (result == CUPTI_SUCCESS)
		return 0;
	if (cupti->cuptiGetResultString(result, &name) != CUPTI_SUCCESS || !name)
		name = "unknown result";
	for (size_t i = 0; i < ARRAY_SIZE(advices); i++) {
		if (advices[i].result == result)
			return error_set(err, advices[i].code, "%s: %s (%d): %s", function, name,
					 (int)result, advices[i].advice);
	}
	return error_set(err, PL_EDEVICE, "%s: %s (%d)", function, name, (int)result);
}

static int fail_unknown_chip(const char *chip,
			     const CUpti_Profiler_Host_GetSupportedChips_Params *known,
			     struct error *err)
{
	struct text nearest = TEXT_INIT;

	if (nearest_names(&nearest, chip, known->ppChipNames, known->numChips))
		error_set(err, PL_EUSAGE, "unknown chip '%s'; did you mean %s?", chip,
			  nearest.data);
	else
		error_set(err, PL_EUSAGE, "unknown chip '%s'; CUPTI knows names such as %s", chip,
			  known->numChips ? known->ppChipNames[known->numChips - 1] : "GH100");
	text_release(&nearest);
	return PL_EUSAGE;
}

int cupti_host_create(const struct cupti_library *cupti, CUpti_Profiler_Host_Object **out,
		      const char *chip, const uint8_t *availability, struct error *err)
{
	CUpti_Profiler_Host_GetSupportedChips_Params known =
		CUPTI_PARAMS(CUpti_Profiler_Host_GetSupportedChips_Params);
	CUpti_Profiler_Host_Initialize_Params params =
		CUPTI_PARAMS(CUpti_Profiler_Host_Initialize_Params);
	bool listed = false;
	CUptiResult result;
	int rc;

	rc = CUPTI_CALL(cupti, cuptiProfilerHostGetSupportedChips, &known, err);
	if (rc)
		return rc;
	for (size_t i = 0; i < known.numChips && !listed; i++)
		listed = strcmp(known.ppChipNames[i], chip) == 0;
	/* With the availability image of the device, a chip that is newer than the list may work.
	 */
	if (!listed && !availability)
		return fail_unknown_chip(chip, &known, err);

	params.profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER;
	params.pChipName = chip;
	params.pCounterAvailabilityImage = availability;
	result = cupti->cuptiProfilerHostInitialize(&params);
	if (result == CUPTI_ERROR_NOT_SUPPORTED)
		return error_set(
			err, PL_EUNSUPPORTED,
			"chip %s: this CUPTI (%s) lists it but cannot profile ranges on it", chip,
			cupti->version);
	if (result != CUPTI_SUCCESS) {
		rc = cupti_checked(cupti, result, "cuptiProfilerHostInitialize", err);
		return error_context(err, rc, "chip %s", chip);
	}
	*out = params.pHostObject;
	return 0;
}

void cupti_host_free(const struct cupti_library *cupti, CUpti_Profiler_Host_Object *host)
{
	CUpti_Profiler_Host_Deinitialize_Params params =
		CUPTI_PARAMS(CUpti_Profiler_Host_Deinitialize_Params);

	if (!host)
		return;
	params.pHostObject = host;
	cupti->cuptiProfilerHostDeinitialize(&params);
}

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
