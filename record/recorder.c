/*
 * The recorder while the program runs: on each launch, on code that is loaded and unloaded, and on
 * the end of contexts.
 */
#include "record/recorder.h"

#include <errno.h>
#include <pthread.h>

#include "record/hooks.h"
#include "record/launches.h"
#include "record/program_threads.h"

struct recorder recorder;
_Thread_local bool recorder_busy;

/* What the launch of this thread has begun that its end must end. */
static _Thread_local enum {
	PASSED_BY,     /* nothing */
	ENTERED_GATE,  /* as any launch */
	RECORDS_LAUNCH /* has closed the gate */
} launch_state;

/* ---- streams that are captured into graphs ----
 *
 * Each is known by its handle: the end of a capture whose beginning was not seen is none of these.
 * Hardly any program captures two streams at once. None begins or ends while the gate is closed.
 */

struct captured_stream {
	CUstream stream;
	const void *thread; /* whose default stream it is; NULL: it is another stream */
};

static struct {
	pthread_mutex_t lock;
	struct captured_stream *items;
	size_t count, capacity;
} captured = {.lock = PTHREAD_MUTEX_INITIALIZER};

static struct captured_stream stream_of(CUpti_CallbackId id, const CUpti_CallbackData *data)
{
	static _Thread_local char thread; /* its address is unique */
	/* The parameters of all these calls begin with the stream. */
	const cuStreamEndCapture_params *given = data->functionParams;
	struct captured_stream found = {.stream = given->hStream};

	if (!found.stream && call_is_per_thread(id))
		found.stream = CU_STREAM_PER_THREAD;
	if (found.stream == CU_STREAM_PER_THREAD)
		found.thread = &thread;
	return found;
}

/* A capture that was broken ends with an error. Other errors mean that the stream is none. */
static bool ends_capture(CUresult result)
{
	return result == CUDA_SUCCESS || result == CUDA_ERROR_STREAM_CAPTURE_INVALIDATED ||
	       result == CUDA_ERROR_STREAM_CAPTURE_UNJOINED;
}

/* A call that begins or ends a capture, or destroys a stream, has returned. */
static void note_captured_stream(CUpti_CallbackId id, const CUpti_CallbackData *data)
{
	const bool begins = call_role_of(id) == CALL_CAPTURE_BEGIN;
	const struct captured_stream stream = stream_of(id, data);
	const CUresult *result = data->functionReturnValue;
	size_t at = 0;

	pthread_mutex_lock(&captured.lock);
	while (at < captured.count && (captured.items[at].stream != stream.stream ||
				       captured.items[at].thread != stream.thread))
		at++;
	if (begins && at == captured.count && result && *result == CUDA_SUCCESS) {
		captured.items = xgrow(captured.items, &captured.capacity, captured.count + 1,
				       sizeof(*captured.items));
		captured.items[captured.count++] = stream;
	} else if (!begins && at < captured.count && result && ends_capture(*result)) {
		captured.items[at] = captured.items[--captured.count];
	}
	pthread_mutex_unlock(&captured.lock);
}

static bool any_stream_is_captured(void)
{
	bool any;

	pthread_mutex_lock(&captured.lock);
	any = captured.count > 0;
	pthread_mutex_unlock(&captured.lock);
	return any;
}

/* ---- launches ---- */

static bool is_into_graph(const struct launch_call *call)
{
	CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
	CUstream stream = call->stream;

	if (!stream && call->per_thread)
		stream = CU_STREAM_PER_THREAD;
	return driver.cuStreamIsCapturing(stream, &status) == CUDA_SUCCESS &&
	       status != CU_STREAM_CAPTURE_STATUS_NONE;
}

/* The launch has entered the gate. Returns whether a recording began, which keeps the gate closed.
 */
