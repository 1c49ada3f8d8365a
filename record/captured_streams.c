/* A list, because hardly any program captures two streams at once. See captured_streams.h. */
#include "record/captured_streams.h"

void captured_streams_init(struct captured_streams *streams)
{
	*streams = (struct captured_streams){.count = 0};
	pthread_mutex_init(&streams->lock, NULL);
}

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

/* The index; `count`: it is not in the list. The lock is held. */
static size_t find_stream(const struct captured_streams *streams,
			  const struct captured_stream *wanted)
{
	size_t i = 0;

	while (i < streams->count && (streams->items[i].stream != wanted->stream ||
				      streams->items[i].thread != wanted->thread))
		i++;
	return i;
}

/* A capture that was broken ends with an error. Other errors mean that the stream is none. */
static bool ended(CUresult result)
{
	return result == CUDA_SUCCESS || result == CUDA_ERROR_STREAM_CAPTURE_INVALIDATED ||
	       result == CUDA_ERROR_STREAM_CAPTURE_UNJOINED;
}

void captured_streams_note(struct captured_streams *streams, CUpti_CallbackId id,
			   const CUpti_CallbackData *data)
{
	const bool begins = call_role_of(id) == CALL_CAPTURE_BEGIN;
	const struct captured_stream stream = stream_of(id, data);
	const CUresult *result = data->functionReturnValue;
	size_t at;

	pthread_mutex_lock(&streams->lock);
	at = find_stream(streams, &stream);
	if (begins && at == streams->count && result && *result == CUDA_SUCCESS) {
		streams->items = xgrow(streams->items, &streams->capacity, streams->count + 1,
				       sizeof(*streams->items));
		streams->items[streams->count++] = stream;
	} else if (!begins && at < streams->count && result && ended(*result)) {
		streams->items[at] = streams->items[--streams->count];
	}
	pthread_mutex_unlock(&streams->lock);
}

bool captured_streams_any(struct captured_streams *streams)
{
	bool any;

	pthread_mutex_lock(&streams->lock);
	any = streams->count > 0;
	pthread_mutex_unlock(&streams->lock);
	return any;
}
