/*
 * The recorder of a process: its state, and what it does when it is called back. attach.c begins
 * and ends it.
 */
#ifndef RECORD_RECORDER_H
#define RECORD_RECORDER_H

#include "record/capture_launch.h"
#include "record/capture_name.h"
#include "record/captured_streams.h"
#include "record/cupti.h"
#include "record/driver.h"
#include "record/events.h"
#include "record/images.h"
#include "record/kernels.h"
#include "record/launch_gate.h"
#include "record/reload.h"
#include "record/request.h"
#include "record/timeline.h"

/* The one recorder of a process. A library that is called back by name has no other place for it.
 */
extern struct recorder {
	struct record_request request;
	struct record_driver driver;
	struct record_cupti cupti;
	struct events events;
	struct images images;
	struct timeline timeline;
	CUpti_SubscriberHandle subscriber; /* unless it listens by hooks */
	struct reloader reloader;
	bool hooked;
	char *program;
	pid_t process;
	int64_t began_ns;
	bool is_noted; /* what unknown_calls.h remembers was sent */

	struct seen_kernels seen;

	/* A thread closes it from the beginning of a recording to its end. What is below belongs to
	 * that thread. */
	struct launch_gate gate;
	_Atomic int64_t captures; /* begun; others only read it */
	struct launch_capture capture;
	struct capture_name name;         /* of the capture that is being written */
	CUstreamCaptureMode capture_mode; /* of the thread before the recording */
	int cancel_state;                 /* likewise */
	/* None begins or ends while the gate is closed. */
	struct captured_streams captured_streams;
	_Atomic bool is_fork; /* this process is one, in which CUDA does not work */
} recorder;

/* The calls that the recorder itself makes of the driver are none of the program. */
extern _Thread_local bool recorder_busy;

/* CUPTI and hooks.h call these two; which one, depends on who listens. */
void CUPTIAPI recorder_on_callback(void *context, CUpti_CallbackDomain domain, CUpti_CallbackId id,
				   const void *data);
void recorder_on_hooked_call(CUpti_CallbackId id, const CUpti_CallbackData *data);

/* For the timeline, which CUPTI fills. */
void CUPTIAPI recorder_on_buffer_request(uint8_t **buffer, size_t *size, size_t *most_records);
void CUPTIAPI recorder_on_buffer_complete(CUcontext context, uint32_t stream, uint8_t *buffer,
					  size_t size, size_t valid);

/* In the child, where CUDA does not work. */
void recorder_on_fork(void);

#endif
