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

struct launch_capture {
	const struct record_driver *driver;
	const struct events *events;
	char *path;
	char *reservation;                /* a file that keeps other processes from the same name */
	CUstreamCaptureMode capture_mode; /* of the thread before the recording */
	struct capture_info info;
	struct memories memories;
	struct capture_writer *writer;
	int64_t began_ns;
};

/* What a recording needs to know. All borrowed. */
struct capture_launch_request {
	const struct record_request *request;
	const struct record_driver *driver;
	const struct events *events;
	struct images *images;
	const struct launch_call *call;
	const char *kernel;  /* mangled name */
	int64_t number;      /* which launch of the kernel it is */
	const char *program; /* command line of the process */
};

/* Finds and copies all that the launch needs, once the GPU is idle. False: that failed, and was
 * reported; then nothing is left to be done. */
bool capture_launch_begin(struct launch_capture *out, const struct capture_launch_request *request);
/* Copies what the launch changed, completes the capture and reports it or the failure. failed: the
 * driver refused the launch. */
void capture_launch_end(struct launch_capture *capture, bool failed);

#endif
