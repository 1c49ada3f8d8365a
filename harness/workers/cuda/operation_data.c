/*
 * Puts the data of a case on the device: inputs made from the seed, and the
 * expected results that the oracle computes. Both stay on the device for other
 * cases that need the same data. In host memory they exist only in the staging
 * slots, during the upload.
 */
#include <stdlib.h>

#include "harness/workers/cuda/operation.h"

/* Tells which data of the case, per buffer, is not on the device yet. */
struct freshness {
	bool input[KERNEL_MAX_BUFFERS], expected[KERNEL_MAX_BUFFERS];
	bool any_expected;
};

/* The block that keeps the input unchanged. */
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

/* Queues the upload of a staging slot, which must not change until the stream is synchronised. */
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
	/* Later cases overwrite the slots, so the uploads must complete first. */
	if (rc == 0)
		rc = device_synchronise(operation->resources->device, err, "uploading");
	/* A later case must not find a block that was not filled. */
	for (size_t b = 0; rc && b < work->buffer_count; b++) {
		if (fresh.input[b])
			memory_forget(*input_block(operation, b));
		if (fresh.expected[b])
			memory_forget(operation->buffers[b].expected);
	}
	return rc;
}
