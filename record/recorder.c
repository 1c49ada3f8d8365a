/*
 * The recorder: a shared library that the driver loads into the program that
 * `perflab record` starts, because $CUDA_INJECTION64_PATH names it. It listens
 * to CUPTI, and does nothing of its own until a launch is to be recorded. The
 * program owns the process: the recorder prints nothing unless it was asked to,
 * changes no signal, and goes on without itself after any error.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "record/capture_name.h"
#include "record/device_words.h"
#include "record/events.h"
#include "record/gate.h"
#include "record/images.h"
#include "record/kernels.h"
#include "record/launches.h"
#include "record/loads.h"
#include "record/take.h"
#include "record/timeline.h"

#define COMMAND_LINE_MOST_BYTES 4096
/* How long the launch of another thread may take. It waits while the queue of the GPU is full. */
#define LAUNCH_LIMIT_NS INT64_C(60000000000)

/* The one recorder of a process. A library that is called back by name has no other place for it.
 */
static struct recorder {
	struct record_request request;
	struct record_driver driver;
	struct record_cupti cupti;
	struct events events;
	struct images images;
	struct timeline timeline;
	CUpti_SubscriberHandle subscriber;
	char *program;
	pid_t process;
	int64_t began_ns;

	struct seen_kernels seen;

	/* A thread closes it from the beginning of a recording to its end. What is below belongs to
	 * that thread. */
	struct gate gate;
	_Atomic int64_t captures; /* begun; others only read it */
	struct take take;
	struct capture_name name;         /* of the capture that is being written */
	CUstreamCaptureMode capture_mode; /* of the thread before the recording */
	/* Streams that are captured into graphs. None begins or ends while the gate is closed. */
	_Atomic int captured_streams;
	_Atomic bool is_fork; /* this process is one, in which CUDA does not work */
} recorder;

/* The calls that the recorder itself makes of the driver are none of the program. */
static _Thread_local bool busy;
/* What the launch of this thread has begun that its end must end. */
static _Thread_local enum {
	PASSED_BY,     /* nothing */
	ENTERED_GATE,  /* as any launch */
	RECORDS_LAUNCH /* has closed the gate */
} launch_state;

__attribute__((visibility("default"))) int InitializeInjection(void);

/* ---- the program ---- */

/* The words of the command line, separated by spaces. Other than UTF-8 becomes '?'. */
static char *command_line(void)
{
	char *bytes = NULL;
	size_t length = 0;
	struct error err = {0};

	if (read_file(&bytes, &length, "/proc/self/cmdline", COMMAND_LINE_MOST_BYTES, &err) ||
	    !length) {
		free(bytes);
		return xstrdup("?");
	}
	for (size_t i = 0; i + 1 < length; i++)
		if ((unsigned char)bytes[i] < ' ' || (unsigned char)bytes[i] > '~')
			bytes[i] = bytes[i] ? '?' : ' ';
	return bytes;
}

/* ---- launches ---- */

static bool is_into_graph(const struct launch_call *call)
{
	CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
	CUstream stream = call->stream;

	if (!stream && call->per_thread)
		stream = CU_STREAM_PER_THREAD;
	return recorder.driver.cuStreamIsCapturing(stream, &status) == CUDA_SUCCESS &&
	       status != CU_STREAM_CAPTURE_STATUS_NONE;
}

static void clean_up_after_take(void)
{
	recorder.driver.cuThreadExchangeStreamCaptureMode(&recorder.capture_mode);
	capture_name_release(&recorder.name);
}

/* Returns whether take_end() must follow. */
static bool begin_take(const struct launch_call *call, const struct seen_kernel *kernel,
		       int64_t number)
{
	struct take_request request = {
		.driver = &recorder.driver,
		.events = &recorder.events,
		.images = &recorder.images,
		.call = call,
		.kernel = kernel->name,
		.number = number,
		.program = recorder.program,
		.limit_bytes = (uint64_t)recorder.request.limit_bytes,
	};
	struct error err = {0};
	bool began;

	capture_name_reserve(&recorder.name, recorder.request.folder, recorder.request.output);
	request.path = recorder.name.path;
	/* Another stream of the program may be recorded into a graph, which forbids copies. */
	recorder.capture_mode = CU_STREAM_CAPTURE_MODE_RELAXED;
	recorder.driver.cuThreadExchangeStreamCaptureMode(&recorder.capture_mode);
	began = take_begin(&recorder.take, &request, &err) == 0;
	recorder.captures += began;
	if (!began)
		clean_up_after_take();
	return began;
}

/* From the last capture on there is nothing to listen to. The gate is closed. */
static void stop_listening(void)
{
	for (size_t i = 0; i < launch_callback_count; i++)
		recorder.cupti.cuptiEnableCallback(0, recorder.subscriber,
						   CUPTI_CB_DOMAIN_DRIVER_API, launch_callbacks[i]);
}

/* To wait for the GPU would invalidate the graphs of the program. */
static int refuse_beside_graph(struct error *err)
{
	if (recorder.captured_streams <= 0)
		return 0;
	return error_set(err, PL_EUNSUPPORTED,
			 "the program captures a stream into a graph at this moment, which waiting "
			 "for the GPU would break: record another launch");
}

