/* Streams, and the graphs that they are captured into, of the fake driver. See fake_cuda.h. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "tests/record/fake_cuda.h"

#define NODES_MOST 16
#define ARGUMENTS_MOST 5
#define ARGUMENT_BYTES 16

struct node {
	CUfunction function;
	struct fake_launch launch; /* without arguments */
	char arguments[ARGUMENTS_MOST][ARGUMENT_BYTES];
};

struct CUgraph_st {
	struct node nodes[NODES_MOST];
	size_t count;
};

struct CUgraphExec_st {
	CUgraph graph;
};

static atomic_int streams_in_capture;
static atomic_bool captures_are_invalid;
static _Thread_local CUstreamCaptureMode capture_mode = CU_STREAM_CAPTURE_MODE_GLOBAL;

bool fake_capture_forbids(void)
{
	return streams_in_capture && capture_mode != CU_STREAM_CAPTURE_MODE_RELAXED;
}

bool fake_capture_invalidate(void)
{
	captures_are_invalid = streams_in_capture > 0;
	return captures_are_invalid;
}

CUresult CUDAAPI cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode)
{
	CUstreamCaptureMode old = capture_mode;

	capture_mode = *mode;
	*mode = old;
	return CUDA_SUCCESS;
}

CUresult CUDAAPI cuStreamCreate(CUstream *stream, unsigned flags)
{
	(void)flags;
	*stream = calloc(1, sizeof(**stream));
	return *stream ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

/* A capture ends with its stream. */
CUresult CUDAAPI cuStreamDestroy(CUstream stream)
{
	const cuStreamDestroy_v2_params parameters = {stream};
	struct fake_call call = {.id = CUPTI_DRIVER_TRACE_CBID_cuStreamDestroy_v2,
				 .name = "cuStreamDestroy_v2",
				 .parameters = &parameters};

	fake_enter(&call);
	streams_in_capture -= stream->capturing != NULL;
	free(stream);
	return fake_exit(&call, CUDA_SUCCESS);
}

CUresult CUDAAPI cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus *status)
{
	bool created = stream && stream != CU_STREAM_LEGACY && stream != CU_STREAM_PER_THREAD;

	*status = created && stream->capturing ? CU_STREAM_CAPTURE_STATUS_ACTIVE
					       : CU_STREAM_CAPTURE_STATUS_NONE;
	return CUDA_SUCCESS;
}

static CUresult begin_capture(CUstream stream, struct fake_call *call)
{
	fake_enter(call);
	stream->capturing = calloc(1, sizeof(*stream->capturing));
	if (!stream->capturing)
		abort();
	streams_in_capture++;
	return fake_exit(call, CUDA_SUCCESS);
}

CUresult CUDAAPI cuStreamBeginCapture(CUstream stream, CUstreamCaptureMode mode)
{
	const cuStreamBeginCapture_v2_params parameters = {stream, mode};
	struct fake_call call = {.id = CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture_v2,
				 .name = "cuStreamBeginCapture_v2",
				 .parameters = &parameters};

	return begin_capture(stream, &call);
}

CUresult CUDAAPI fake_begin_first_form(CUstream stream)
{
	const cuStreamEndCapture_params parameters = {stream, NULL}; /* begins like this */
	struct fake_call call = {.id = CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture,
				 .name = "cuStreamBeginCapture",
				 .parameters = &parameters};

	return begin_capture(stream, &call);
}

CUresult CUDAAPI cuStreamEndCapture(CUstream stream, CUgraph *graph)
{
	const cuStreamEndCapture_params parameters = {stream, graph};
	struct fake_call call = {.id = CUPTI_DRIVER_TRACE_CBID_cuStreamEndCapture,
				 .name = "cuStreamEndCapture",
				 .parameters = &parameters};

	fake_enter(&call);
	*graph = captures_are_invalid ? NULL : stream->capturing;
	stream->capturing = NULL;
	streams_in_capture--;
	return fake_exit(&call, *graph ? CUDA_SUCCESS : CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
}

/* The arguments may be gone when the graph is launched. */
void fake_graph_add(CUgraph graph, CUfunction function, const struct fake_launch *launch)
{
	struct node *node = &graph->nodes[graph->count++];

	if (graph->count > NODES_MOST)
		abort();
	node->function = function;
	node->launch = *launch;
	for (size_t i = 0; i < function->kernel->parameter_count; i++)
		memcpy(node->arguments[i], launch->arguments[i],
		       function->kernel->parameters[i].bytes);
}

CUresult CUDAAPI cuGraphInstantiateWithFlags(CUgraphExec *out, CUgraph graph,
					     unsigned long long flags)
{
	(void)flags;
	*out = calloc(1, sizeof(**out));
	if (!*out)
		return CUDA_ERROR_OUT_OF_MEMORY;
	(*out)->graph = graph;
	return CUDA_SUCCESS;
}

/* CUPTI has no callback for the kernels of a graph. */
CUresult CUDAAPI cuGraphLaunch(CUgraphExec graph, CUstream stream)
{
	const cuGraphLaunch_params parameters = {graph, stream};
	struct fake_call call = {.id = CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch,
				 .name = "cuGraphLaunch",
				 .parameters = &parameters};

	fake_enter(&call);
	for (size_t i = 0; i < graph->graph->count; i++) {
		struct node *node = &graph->graph->nodes[i];
		struct fake_execution execution = {node->function->kernel->name, node->launch,
						   true};
		void *arguments[ARGUMENTS_MOST];

		for (size_t j = 0; j < ARGUMENTS_MOST; j++)
			arguments[j] = node->arguments[j];
		execution.launch.arguments = arguments;
		node->function->kernel->run(&execution.launch);
		if (fake_listening->executed)
			fake_listening->executed(&execution);
	}
	return fake_exit(&call, CUDA_SUCCESS);
}
