/*
 * CUPTI for the fake driver. A kernel takes 1000 ns per block plus 1 ns for each
 * kernel that was executed before it, so that times differ and are known.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "tests/record/fake_cuda.h"

#define CALLBACKS_MOST 2048
#define RECORDS_MOST 1024
#define ACTIVITY_BYTES sizeof(CUpti_ActivityKernel10)

static struct {
	CUpti_CallbackFunc callback;
	void *context;
	/* switched while other threads launch */
	atomic_bool driver[CALLBACKS_MOST], module_loaded, module_unloading, context_ending,
		kernels;
	CUpti_BuffersCallbackRequestFunc request;
	CUpti_BuffersCallbackCompleteFunc complete;
	CUpti_ActivityKernel10 records[RECORDS_MOST];
	size_t record_count;
	pthread_mutex_t lock;
} cupti = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- callbacks ---- */

static void on_call(struct fake_call *call, CUpti_ApiCallbackSite site)
{
	const CUpti_CallbackData data = {
		.callbackSite = site,
		.functionName = call->name,
		.functionParams = call->parameters,
		.functionReturnValue = &call->result,
		.symbolName = call->symbol,
		.correlationData = &call->correlation_data,
	};

	if (cupti.callback && cupti.driver[call->id])
		cupti.callback(cupti.context, CUPTI_CB_DOMAIN_DRIVER_API, call->id, &data);
}

static void on_load(const char *image, size_t bytes)
{
	CUpti_ModuleResourceData module = {.cubinSize = bytes, .pCubin = image};
	const CUpti_ResourceData data = {.resourceDescriptor = &module};

	if (cupti.callback && cupti.module_loaded)
		cupti.callback(cupti.context, CUPTI_CB_DOMAIN_RESOURCE,
			       CUPTI_CBID_RESOURCE_MODULE_LOADED, &data);
}

static void on_unloading(void)
{
	const CUpti_ResourceData data = {.resourceDescriptor = NULL};

	if (cupti.callback && cupti.module_unloading)
		cupti.callback(cupti.context, CUPTI_CB_DOMAIN_RESOURCE,
			       CUPTI_CBID_RESOURCE_MODULE_UNLOAD_STARTING, &data);
}

static void on_context_ending(CUcontext context)
{
	const CUpti_ResourceData data = {.context = context};

	if (cupti.callback && cupti.context_ending)
		cupti.callback(cupti.context, CUPTI_CB_DOMAIN_RESOURCE,
			       CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING, &data);
}

static void on_execution(const struct fake_execution *execution)
{
	const unsigned *grid = execution->launch.grid;
	const unsigned *block = execution->launch.block;
	size_t index;

	if (!cupti.kernels)
		return;
	pthread_mutex_lock(&cupti.lock);
	index = cupti.record_count++;
	if (index >= RECORDS_MOST)
		abort();
	cupti.records[index] = (CUpti_ActivityKernel10){
		.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
		.registersPerThread = 24,
		.start = 1000000 * index,
		.end = 1000000 * index + 1000 * (uint64_t)grid[0] + index,
		.gridX = (int32_t)grid[0],
		.gridY = (int32_t)grid[1],
		.gridZ = (int32_t)grid[2],
		.blockX = (int32_t)block[0],
		.blockY = (int32_t)block[1],
		.blockZ = (int32_t)block[2],
		.dynamicSharedMemory = (int32_t)execution->launch.shared_bytes,
		.correlationId = (uint32_t)index + 1,
		.name = execution->kernel,
		.graphId = execution->in_graph,
	};
	pthread_mutex_unlock(&cupti.lock);
}

static const struct fake_listener listener = {on_call, on_load, on_unloading, on_context_ending,
					      on_execution};

