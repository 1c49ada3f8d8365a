/*
 * The recorder of a process: its state, and what it does when it is called back. attach.c begins
 * and ends it.
 */
#ifndef RECORD_RECORDER_H
#define RECORD_RECORDER_H

#include "record/capture_launch.h"
#include "record/driver.h"
#include "record/events.h"
#include "record/images.h"
#include "record/kernels.h"
#include "record/request.h"

/* The one recorder of a process. A library that is called back by name has no other place for it.
 */
extern struct recorder {
	struct record_request request;
	CUpti_SubscriberHandle subscriber; /* unless it listens by hooks */
	bool hooked;
	char *program;
	pid_t process;
	int64_t began_ns;
	bool is_noted; /* what unknown_call_noted() returns was sent */

	/* What is below belongs to the thread that has closed the gate of program_threads.h: it
	 * does so from the beginning of a recording to its end. */
	_Atomic int64_t captures; /* begun; others only read it */
	int cancel_state;         /* of the thread before the recording */
	_Atomic bool is_fork;     /* this process is one, in which CUDA does not work */
} recorder;

/* The calls that the recorder itself makes of the driver are none of the program. */
extern _Thread_local bool recorder_busy;

/* CUPTI and hooks.h call these two; which one, depends on who listens. */
void CUPTIAPI recorder_on_callback(void *context, CUpti_CallbackDomain domain, CUpti_CallbackId id,
				   const void *data);
void recorder_on_hooked_call(CUpti_CallbackId id, const CUpti_CallbackData *data);

/* In the child, where CUDA does not work. */
void recorder_on_fork(void);

#endif
