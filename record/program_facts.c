/* What the recorder tells of the program. See program_facts.h. */
#include "record/program_facts.h"

#include <inttypes.h>
#include <stdlib.h>

#include "record/device_words.h"

#define COMMAND_LINE_MOST_BYTES 4096

char *program_command_line(void)
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

void program_send_note(const struct events *events, const char *why)
{
	events_send(events, "note", json_pack("{s:s}", "why", why));
}

/* Not even how many of them were wanted is known. */
static void send_unnamed(const struct events *events, const struct seen_kernels *seen)
{
	char *why;

	if (!seen->others.launches)
		return;
	why = xasprintf("%" PRId64 " launches are of kernels that could not be told apart, and "
			"were not recorded: the program has more than %d kernels, or the driver "
			"does not tell a name",
			(int64_t)seen->others.launches, SEEN_HANDLES_MOST);
	program_send_note(events, why);
	free(why);
}

void program_send_kernels(const struct events *events, struct seen_kernels *seen)
{
	send_unnamed(events, seen);
	pthread_mutex_lock(&seen->lock);
	for (size_t i = 0; i < seen->count; i++) {
		const struct seen_kernel *kernel = seen->items[i];

		events_send(events, "seen",
			    json_pack("{s:o, s:I, s:I}", "kernel", event_json(kernel->name),
				      "launches", (json_int_t)kernel->launches, "graph_launches",
				      (json_int_t)kernel->graph_launches));
	}
	pthread_mutex_unlock(&seen->lock);
}

void program_send_devices(const struct events *events, const struct record_driver *driver)
{
	for (CUdevice device = 0; device < RECORD_DEVICES_MOST; device++) {
		struct device_words words;

		if (!record_device_words(&words, driver, device))
			return;
		events_send(events, "device",
			    json_pack("{s:i, s:o, s:s, s:i, s:i}", "ordinal", device, "name",
				      event_json(words.name), "uuid", words.uuid, "cc_major",
				      words.cc_major, "cc_minor", words.cc_minor));
	}
}

void program_send_exit(const struct events *events, const struct timeline *timeline,
		       int64_t launches, int64_t wall_ns)
{
	events_send(events, "exit",
		    json_pack("{s:I, s:I, s:I, s:I}", "launches", (json_int_t)launches, "dropped",
			      (json_int_t)timeline->dropped, "own_ns", (json_int_t)timeline->own_ns,
			      "wall_ns", (json_int_t)wall_ns));
}