static void send_not_begun(const struct seen_kernel *kernel, int64_t number,
			   const struct error *err)
{
	events_send(&recorder.events, "failed",
		    json_pack("{s:o, s:I, s:o}", "kernel", event_json(kernel->name), "launch",
			      (json_int_t)number, "why", event_json(err->text)));
}

/* The launch has entered the gate. Returns whether a recording began, which keeps the gate closed.
 */
static bool record_launch(const struct launch_call *call, const struct seen_kernel *kernel,
			  int64_t number)
{
	struct error err = {0};
	bool began = false;

	/* Then nobody listens to the ends of launches, and the gate would not become empty. */
	if (recorder.captures >= recorder.request.most)
		return false;
	gate_leave(&recorder.gate);
	if (gate_close(&recorder.gate, LAUNCH_LIMIT_NS, &err)) {
		send_not_begun(kernel, number, &err);
	} else {
		if (refuse_beside_graph(&err))
			send_not_begun(kernel, number, &err);
		else if (recorder.captures < recorder.request.most)
			began = begin_take(call, kernel, number);
		if (!began)
			gate_open(&recorder.gate);
	}
	if (!began)
		gate_enter(&recorder.gate);
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
	busy = true;
	if (is_into_graph(&call)) {
		kernel->graph_launches++;
	} else {
		const int64_t number = ++kernel->launches;

		began = record_request_due(&recorder.request, kernel->name, number) &&
			record_launch(&call, kernel, number);
	}
	busy = false;
	launch_call_release(&call);
	return began;
}

/* On the path of every launch. */
static void enter_launch(CUpti_CallbackId id, const CUpti_CallbackData *data)
{
	const void *function = launch_call_function(id, data);
	struct seen_kernel *kernel;

	gate_enter(&recorder.gate);
	launch_state = ENTERED_GATE;
	if (!function)
		return; /* of a graph, or no launch */
	kernel = seen_kernel_of(&recorder.seen, function, data->symbolName);
	if (!kernel->wanted)
		atomic_fetch_add_explicit(&kernel->launches, 1, memory_order_relaxed);
	else if (enter_wanted(kernel, id, data))
		launch_state = RECORDS_LAUNCH;
}

/* Opens the gate. */
static void end_recording(const CUpti_CallbackData *data)
{
	const CUresult *result = data->functionReturnValue;
	struct error err = {0};

	busy = true;
	take_end(&recorder.take, result && *result != CUDA_SUCCESS, &err);
	clean_up_after_take();
	busy = false;
	if (recorder.captures >= recorder.request.most)
		stop_listening();
	gate_open(&recorder.gate);
}

static void leave_launch(CUpti_CallbackId id, const CUpti_CallbackData *data)
{
	const CUresult *result = data->functionReturnValue;

	recorder.captured_streams += stream_capture_step(id, result ? *result : CUDA_SUCCESS);
	if (launch_state == RECORDS_LAUNCH)
		end_recording(data);
	else if (launch_state == ENTERED_GATE)
		gate_leave(&recorder.gate);
	launch_state = PASSED_BY;
}

/* ---- callbacks ---- */

static void on_driver_call(CUpti_CallbackId id, const CUpti_CallbackData *data)
{
	if (busy)
		return;
	if (is_load_callback(id)) {
		load_call_note(&recorder.images, id, data);
	} else if (data->callbackSite == CUPTI_API_ENTER) {
		enter_launch(id, data);
	} else {
		leave_launch(id, data);
	}
}

/* Also while busy: asking for a kernel may load it. */
static void on_resource(CUpti_CallbackId id, const CUpti_ResourceData *resource)
{
	const CUpti_ModuleResourceData *module = resource->resourceDescriptor;

	if (id == CUPTI_CBID_RESOURCE_MODULE_LOADED)
		images_note_cubin(&recorder.images, module->pCubin, module->cubinSize);
	else if (id == CUPTI_CBID_RESOURCE_MODULE_UNLOAD_STARTING)
		seen_kernels_forget_handles(&recorder.seen);
	else if (id == CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING)
		images_forget_modules(&recorder.images);
}

static void CUPTIAPI on_callback(void *context, CUpti_CallbackDomain domain, CUpti_CallbackId id,
				 const void *data)
{
	(void)context;
	if (recorder.is_fork)
		return;
	if (domain == CUPTI_CB_DOMAIN_DRIVER_API) {
		on_driver_call(id, data);
	} else if (domain == CUPTI_CB_DOMAIN_RESOURCE) {
		on_resource(id, data);
	}
}

/* On the path of every launch, getpid() would cost as much as the rest. */
static void on_fork(void)
{
	recorder.is_fork = true;
}

static void CUPTIAPI on_buffer_request(uint8_t **buffer, size_t *size, size_t *most_records)
{
	timeline_buffer_request(buffer, size, most_records);
}

