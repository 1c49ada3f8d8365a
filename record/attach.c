/*
 * The recorder: a shared library that the driver loads into the program that
 * `perflab record` starts, because $CUDA_INJECTION64_PATH names it. It listens
 * by hooks if it was there before the program ($LD_PRELOAD), else to CUPTI, and
 * does nothing of its own until a launch is to be recorded. The
 * program owns the process: the recorder prints nothing unless it was asked to,
 * changes no signal, and goes on without itself after any error.
 */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "record/hooks.h"
#include "record/program_facts.h"
#include "record/recorder.h"
#include "record/undisturbed.h"
#include "record/unknown_calls.h"

__attribute__((visibility("default"))) int InitializeInjection(void);

static void refuse(const struct error *err)
{
	events_send(&recorder.events, "refused", json_pack("{s:o}", "why", event_json(err->text)));
}

/* Once, as soon as there is something to tell. */
static void send_note(void)
{
	const char *why = unknown_call_noted();

	if (why && !recorder.is_noted)
		program_send_note(&recorder.events, why);
	recorder.is_noted = why != NULL;
}

/* Another thread may be in the middle of a recording, which then never becomes a capture. */
static void finish(void)
{
	struct undisturbed thread;

	if (recorder.process != getpid() || !launch_gate_try_close(&recorder.gate))
		return;
	undisturbed_begin(&thread);
	recorder_busy = true;
	send_note();
	if (recorder.request.list) {
		timeline_end(&recorder.timeline, &recorder.events);
		program_send_devices(&recorder.events, &recorder.driver);
	} else {
		program_send_kernels(&recorder.events, &recorder.seen);
	}
	program_send_exit(&recorder.events, &recorder.timeline,
			  recorder.request.list ? (int64_t)recorder.timeline.launches
						: seen_kernels_launches(&recorder.seen),
			  monotonic_ns() - recorder.began_ns);
	launch_gate_open(&recorder.gate);
	undisturbed_end(&thread);
}

static int listen_by_cupti(struct error *err)
{
	int rc = record_cupti_open(&recorder.cupti, recorder.request.cupti, err);

	if (rc)
		return rc;
	rc = record_cupti_check(
		&recorder.cupti,
		recorder.cupti.cuptiSubscribe(&recorder.subscriber, recorder_on_callback, NULL),
		err, "subscribing to CUPTI");
	return rc ? rc : record_cupti_switch(&recorder.cupti, recorder.subscriber, true, err);
}

static int list(struct error *err)
{
	int rc = record_cupti_open(&recorder.cupti, recorder.request.cupti, err);

	return rc ? rc
		  : timeline_start(&recorder.timeline, recorder_on_buffer_request,
				   recorder_on_buffer_complete, err);
}

static int start(struct error *err)
{
	int rc = record_driver_open(&recorder.driver, err);

	if (rc)
		return rc;
	seen_kernels_init(&recorder.seen, &recorder.request);
	images_init(&recorder.images, &recorder.request);
	captured_streams_init(&recorder.captured_streams);
	timeline_init(&recorder.timeline, &recorder.cupti);
	if (recorder.request.list)
		return list(err);
	recorder.reloader = (struct reloader){.driver = &recorder.driver,
					      .images = &recorder.images,
					      .cupti_path = recorder.request.cupti};
	recorder.hooked = hooks_are_found();
	if (!recorder.hooked)
		return listen_by_cupti(err);
	hooks_listen(recorder_on_hooked_call);
	return 0;
}

static void attach(const char *folder)
{
	struct error err = {0};

	recorder.process = getpid();
	recorder.began_ns = monotonic_ns();
	launch_gate_init(&recorder.gate);
	if (record_request_read(&recorder.request, folder, &err)) {
		record_request_release(&recorder.request);
		return;
	}
	recorder.program = program_command_line();
	events_init(&recorder.events, folder, recorder.request.announce);
	events_send(&recorder.events, "attached",
		    json_pack("{s:i, s:s}", "pid", (int)getpid(), "program", recorder.program));
	pthread_atfork(NULL, NULL, recorder_on_fork);
	if (start(&err)) {
		refuse(&err);
		return;
	}
	send_note();
	atexit(finish);
}

/* The driver calls this function when the program initialises it. The result 1 means success; the
 * program goes on in any case. */
int InitializeInjection(void)
{
	const char *folder = getenv("PERFLAB_RECORD");
	struct undisturbed thread;

	if (!folder || recorder.process)
		return 1;
	undisturbed_begin(&thread);
	attach(folder);
	undisturbed_end(&thread);
	return 1;
}