CUptiResult CUPTIAPI cuptiSubscribe(CUpti_SubscriberHandle *subscriber, CUpti_CallbackFunc callback,
				    void *context)
{
	/* A profiler that was there first. */
	if (getenv("FAKE_CUPTI_TAKEN"))
		return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
	cupti.callback = callback;
	cupti.context = context;
	*subscriber = (CUpti_SubscriberHandle)(void *)&cupti;
	fake_cuda_listen(&listener);
	return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI cuptiUnsubscribe(CUpti_SubscriberHandle subscriber)
{
	if ((void *)subscriber != (void *)&cupti)
		return CUPTI_ERROR_INVALID_PARAMETER;
	cupti.callback = NULL;
	return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI cuptiEnableCallback(uint32_t enable, CUpti_SubscriberHandle subscriber,
					 CUpti_CallbackDomain domain, CUpti_CallbackId id)
{
	if ((void *)subscriber != (void *)&cupti || id >= CALLBACKS_MOST)
		return CUPTI_ERROR_INVALID_PARAMETER;
	if (domain == CUPTI_CB_DOMAIN_DRIVER_API)
		cupti.driver[id] = enable;
	else if (domain == CUPTI_CB_DOMAIN_RESOURCE && id == CUPTI_CBID_RESOURCE_MODULE_LOADED)
		cupti.module_loaded = enable;
	else if (domain == CUPTI_CB_DOMAIN_RESOURCE &&
		 id == CUPTI_CBID_RESOURCE_MODULE_UNLOAD_STARTING)
		cupti.module_unloading = enable;
	else if (domain == CUPTI_CB_DOMAIN_RESOURCE &&
		 id == CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING)
		cupti.context_ending = enable;
	return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI cuptiGetResultString(CUptiResult result, const char **text)
{
	*text = result == CUPTI_SUCCESS ? "CUPTI_SUCCESS" : "CUPTI_ERROR_OF_THE_TEST";
	return CUPTI_SUCCESS;
}

/* ---- times of kernels ---- */

CUptiResult CUPTIAPI cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc request,
						    CUpti_BuffersCallbackCompleteFunc complete)
{
	cupti.request = request;
	cupti.complete = complete;
	return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI cuptiActivityEnable(CUpti_ActivityKind kind)
{
	if (getenv("FAKE_CUPTI_TAKEN"))
		return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
	if (kind != CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL)
		return CUPTI_ERROR_INVALID_KIND;
	cupti.kernels = true;
	fake_cuda_listen(&listener);
	return CUPTI_SUCCESS;
}

/* Delivers all records, in as many buffers as they need. */
CUptiResult CUPTIAPI cuptiActivityFlushAll(uint32_t flags)
{
	size_t sent = 0;

	(void)flags;
	while (sent < cupti.record_count) {
		uint8_t *buffer = NULL;
		size_t bytes = 0;
		size_t most = 0;
		size_t count;

		cupti.request(&buffer, &bytes, &most);
		count = bytes / ACTIVITY_BYTES;
		if (!buffer || !count)
			return CUPTI_ERROR_OUT_OF_MEMORY;
		if (count > cupti.record_count - sent)
			count = cupti.record_count - sent;
		memcpy(buffer, cupti.records + sent, count * ACTIVITY_BYTES);
		cupti.complete(NULL, 0, buffer, bytes, count * ACTIVITY_BYTES);
		sent += count;
	}
	cupti.record_count = 0;
	return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI cuptiActivityGetNextRecord(uint8_t *buffer, size_t valid,
						CUpti_Activity **record)
{
	uint8_t *next = *record ? (uint8_t *)*record + ACTIVITY_BYTES : buffer;

	if (next + ACTIVITY_BYTES > buffer + valid)
		return CUPTI_ERROR_MAX_LIMIT_REACHED;
	*record = (CUpti_Activity *)(void *)next;
	return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI cuptiActivityGetNumDroppedRecords(CUcontext context, uint32_t stream,
						       size_t *dropped)
{
	(void)context;
	(void)stream;
	*dropped = 3;
	return CUPTI_SUCCESS;
}