static void CUPTIAPI on_buffer_complete(CUcontext context, uint32_t stream, uint8_t *buffer,
					size_t size, size_t valid)
{
	(void)size;
	timeline_buffer_add(&recorder.timeline, context, stream, buffer, valid);
}

/* ---- beginning and end ---- */

static void refuse(const struct error *err)
{
	events_send(&recorder.events, "refused", json_pack("{s:o}", "why", event_json(err->text)));
}

static void send_seen(void)
{
	pthread_mutex_lock(&recorder.seen.lock);
	for (size_t i = 0; i < recorder.seen.count; i++) {
		const struct seen_kernel *kernel = recorder.seen.items[i];

		events_send(&recorder.events, "seen",
			    json_pack("{s:o, s:I, s:I}", "kernel", event_json(kernel->name),
				      "launches", (json_int_t)kernel->launches, "graph_launches",
				      (json_int_t)kernel->graph_launches));
	}
	pthread_mutex_unlock(&recorder.seen.lock);
}

static void send_devices(void)
{
	for (CUdevice device = 0; device < RECORD_DEVICES_MOST; device++) {
		struct device_words words;

		if (!record_device_words(&words, &recorder.driver, device))
			return;
		events_send(&recorder.events, "device",
			    json_pack("{s:i, s:o, s:s, s:i, s:i}", "ordinal", device, "name",
				      event_json(words.name), "uuid", words.uuid, "cc_major",
				      words.cc_major, "cc_minor", words.cc_minor));
	}
}

/* Another thread may be in the middle of a recording, which then never becomes a capture. */
static void finish(void)
{
	if (recorder.process != getpid() || !gate_try_close(&recorder.gate))
		return;
	busy = true;
	if (recorder.request.list) {
		timeline_end(&recorder.timeline, &recorder.events);
		send_devices();
	} else {
		send_seen();
	}
	events_send(&recorder.events, "exit",
		    json_pack("{s:I, s:I, s:I, s:I}", "launches",
			      (json_int_t)(recorder.request.list
						   ? (int64_t)recorder.timeline.launches
						   : seen_kernels_launches(&recorder.seen)),
			      "dropped", (json_int_t)recorder.timeline.dropped, "own_ns",
			      (json_int_t)recorder.timeline.own_ns, "wall_ns",
			      (json_int_t)(monotonic_ns() - recorder.began_ns)));
	gate_open(&recorder.gate);
}

static int enable(CUpti_CallbackDomain domain, CUpti_CallbackId id, struct error *err)
{
	return record_cupti_check(
		&recorder.cupti,
		recorder.cupti.cuptiEnableCallback(1, recorder.subscriber, domain, id), err,
		"listening to the driver");
}

static int listen(struct error *err)
{
	static const CUpti_CallbackId resources[] = {
		CUPTI_CBID_RESOURCE_MODULE_LOADED,
		CUPTI_CBID_RESOURCE_MODULE_UNLOAD_STARTING,
		CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING,
	};
	int rc = record_cupti_check(
		&recorder.cupti,
		recorder.cupti.cuptiSubscribe(&recorder.subscriber, on_callback, NULL), err,
		"subscribing to CUPTI");

	for (size_t i = 0; i < launch_callback_count && !rc; i++)
		rc = enable(CUPTI_CB_DOMAIN_DRIVER_API, launch_callbacks[i], err);
	for (size_t i = 0; i < load_callback_count && !rc; i++)
		rc = enable(CUPTI_CB_DOMAIN_DRIVER_API, load_callbacks[i], err);
	for (size_t i = 0; i < ARRAY_SIZE(resources) && !rc; i++)
		rc = enable(CUPTI_CB_DOMAIN_RESOURCE, resources[i], err);
	return rc;
}

static int start(struct error *err)
{
	int rc = record_cupti_open(&recorder.cupti, recorder.request.cupti, err);

	if (!rc)
		rc = record_driver_open(&recorder.driver, err);
	if (rc)
		return rc;
	seen_kernels_init(&recorder.seen, &recorder.request);
	images_init(&recorder.images, &recorder.request);
	timeline_init(&recorder.timeline, &recorder.cupti);
	return recorder.request.list ? timeline_start(&recorder.timeline, on_buffer_request,
						      on_buffer_complete, err)
				     : listen(err);
}

/* The driver calls this function when the program initialises it. The result 1 means success; the
 * program goes on in any case. */
int InitializeInjection(void)
{
	const char *folder = getenv("PERFLAB_RECORD");
	struct error err = {0};

	if (!folder || recorder.process)
		return 1;
	recorder.process = getpid();
	recorder.began_ns = monotonic_ns();
	gate_init(&recorder.gate);
	if (record_request_read(&recorder.request, folder, &err)) {
		record_request_release(&recorder.request);
		return 1;
	}
	recorder.program = command_line();
	events_init(&recorder.events, folder, recorder.request.announce);
	events_send(&recorder.events, "attached",
		    json_pack("{s:i, s:s}", "pid", (int)getpid(), "program", recorder.program));
	pthread_atfork(NULL, NULL, on_fork);
	if (start(&err))
		refuse(&err);
	else
		atexit(finish);
	return 1;
}
