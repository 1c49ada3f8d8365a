/* Looks at what the check of an operation accepts. See blind_check.h. */
#include <stdlib.h>

#include "harness/workers/blind_check.h"
#include "harness/workers/cuda/operation.h"

/* The first part of a result is nearly always enough. */
#define PART_BYTES ((size_t)256 << 10)

/* The content of a buffer before each execution. */
static CUdeviceptr content_before(const struct operation_buffer *buffer)
{
	return buffer->pristine ? buffer->pristine->data : buffer->block->data;
}

/* Copies bytes of all that is compared to the host. */
static int blind_part_read(const struct operation *operation, const struct blind_result *blind,
			   size_t first, size_t bytes, void *expected, struct host_buffers *inputs,
			   struct error *err)
{
	const struct device *device = operation->resources->device;
	int rc = operation_read(device, expected,
				operation->buffers[blind->result].expected->data + first, bytes,
				err);

	for (size_t b = 0; b < operation->work->buffer_count && rc == 0; b++) {
		if (!blind->comparable[b] || blind->rejected[b])
			continue;
		if (!inputs->data[b])
			inputs->data[b] = xmalloc(PART_BYTES);
		rc = operation_read(device, inputs->data[b],
				    content_before(&operation->buffers[b]) + first, bytes, err);
	}
	return rc;
}

static int look_at_result(const struct operation *operation, struct blind_result *blind,
			  struct error *err)
{
	const struct case_buffer *buffer = &operation->work->buffers[blind->result];
	const size_t size = element_size_bytes(case_buffer_compared(buffer));
	const size_t total = (size_t)case_compared_length(buffer) * size;
	struct host_buffers inputs = {0};
	void *expected = xmalloc(PART_BYTES);
	bool more = true;
	int rc = 0;

	for (size_t first = 0; first < total && more && rc == 0; first += PART_BYTES) {
		const size_t bytes = total - first < PART_BYTES ? total - first : PART_BYTES;

		rc = blind_part_read(operation, blind, first, bytes, expected, &inputs, err);
		if (rc == 0)
			more = blind_result_look(blind, (int64_t)(bytes / size), expected, &inputs);
	}
	for (size_t b = 0; b < operation->work->buffer_count; b++)
		free(inputs.data[b]);
	free(expected);
	return rc;
}

int operation_find_blind(const struct operation *operation, struct text *reason, struct error *err)
{
	const struct launch_case *work = operation->work;
	struct blind_case blind = {.accepted = TEXT_INIT};
	int rc = 0;

	for (size_t b = 0; b < work->buffer_count && rc == 0; b++) {
		struct blind_result result;

		if (!operation->buffers[b].expected)
			continue;
		blind_result_begin(&result, work, b);
		rc = look_at_result(operation, &result, err);
		if (rc == 0)
			blind_case_add(&blind, &result);
	}
	blind_case_finish(&blind, work, reason);
	return rc;
}

/* Looks at one result of both. */
static int look_at_earlier(const struct operation *operation, const struct operation *other,
			   size_t result, struct blind_earlier *blind, struct error *err)
{
	const struct device *device = operation->resources->device;
	const struct case_buffer *buffer = &operation->work->buffers[result];
	const size_t size = element_size_bytes(case_buffer_compared(buffer));
	const size_t total = (size_t)case_compared_length(buffer) * size;
	void *expected = xmalloc(PART_BYTES), *earlier = xmalloc(PART_BYTES);
	bool more = true;
	int rc = 0;

	for (size_t first = 0; first < total && more && rc == 0; first += PART_BYTES) {
		const size_t bytes = total - first < PART_BYTES ? total - first : PART_BYTES;

		rc = operation_read(device, expected,
				    operation->buffers[result].expected->data + first, bytes, err);
		if (rc == 0)
			rc = operation_read(device, earlier,
					    other->buffers[result].expected->data + first, bytes,
					    err);
		if (rc == 0)
			more = blind_earlier_look(blind, operation->work, result,
						  (int64_t)(bytes / size), expected, earlier);
	}
	free(expected);
	free(earlier);
	return rc;
}

int operation_find_blind_to(const struct operation *operation, const struct operation *other,
			    struct text *reason, struct error *err)
{
	struct blind_earlier blind = {0};
	int rc = 0;

	for (size_t b = 0; b < operation->work->buffer_count && rc == 0 && !blind.rejected; b++)
		if (operation->buffers[b].expected && other->buffers[b].expected)
			rc = look_at_earlier(operation, other, b, &blind, err);
	if (rc == 0)
		blind_earlier_finish(&blind, operation->work, reason);
	return rc;
}
