/*
 * Puts the data of a case on the device: inputs made from the seed, and the
 * expected results that the oracle computes. Both stay on the device for other
 * cases that need the same data. They come from the data that the request
 * shares. What that lacks is made in the staging slots, and given to it.
 */
#include <stdlib.h>
#include <string.h>

#include "harness/workers/cuda/operation.h"
#include "harness/workers/expected.h"

/* Tells which data of the case, per buffer, is not on the device yet. */
struct freshness {
	bool input[KERNEL_MAX_BUFFERS], expected[KERNEL_MAX_BUFFERS];
	bool any_expected;
};

/* The block that keeps the input unchanged. */
static struct memory_block **input_block(struct operation *operation, size_t b)
{
	const bool shared = operation->work->buffers[b].role == BUFFER_IN &&
			    !operation_is_distrusted(operation->work);

	return shared ? &operation->buffers[b].block : &operation->buffers[b].pristine;
}

/* ---- memory of a capture ---- */

/* Sets the address that launches, and other memory of the capture, have for a buffer: that of the
 * variable of the image that is this memory, or this result. */
static void locate_buffer(struct operation *operation, size_t b)
{
	const struct device *device = operation->resources->device;
	const struct case_buffer *described = &operation->work->buffers[b];
	struct operation_buffer *buffer = &operation->buffers[b];
	const char *variable = case_buffer_variable(described, operation->execution);
	const bool captured = case_capture_memory(operation->capture, b) != NULL;
	CUdeviceptr address;
	size_t bytes;

	buffer->data = buffer->block->data;
	if (variable && operation->image && (captured || case_buffer_is_result(described)) &&
	    device->driver.cuModuleGetGlobal(&address, &bytes, operation->image->module,
					     variable) == CUDA_SUCCESS)
		buffer->data = address;
	if (captured)
		case_capture_place(operation->capture, b, buffer->data);
}

/* Before anything is filled, because the contents have addresses of each other. */
static int place_captured(struct operation *operation, struct error *err)
{
	const struct launch_case *work = operation->work;
	struct memory *memory = &operation->resources->memory;
	struct memory_block *blocks[KERNEL_MAX_BUFFERS];
	int rc = case_capture_open(&operation->capture, work, err);

	if (rc || !operation->capture)
		return rc;
	for (size_t b = 0; b < work->buffer_count; b++)
		blocks[b] = operation->buffers[b].block;
	rc = placed_memory_acquire(&operation->placed, memory, work, operation->capture, blocks,
				   err);
	for (size_t b = 0; b < work->buffer_count && rc == 0; b++) {
		if (!case_capture_memory(operation->capture, b))
			continue;
		if (!blocks[b])
			rc = memory_acquire(memory, NULL, case_buffer_bytes(&work->buffers[b]),
					    &blocks[b], NULL, err);
		operation->buffers[b].block = blocks[b];
		if (rc == 0)
			locate_buffer(operation, b);
	}
	return rc;
}

/* The caller frees it. */
static char *key_of_content(const struct operation *operation, size_t b, bool expected)
{
	const struct cuda_resources *resources = operation->resources;

	return case_content_key(operation->work, b, expected, operation->capture,
				data_seed(resources->seed, resources->mixed));
}

static int acquire_blocks(struct operation *operation, bool verified, struct freshness *fresh,
			  struct error *err)
{
	const struct launch_case *work = operation->work;
	struct cuda_resources *resources = operation->resources;
	int rc = 0;

	verified = verified && case_is_checked(work);
	for (size_t b = 0; b < work->buffer_count && rc == 0; b++) {
		struct operation_buffer *buffer = &operation->buffers[b];
		size_t bytes = case_buffer_bytes(&work->buffers[b]);

		if (case_buffer_is_input(&work->buffers[b])) {
			char *key = key_of_content(operation, b, false);

			rc = memory_acquire(&resources->memory, key, bytes,
					    input_block(operation, b), &fresh->input[b], err);
			free(key);
		}
		if (rc == 0 && verified && case_buffer_is_result(&work->buffers[b])) {
			char *key = key_of_content(operation, b, true);

			rc = memory_acquire(&resources->memory, key, bytes, &buffer->expected,
					    &fresh->expected[b], err);
			fresh->any_expected |= fresh->expected[b];
			free(key);
		}
		if (rc == 0 && !buffer->block && work->buffers[b].role != BUFFER_PER_CALL)
			rc = memory_acquire(&resources->memory, NULL, bytes, &buffer->block, NULL,
					    err);
		if (rc == 0 && buffer->block)
			locate_buffer(operation, b);
	}
	return rc;
}