static bool record_launch(const struct launch_call *call, const struct seen_kernel *kernel,
			  int64_t number)
{
	struct error err = {0};
	struct undisturbed thread;
	bool began = false;
	int rc;

	undisturbed_begin(&thread);
	launch_gate_leave();
	launch_gate_close();
	/* After the last capture nobody listens to the ends of launches, and the gate would not
	 * become empty. */
	if (recorder.captures < recorder.request.most) {
		rc = launch_gate_await_empty(&err);
		/* To wait for the GPU would invalidate the graphs of the program. */
		if (!rc && any_stream_is_captured())
			rc = error_set(
				&err, PL_EUNSUPPORTED,
				"the program captures a stream into a graph at this moment, "
				"which waiting for the GPU would break: record another launch");
		if (rc)
			events_send("failed",
				    json_pack("{s:o, s:I, s:o}", "kernel", event_json(kernel->name),
					      "launch", (json_int_t)number, "why",
					      event_json(err.text)));
		else
			began = capture_launch_begin(&recorder.request, call, kernel->name, number,
						     recorder.program);
		recorder.captures += began;
	}
	if (!began) {
		launch_gate_open();
		launch_gate_enter();
	}
	undisturbed_end(&thread);
	/* A thread that ended now would leave the gate closed. */
	if (began)
		pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &recorder.cancel_state);
	return began;
}

/* Returns whether a recording began. */
static bool enter_wanted(struct seen_kernel *kernel, CUpti_CallbackId id,
			 const CUpti_CallbackData *data)
{
	struct launch_call call;
	bool began = false;

	if (!launch_call_decode(&call, id, data))
		return false;
	recorder_busy = true;
	if (is_into_graph(&call)) {
		kernel->graph_launches++;
	} else {
		const int64_t number = ++kernel->launches;

		began = record_request_due(&recorder.request, kernel->name, number) &&
			record_launch(&call, kernel, number);
	}
	recorder_busy = false;
	launch_call_release(&call);
	return began;
}

static struct seen_kernel *kernel_of(const void *function, const char *symbol)
{
	struct seen_kernel *kernel = seen_kernel_find(function);

	if (kernel)
		return kernel;
	recorder_busy = true;
	if (!symbol)
		symbol = launched_function_name(function);
	recorder_busy = false;
	return seen_kernel_add(function, symbol);
}

/* On the path of every launch. */
static void enter_launch(CUpti_CallbackId id, const CUpti_CallbackData *data)
{
	const void *function = launch_call_function(id, data);
	struct seen_kernel *kernel;

	launch_gate_enter();
	launch_state = ENTERED_GATE;
	if (!function)
		return; /* of a graph, or no launch */
	kernel = kernel_of(function, data->symbolName);
	if (!kernel->wanted)
		atomic_fetch_add_explicit(&kernel->launches, 1, memory_order_relaxed);
	else if (enter_wanted(kernel, id, data))
		launch_state = RECORDS_LAUNCH;
}

/* Opens the gate. */
static void end_recording(const CUpti_CallbackData *data)
{
	const CUresult *result = data->functionReturnValue;
	const int cancel_state = recorder.cancel_state;
	struct error none = {0};
	struct undisturbed thread;

	undisturbed_begin(&thread);
	recorder_busy = true;
	capture_launch_end(result && *result != CUDA_SUCCESS);
	recorder_busy = false;
	/* From the last capture on there is nothing to listen to. */
	if (recorder.captures >= recorder.request.most && recorder.hooked)
		hooks_listen(NULL);
	else if (recorder.captures >= recorder.request.most)
		record_cupti_switch(recorder.subscriber, false, &none);
	launch_gate_open();
	undisturbed_end(&thread);
	pthread_setcancelstate(cancel_state, NULL);
}

static void leave_launch(CUpti_CallbackId id, const CUpti_CallbackData *data)
{
	const enum call_role role = call_role_of(id);

	if (call_concerns_captures(role))
		note_captured_stream(id, data);
	if (launch_state == RECORDS_LAUNCH)
		end_recording(data);
	else if (launch_state == ENTERED_GATE)
		launch_gate_leave();
	launch_state = PASSED_BY;
}

/* ---- callbacks by CUPTI ---- */

static void note_load_call(CUpti_CallbackId id, const CUpti_CallbackData *data)
{
	struct undisturbed thread;
	CUcontext context = NULL;

	undisturbed_begin(&thread);
	driver.cuCtxGetCurrent(&context);
	images_note_call(id, data, context);
	undisturbed_end(&thread);
}

static bool loads_or_unloads(enum call_role role)
{
	return call_loads_code(role) || role == CALL_UNLOAD;
}

static void on_driver_call(CUpti_CallbackId id, const CUpti_CallbackData *data)
{
	if (recorder_busy)
		return;
	if (loads_or_unloads(call_role_of(id))) {
		note_load_call(id, data);
	} else if (data->callbackSite == CUPTI_API_ENTER) {
		enter_launch(id, data);
	} else {
		leave_launch(id, data);
	}
}

