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
#include "record/program_threads.h"
#include "record/recorder.h"
#include "record/timeline.h"

#define COMMAND_LINE_MOST_BYTES 4096
#define DEVICES_MOST 64

__attribute__((visibility("default"))) int InitializeInjection(void);

/* ---- what the recorder tells of the program ---- */

/* The words of the command line, separated by spaces; the caller's. Other than ASCII becomes '?'.
 */
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

static void send_why(const char *event, const char *why)
{
	events_send(event, json_pack("{s:o}", "why", event_json(why)));
}

/* Once, as soon as there is something to tell. */
static void send_unknown_call(void)
{
	const char *why = unknown_call_noted();

	if (why && !recorder.is_noted)
		send_why("note", why);
	recorder.is_noted = why != NULL;
}

/* An event for each GPU that the program can use. */
static void send_devices(void)
{
	struct device_words words;

	for (CUdevice device = 0; device < DEVICES_MOST && record_device_words(&words, device);
	     device++)
		events_send("device",
			    json_pack("{s:i, s:o, s:s, s:i, s:i}", "ordinal", device, "name",
				      event_json(words.name), "uuid", words.uuid, "cc_major",
				      words.cc_major, "cc_minor", words.cc_minor));
}

/* ---- the end and the beginning ---- */

/* Another thread may be in the middle of a recording, which then never becomes a capture. */
static void finish(void)
{
	struct timeline_totals totals = {0};
	struct undisturbed thread;

	if (recorder.process != getpid() || !launch_gate_try_close())
		return;
	undisturbed_begin(&thread);
	recorder_busy = true;
	send_unknown_call();
	if (recorder.request.list) {
		totals = timeline_end();
		send_devices();
	} else {
		totals.launches = seen_kernels_send();
	}
	events_send("exit",
		    json_pack("{s:I, s:I, s:I, s:I}", "launches", (json_int_t)totals.launches,
			      "dropped", (json_int_t)totals.dropped, "own_ns",
			      (json_int_t)totals.own_ns, "wall_ns",
			      (json_int_t)(monotonic_ns() - recorder.began_ns)));
	launch_gate_open();
	undisturbed_end(&thread);
}

static int listen_by_cupti(struct error *err)
{
	int rc = record_cupti_open(recorder.request.cupti, err);

	if (rc)
		return rc;
	rc = record_cupti_check(
		cupti.cuptiSubscribe(&recorder.subscriber, recorder_on_callback, NULL), err,
		"subscribing to CUPTI");
	return rc ? rc : record_cupti_switch(recorder.subscriber, true, err);
}

static int start(struct error *err)
{
	int rc = record_driver_open(err);

	if (rc)
		return rc;
	if (recorder.request.list) {
		rc = record_cupti_open(recorder.request.cupti, err);
		return rc ? rc : timeline_start(err);
	}
	recorder.hooked = hooks_are_found();
	seen_kernels_init(&recorder.request);
	images_init(&recorder.request, recorder.hooked);
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
	if (record_request_read(&recorder.request, folder, &err)) {
		record_request_release(&recorder.request);
		return;
	}
	recorder.program = command_line();
	events_init(folder, recorder.request.announce);
	events_send("attached",
		    json_pack("{s:i, s:s}", "pid", (int)getpid(), "program", recorder.program));
	pthread_atfork(NULL, NULL, recorder_on_fork);
	if (start(&err)) {
		send_why("refused", err.text);
		return;
	}
	send_unknown_call();
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