/* Queues the upload of a content, which must not change until the stream is synchronised. */
static int upload(struct cuda_resources *resources, const struct memory_block *block,
		  const void *host, struct error *err)
{
	return uploader_queue(&resources->uploader, resources->device, block->data, host,
			      block->bytes, err);
}

/*
 * Uploads a memory of a capture through one slot that all of them share: a program's memory may be
 * nearly all that the device has. Nothing on the host needs such an input or expected content.
 */
static int stage_recorded(struct operation *operation, size_t b, enum capture_state state,
			  const struct memory_block *block, struct error *err)
{
	struct cuda_resources *resources = operation->resources;
	void *data;
	int rc = staging_reserve(&resources->staging, 0, block->bytes, &data, err);

	if (rc == 0)
		rc = case_capture_read(operation->capture, b, state, data, err);
	if (rc == 0)
		rc = upload(resources, block, data, err);
	return rc ? rc : device_synchronise(resources->device, err, "uploading");
}

/* Uploads what is fresh of a case that is compared with a recorded launch only. */
static int stage_replay(struct operation *operation, const struct freshness *fresh,
			struct error *err)
{
	int rc = 0;

	for (size_t b = 0; b < operation->work->buffer_count && rc == 0; b++) {
		if (fresh->input[b])
			rc = stage_recorded(operation, b, CAPTURE_BEFORE,
					    *input_block(operation, b), err);
		if (rc == 0 && fresh->expected[b])
			rc = stage_recorded(operation, b, CAPTURE_AFTER,
					    operation->buffers[b].expected, err);
	}
	return rc;
}

/* Whether every input is memory of a capture, and every result is compared with what the launch
 * left there. */
static bool is_all_recorded(const struct operation *operation)
{
	const struct launch_case *work = operation->work;

	for (size_t b = 0; b < work->buffer_count; b++)
		if ((case_buffer_is_input(&work->buffers[b]) &&
		     !case_capture_memory(operation->capture, b)) ||
		    (case_buffer_is_result(&work->buffers[b]) &&
		     (!case_result_is_recorded(work, b) ||
		      !case_capture_memory(operation->capture, b))))
			return false;
	return operation->capture != NULL;
}

/* The content that the request shares; NULL: none. Nobody changes it, but struct host_buffers has
 * no constant data. */
static void *find_shared(const struct operation *operation, size_t b, bool expected)
{
	char *key = key_of_content(operation, b, expected);
	const void *data = shared_data_find(operation->resources->shared, key,
					    case_buffer_bytes(&operation->work->buffers[b]));

	free(key);
	return (void *)data;
}

static int give_shared(const struct operation *operation, size_t b, bool expected, const void *data)
{
	char *key = key_of_content(operation, b, expected);
	int rc = shared_data_give(operation->resources->shared, key, data,
				  case_buffer_bytes(&operation->work->buffers[b]));

	free(key);
	return rc;
}

/* Makes an input in its staging slot. */
static int make_input(struct operation *operation, size_t b, void **data, struct error *err)
{
	const struct launch_case *work = operation->work;
	struct cuda_resources *resources = operation->resources;
	const enum run_part before = meter_enter(&resources->meter, RUN_PART_DATA);
	int rc = staging_reserve(&resources->staging, b, case_buffer_bytes(&work->buffers[b]), data,
				 err);

	if (rc == 0)
		rc = case_fill(*data, work, b, operation->capture, resources->seed,
			       resources->mixed, err);
	if (rc == 0)
		rc = give_shared(operation, b, false, *data);
	meter_enter(&resources->meter, before);
	return rc;
}

static int stage_inputs(struct operation *operation, const struct freshness *fresh, bool all,
			struct host_buffers *inputs, struct error *err)
{
	const struct launch_case *work = operation->work;
	int rc = 0;

	for (size_t b = 0; b < work->buffer_count && rc == 0; b++) {
		if (!case_buffer_is_input(&work->buffers[b]) || !(fresh->input[b] || all))
			continue;
		inputs->data[b] = find_shared(operation, b, false);
		if (!inputs->data[b])
			rc = make_input(operation, b, &inputs->data[b], err);
		if (rc == 0 && fresh->input[b])
			rc = upload(operation->resources, *input_block(operation, b),
				    inputs->data[b], err);
	}
	return rc;
}