static void note_context_end(CUcontext context)
{
	images_forget_context(context);
	seen_kernels_forget_handles();
}

/* Also called while the recorder is busy: asking for a kernel may load it. */
static void on_resource(CUpti_CallbackId id, const CUpti_ResourceData *resource)
{
	const CUpti_ModuleResourceData *module = resource->resourceDescriptor;

	if (id == CUPTI_CBID_RESOURCE_MODULE_LOADED)
		images_note_cubin(module->pCubin, module->cubinSize);
	else if (id == CUPTI_CBID_RESOURCE_MODULE_UNLOAD_STARTING)
		seen_kernels_forget_handles();
	else if (id == CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING)
		note_context_end(resource->context);
}

void CUPTIAPI recorder_on_callback(void *context, CUpti_CallbackDomain domain, CUpti_CallbackId id,
				   const void *data)
{
	const int error_number = errno;

	(void)context;
	if (recorder.is_fork)
		return;
	if (domain == CUPTI_CB_DOMAIN_DRIVER_API) {
		on_driver_call(id, data);
	} else if (domain == CUPTI_CB_DOMAIN_RESOURCE) {
		on_resource(id, data);
	}
	errno = error_number;
}

/* On the path of every launch, getpid() would cost as much as the rest. */
void recorder_on_fork(void)
{
	recorder.is_fork = true;
}

/* ---- callbacks by hooks, which do not show the ends of contexts as CUPTI does ---- */

/* The handle of the primary context, without making one; NULL: there is none. */
static CUcontext primary_context(CUdevice device)
{
	CUcontext context = NULL;
	unsigned flags;
	int active = 0;

	if (driver.cuDevicePrimaryCtxGetState(device, &flags, &active) != CUDA_SUCCESS || !active ||
	    driver.cuDevicePrimaryCtxRetain(&context, device) != CUDA_SUCCESS)
		return NULL;
	driver.cuDevicePrimaryCtxRelease(device);
	return context;
}

/* Whether releasing a context ends it shows only afterwards, when the driver does not tell its
 * handle any more. */
static CUcontext released_context(const CUpti_CallbackData *data)
{
	static _Thread_local CUcontext released;
	const cuDevicePrimaryCtxRelease_v2_params *given = data->functionParams;
	unsigned flags;
	int active = 1;

	if (data->callbackSite == CUPTI_API_ENTER) {
		released = primary_context(given->dev);
		return NULL;
	}
	driver.cuDevicePrimaryCtxGetState(given->dev, &flags, &active);
	return active ? NULL : released;
}

/* The context that ends with a call, and with it its modules; NULL: none, or it is not certain
 * before the call has returned. */
static CUcontext ended_context(CUpti_CallbackId id, const CUpti_CallbackData *data)
{
	const bool entered = data->callbackSite == CUPTI_API_ENTER;
	const void *given = data->functionParams;

	switch (call_role_of(id)) {
	case CALL_CONTEXT_DESTROY:
		return entered ? ((const cuCtxDestroy_v2_params *)given)->ctx : NULL;
	case CALL_PRIMARY_RESET:
		return entered ? primary_context(
					 ((const cuDevicePrimaryCtxReset_v2_params *)given)->dev)
			       : NULL;
	case CALL_PRIMARY_RELEASE:
		return released_context(data);
	default:
		return NULL;
	}
}

/* Nothing is unloaded, and no context ends, while another thread records: images.c may be loading
 * any of the images once more. */
void recorder_on_hooked_call(CUpti_CallbackId id, const CUpti_CallbackData *data)
{
	const bool entered = data->callbackSite == CUPTI_API_ENTER;
	const enum call_role role = call_role_of(id);
	const bool passes_gate = !call_loads_code(role);
	const int error_number = errno;
	CUcontext ended = NULL;

	if (recorder.is_fork || recorder_busy)
		return;
	if (entered && passes_gate)
		enter_launch(id, data);
	if (!call_launches(role))
		ended = ended_context(id, data);
	if (ended)
		note_context_end(ended);
	else if (role == CALL_UNLOAD && entered)
		seen_kernels_forget_handles();
	if (loads_or_unloads(role))
		note_load_call(id, data);
	if (!entered && passes_gate)
		leave_launch(id, data);
	errno = error_number;
}
