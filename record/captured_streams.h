/*
 * captured_streams: which streams of the program are captured into graphs. Each
 * is known by its handle: the end of a capture whose beginning was not seen is
 * none of these. Functions may be called from several threads. Internal to
 * record/.
 */
#ifndef RECORD_CAPTURED_STREAMS_H
#define RECORD_CAPTURED_STREAMS_H

#include <pthread.h>

#include "record/calls.h"

struct captured_stream {
	CUstream stream;
	const void *thread; /* whose default stream it is; NULL: it is another stream */
};

struct captured_streams {
	pthread_mutex_t lock;
	struct captured_stream *items;
	size_t count, capacity;
};

void captured_streams_init(struct captured_streams *streams);
/* A call that begins or ends a capture, or destroys a stream, has returned. */
void captured_streams_note(struct captured_streams *streams, CUpti_CallbackId id,
			   const CUpti_CallbackData *data);
bool captured_streams_any(struct captured_streams *streams);

#endif