/* Finds the expected results that are not on the device. False: the request does not share all. */
static bool find_shared_expected(const struct operation *operation, const struct freshness *fresh,
				 struct host_buffers *expected)
{
	for (size_t b = 0; b < operation->work->buffer_count; b++) {
		if (fresh->expected[b])
			expected->data[b] = find_shared(operation, b, true);
		if (fresh->expected[b] && !expected->data[b])
			return false;
	}
	return true;
}

static int upload_expected(struct operation *operation, const struct freshness *fresh,
			   struct host_buffers *expected, struct error *err)
{
	int rc = 0;

	for (size_t b = 0; b < operation->work->buffer_count && rc == 0; b++)
		if (fresh->expected[b])
			rc = upload(operation->resources, operation->buffers[b].expected,
				    expected->data[b], err);
	return rc;
}

/* Computes the expected results on the host and uploads them. */
static int stage_expected(struct operation *operation, const struct freshness *fresh,
			  const struct host_buffers *inputs, struct error *err)
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
		rc = case_expected_compute(work, operation->capture, inputs, &expected,
					   resources->check_end_ns, err);
	if (rc == 0)
		rc = upload_expected(operation, fresh, &expected, err);
	for (size_t b = 0; b < work->buffer_count && rc == 0; b++)
		if (case_buffer_is_result(&work->buffers[b]))
			rc = give_shared(operation, b, true, expected.data[b]);
	return rc;
}

/* What the reference writes where it may not is no fault of the kernel that it verifies. */
static int refuse_stray_writes(const struct operation *reference, const struct launch_case *work,
			       struct error *err)
{
	struct text who = TEXT_INIT, found = TEXT_INIT;
	int rc;

	case_describe_reference(&who, work);
	rc = operation_check_writes(reference, who.data, &found, err);
	if (rc == 0 && found.length) {
		/* it may have written anywhere */
		memory_forget_all(&reference->resources->memory);
		rc = error_set(err, PL_EUSAGE, "%s", found.data);
	}
	text_release(&who);
	text_release(&found);
	return rc;
}

/* Gives the results of the reference to later rounds, which then need not execute it. */
static int give_reference(struct operation *operation, struct error *err)
{
	struct cuda_resources *resources = operation->resources;
	int rc = 0;

	for (size_t b = 0; b < operation->work->buffer_count && rc == 0; b++) {
		const struct memory_block *expected = operation->buffers[b].expected;
		char *key = expected ? key_of_content(operation, b, true) : NULL;
		void *data;

		if (key && shared_data_is_wanted(resources->shared, key)) {
			rc = staging_reserve(&resources->staging, KERNEL_MAX_BUFFERS + b,
					     expected->bytes, &data, err);
			if (rc == 0)
				rc = operation_read(resources->device, data, expected->data,
						    expected->bytes, err);
			if (rc == 0)
				rc = shared_data_give(resources->shared, key, data,
						      expected->bytes);
		}
		free(key);
	}
	return rc;
}

/* Executes the reference launches on the buffers of the case and keeps their results. */
static int execute_reference(struct operation *operation, const struct launch_case *reference,
			     struct error *err)
{
	struct cuda_resources *resources = operation->resources;
	const struct device *device = resources->device;
	struct operation other = {0};
	struct text skip = TEXT_INIT;
	int rc = operation_load(&other, resources, reference, &skip, err);

	if (rc == 0 && skip.length)
		rc = error_set(err, PL_EUSAGE, "the kernel that verifies cannot run: %s",
			       skip.data);
	text_release(&skip);
	if (rc)
		return rc;
	memcpy(other.buffers, operation->buffers, sizeof(other.buffers));
	other.execution = EXECUTION_REFERENCE;
	for (size_t b = 0; b < reference->buffer_count; b++)
		if (other.buffers[b].block)
			locate_buffer(&other, b);
	rc = operation_restore(&other, err);
	if (rc == 0)
		rc = operation_enqueue(&other, err);
	for (size_t b = 0; b < reference->buffer_count && rc == 0; b++) {
		const struct operation_buffer *buffer = &operation->buffers[b];

		if (buffer->expected)
			rc = cuda_check(&device->driver,
					device->driver.cuMemcpyDtoDAsync(
						buffer->expected->data, other.buffers[b].data,
						buffer->expected->bytes, device->stream),
					err, "keeping an expected result");
	}
	if (rc == 0)
		rc = device_synchronise(device, err, "executing the kernel that verifies");
	if (rc == 0)
		rc = refuse_stray_writes(&other, operation->work, err);
	operation_forget(&other);
	return rc;
}

