/*
 * A case's data: inputs from the seed, expected results from the oracle. Both
 * stay on the device for the cases that need the same; on the host they only
 * pass through the staging slots.
 */
#include <stdlib.h>

#include "harness/workers/cuda/operation.h"

/* What of a case's data is not on the device yet, by buffer. */
struct freshness {
	bool input[KERNEL_MAX_BUFFERS], expected[KERNEL_MAX_BUFFERS];
	bool any_expected;
};

/* The block that holds an input as filled. */
static struct memory_block **input_block(struct operation *operation, size_t b)
{
	return operation->work->buffers[b].role == BUFFER_IN ? &operation->buffers[b].block
							     : &operation->buffers[b].pristine;
}

static int acquire_blocks(struct operation *operation, const struct kernel_oracle *oracle,
			  struct freshness *fresh, struct error *err)
{
	const struct launch_case *work = operation->work;
	struct cuda_resources *resources = operation->resources;
	int rc = 0;

	for (size_t b = 0; b < work->buffer_count && rc == 0; b++) {
		struct operation_buffer *buffer = &operation->buffers[b];
		size_t bytes = case_buffer_bytes(&work->buffers[b]);

		if (case_buffer_is_input(&work->buffers[b])) {
			char *key = case_input_key(&work->buffers[b], resources->seed);

			rc = memory_acquire(&resources->memory, key, bytes,
					    input_block(operation, b), &fresh->input[b], err);
			free(key);
		}
		if (rc == 0 && case_buffer_is_result(&work->buffers[b])) {
			char *key = case_expected_key(work, oracle, b, resources->seed);

			rc = memory_acquire(&resources->memory, key, bytes, &buffer->expected,
					    &fresh->expected[b], err);
			fresh->any_expected |= fresh->expected[b];
			free(key);
		}
		if (rc == 0 && !buffer->block && work->buffers[b].role != BUFFER_PER_CALL)
			rc = memory_acquire(&resources->memory, NULL, bytes, &buffer->block, NULL,
					    err);
		if (rc == 0 && buffer->block)
			buffer->data = buffer->block->data;
	}
	return rc;
}

/* From a staging slot, which must stay as it is until the stream is synchronised. */
static int upload(const struct device *device, const struct memory_block *block, const void *host,
		  struct error *err)
{
	return cuda_check(
		&device->driver,
		device->driver.cuMemcpyHtoDAsync(block->data, host, block->bytes, device->stream),
		err, "uploading");
}

static int stage_inputs(struct operation *operation, const struct freshness *fresh,
			struct host_buffers *inputs, struct error *err)
{
	const struct launch_case *work = operation->work;
	struct cuda_resources *resources = operation->resources;
	int rc = 0;

	for (size_t b = 0; b < work->buffer_count && rc == 0; b++) {
		if (!case_buffer_is_input(&work->buffers[b]) ||
		    !(fresh->input[b] || fresh->any_expected))
			continue;
		rc = staging_reserve(&resources->staging, b, case_buffer_bytes(&work->buffers[b]),
				     &inputs->data[b], err);
		if (rc)
			break;
		kernel_fill(inputs->data[b], &work->buffers[b], resources->seed);
		if (fresh->input[b])
			rc = upload(resources->device, *input_block(operation, b), inputs->data[b],
				    err);
	}
	return rc;
}

static int stage_expected(struct operation *operation, const struct kernel_oracle *oracle,
			  const struct freshness *fresh, const struct host_buffers *inputs,
			  struct error *err)
{
	const struct launch_case *work = operation->work;
	struct cuda_resources *resources = operation->resources;
	struct host_buffers expected = {0};
	int rc = 0;

	for (size_t b = 0; b < work->buffer_count && rc == 0; b++) {
		if (case_buffer_is_result(&work->buffers[b]))
			rc = staging_reserve(&resources->staging, KERNEL_MAX_BUFFERS + b,
					     case_buffer_bytes(&work->buffers[b]),
					     &expected.data[b], err);
	}
	if (rc == 0)
		rc = oracle->compute(work, inputs, &expected, err);
	for (size_t b = 0; b < work->buffer_count && rc == 0; b++) {
		if (fresh->expected[b])
			rc = upload(resources->device, operation->buffers[b].expected,
				    expected.data[b], err);
	}
	return rc;
}

int operation_prepare(struct operation *operation, struct error *err)
{
	const struct launch_case *work = operation->work;
	const struct kernel_oracle *oracle;
	struct host_buffers inputs = {0};
	struct freshness fresh = {0};
	int rc = case_oracle(&oracle, work, err);

	if (rc)
		return rc;
	rc = acquire_blocks(operation, oracle, &fresh, err);
	if (rc == 0)
		rc = stage_inputs(operation, &fresh, &inputs, err);
	if (rc == 0 && fresh.any_expected)
		rc = stage_expected(operation, oracle, &fresh, &inputs, err);
	/* The slots are free again only when what they held has arrived. */
	if (rc == 0)
		rc = device_synchronise(operation->resources->device, err, "uploading");
	/* A block that was not filled must not be found under its key. */
	for (size_t b = 0; rc && b < work->buffer_count; b++) {
		if (fresh.input[b])
			memory_forget(*input_block(operation, b));
		if (fresh.expected[b])
			memory_forget(operation->buffers[b].expected);
	}
	return rc;
}
