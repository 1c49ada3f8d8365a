/*
 * capture_launch: records one launch. capture_launch_begin() is called before the driver gets the
 * launch, capture_launch_end() after it. Between them other threads must not launch.
 * Internal to record/.
 */
#ifndef RECORD_CAPTURE_LAUNCH_H
#define RECORD_CAPTURE_LAUNCH_H

#include "record/events.h"
#include "record/images.h"
#include "record/launches.h"
#include "record/memories.h"
#include "record/reload.h"

struct launch_capture {
	const struct record_driver *driver;
	const struct events *events;
	char *path;
	struct capture_info info;
	struct memories memories;
	struct capture_writer *writer;
	int64_t began_ns;
};

/* What a recording needs to know. All borrowed. */
struct capture_launch_request {
	const struct record_driver *driver;
	const struct events *events;
	struct images *images;
	struct reloader *reloader; /* NULL: CUPTI has shown all code */
	const struct launch_call *call;
	const char *kernel;  /* mangled name */
	int64_t number;      /* which launch of the kernel it is */
	const char *path;    /* of the capture */
	const char *program; /* command line of the process */
	uint64_t limit_bytes;
};

/* Copies everything that the launch can reach. After an error, which it reports as an event, there
 * is nothing to end. */
int capture_launch_begin(struct launch_capture *out, const struct capture_launch_request *request,
			 struct error *err);
/* Copies what the launch changed, and completes the capture. failed: the driver refused the launch.
 * Reports an event in any case. Returns 0 if there is a capture. */
int capture_launch_end(struct launch_capture *capture, bool failed, struct error *err);

#endif
