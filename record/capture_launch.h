/*
 * capture_launch: records one launch. capture_launch_begin() is called before the driver gets the
 * launch, capture_launch_end() after it. Between them, other threads must not launch, so a process
 * records one launch at a time. Internal to record/.
 */
#ifndef RECORD_CAPTURE_LAUNCH_H
#define RECORD_CAPTURE_LAUNCH_H

#include "record/launches.h"
#include "record/request.h"

/* Finds and copies all that the launch needs, once the GPU is idle. kernel: its mangled name.
 * number: which launch of the kernel it is. program: the command line of the process. False: that
 * failed, and was reported; then there is nothing to end. */
bool capture_launch_begin(const struct record_request *request, const struct launch_call *call,
			  const char *kernel, int64_t number, const char *program);
/* Copies what the launch changed, completes the capture and reports it or the failure. failed: the
 * driver refused the launch. */
void capture_launch_end(bool failed);

#endif
