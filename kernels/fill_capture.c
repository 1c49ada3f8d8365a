/* Fills inputs with memory of a capture. */
#include <inttypes.h>

#include "capture/capture.h"
#include "kernels/fill.h"

static int check_memory(const struct capture_info *info, const struct case_buffer *buffer,
			struct error *err)
{
	const uint64_t bytes = (uint64_t)buffer->length * element_size_bytes(buffer->type);

	if (buffer->fill_index >= info->memory_count)
		return error_set(
			err, PL_EUSAGE,
			"'%s' has %zu memories, numbered from 0, and none has the number %zu",
			buffer->fill_file, info->memory_count, buffer->fill_index);
	if (info->memory[buffer->fill_index].bytes != bytes)
		return error_set(err, PL_EUSAGE,
				 "memory %zu of '%s' has %" PRIu64
				 " bytes, and the buffer has %" PRIu64,
				 buffer->fill_index, buffer->fill_file,
				 info->memory[buffer->fill_index].bytes, bytes);
	return 0;
}

int fill_from_capture(void *data, const struct case_buffer *buffer, struct error *err)
{
	struct capture *capture = NULL;
	int rc = capture_open(&capture, buffer->fill_file, err);

	if (!rc)
		rc = check_memory(capture_info(capture), buffer, err);
	if (!rc)
		rc = capture_read_memory(capture, buffer->fill_index, CAPTURE_BEFORE, data, err);
	capture_close(capture);
	return error_context(err, rc, "buffer %s", buffer->name);
}