/* Replaces what the reference left in the results that have an item of the check. */
static int stage_items(struct operation *operation, const struct host_buffers *inputs,
		       struct error *err)
{
	const struct launch_case *work = operation->work;
	struct cuda_resources *resources = operation->resources;
	struct host_buffers expected = {0};
	int rc = 0;

	for (size_t b = 0; b < work->buffer_count && rc == 0; b++)
		if (case_check_item(&work->check, b))
			rc = staging_reserve(&resources->staging, KERNEL_MAX_BUFFERS + b,
					     case_buffer_bytes(&work->buffers[b]),
					     &expected.data[b], err);
	if (rc == 0)
		rc = case_expected_items(work, operation->capture, inputs, &expected, err);
	for (size_t b = 0; b < work->buffer_count && rc == 0; b++)
		if (expected.data[b] && operation->buffers[b].expected)
			rc = upload(resources, operation->buffers[b].expected, expected.data[b],
				    err);
	/* the slots are used again */
	return rc ? rc : device_synchronise(resources->device, err, "uploading");
}

static int announce_expected(const struct cuda_resources *resources)
{
	return resources->announce_check ? resources->announce_check(resources->announce_context)
					 : 0;
}

static int make_expected(struct operation *operation, const struct freshness *fresh,
			 const struct host_buffers *inputs, struct error *err)
{
	struct meter *meter = &operation->resources->meter;
	int rc = announce_expected(operation->resources);
	enum run_part before;

	if (rc)
		return rc;
	before = meter_enter(meter, RUN_PART_DATA);
	if (case_has_reference(operation->work)) {
		const struct launch_case reference = case_reference(operation->work);

		rc = execute_reference(operation, &reference, err);
		if (rc == 0 && operation->work->check.item_count)
			rc = stage_items(operation, inputs, err);
		if (rc == 0)
			rc = give_reference(operation, err);
		error_context(err, rc, "verify");
	} else {
		rc = stage_expected(operation, fresh, inputs, err);
	}
	meter_enter(meter, before);
	return rc;
}

int operation_prepare(struct operation *operation, bool verified, struct error *err)
{
	const struct launch_case *work = operation->work;
	struct host_buffers inputs = {0};
	struct freshness fresh = {0};
	enum run_part before;
	int rc, synchronised;

	before = meter_enter(&operation->resources->meter, RUN_PART_UPLOADING);
	operation->execution = operation->resources->mixed ? EXECUTION_AGAIN : EXECUTION_FIRST;
	rc = place_captured(operation, err);
	if (rc == 0)
		rc = acquire_blocks(operation, verified, &fresh, err);
	if (rc == 0 && is_all_recorded(operation)) {
		rc = fresh.any_expected ? announce_expected(operation->resources) : 0;
		if (rc == 0)
			rc = stage_replay(operation, &fresh, err);
	} else if (rc == 0) {
		struct host_buffers expected = {0};
		const bool shared = find_shared_expected(operation, &fresh, &expected);

		/* the check reads every input */
		rc = stage_inputs(operation, &fresh, fresh.any_expected && !shared, &inputs, err);
		if (rc == 0 && fresh.any_expected)
			rc = shared ? upload_expected(operation, &fresh, &expected, err)
				    : make_expected(operation, &fresh, &inputs, err);
	}
	/* Later cases overwrite the slots, and shared data are unmapped, so the uploads must
	 * complete first, also after an error. */
	synchronised =
		device_synchronise(operation->resources->device, rc ? NULL : err, "uploading");
	if (rc == 0)
		rc = synchronised;
	/* A later case must not find a block that was not filled. */
	for (size_t b = 0; rc && b < work->buffer_count; b++) {
		if (fresh.input[b])
			memory_forget(*input_block(operation, b));
		if (fresh.expected[b])
			memory_forget(operation->buffers[b].expected);
	}
	meter_enter(&operation->resources->meter, before);
	return rc;
}
