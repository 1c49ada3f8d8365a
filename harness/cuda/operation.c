#include "harness/cuda/operation.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int function_attribute(const struct device *device, CUfunction function,
			      CUfunction_attribute what, int *out, struct error *err)
{
	return cuda_check(&device->driver, device->driver.cuFuncGetAttribute(out, what, function),
			  err, "cuFuncGetAttribute");
}

static int64_t launch_block_threads(const struct case_launch *launch)
{
	return launch->block[0] * launch->block[1] * launch->block[2];
}

/* Asks the compiled function whether this launch is possible; *skip says why not. */
static int check_launch(const struct device *device, const struct case_launch *launch,
			CUfunction function, struct text *skip, struct error *err)
{
	int64_t threads = launch_block_threads(launch);
	int max_threads, registers, shared_static;
	int rc;

	rc = function_attribute(device, function, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK,
				&max_threads, err);
	if (rc == 0)
		rc = function_attribute(device, function, CU_FUNC_ATTRIBUTE_NUM_REGS, &registers,
					err);
	if (rc == 0)
		rc = function_attribute(device, function, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES,
					&shared_static, err);
	if (rc)
		return rc;
	if (threads > max_threads) {
		text_addf(skip,
			  "%s uses %d registers a thread: at most %d threads a block, not %" PRId64,
			  launch->entry, registers, max_threads, threads);
		return 0;
	}
	if (shared_static + launch->shared_bytes > device->info.shared_bytes_per_block) {
		text_addf(skip,
			  "%s needs %" PRId64
			  " bytes of shared memory a block; the device has %" PRId64,
			  launch->entry, shared_static + launch->shared_bytes,
			  device->info.shared_bytes_per_block);
		return 0;
	}
	if (launch->shared_bytes > 0)
		rc = cuda_check(&device->driver,
				device->driver.cuFuncSetAttribute(
					function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
					(int)launch->shared_bytes),
				err, "asking for dynamic shared memory");
	return rc;
}

static void bind_arguments(struct operation_launch *launch, const struct case_launch *described)
{
	for (size_t i = 0; i < described->arg_count; i++) {
		const struct case_arg *arg = &described->args[i];
		union operation_value *value = &launch->values[i];

		switch (arg->kind) {
		case ARG_BUFFER: /* bound when the buffer is there */
			break;
		case ARG_I32:
			value->i32 = (int32_t)arg->integer;
			break;
		case ARG_U32:
			value->u32 = (uint32_t)arg->integer;
			break;
		case ARG_I64:
			value->i64 = arg->integer;
			break;
		case ARG_F32:
			value->f32 = (float)arg->real;
			break;
		}
		launch->pointers[i] = value;
	}
}

int operation_load(struct operation *out, struct workshop *workshop, const struct launch_case *work,
		   struct text *skip, struct error *err)
{
	struct operation operation = {.workshop = workshop, .work = work};
	int rc = image_load(&workshop->images, work->image, &operation.image, err);

	if (rc)
		return rc;
	operation.launches = xcalloc(work->launch_count, sizeof(*operation.launches));
	for (size_t i = 0; i < work->launch_count && rc == 0 && skip->length == 0; i++) {
		rc = image_function(&workshop->images, operation.image, work->launches[i].entry,
				    &operation.launches[i].function, err);
		if (rc == 0)
			rc = check_launch(workshop->device, &work->launches[i],
					  operation.launches[i].function, skip, err);
		bind_arguments(&operation.launches[i], &work->launches[i]);
	}
	for (size_t b = 0; b < work->buffer_count; b++)
		operation.allocates |= work->buffers[b].role == BUFFER_PER_CALL;
	if (rc || skip->length) {
		free(operation.launches);
		return rc;
	}
	*out = operation;
	return 0;
}

void operation_release(struct operation *operation)
{
	free(operation->launches);
	if (operation->workshop) {
		struct memory *memory = &operation->workshop->memory;

		memory_unpin_all(memory);
		operation->workshop->flush_buffer->pinned = true;
		operation->workshop->flush_sink->pinned = true;
		operation->workshop->comparison->pinned = true;
	}
	*operation = (struct operation){0};
}

/* ---- data ---- */

static size_t buffer_bytes(const struct case_buffer *buffer)
{
	return (size_t)buffer->length * element_size_bytes(buffer->type);
}

static char *input_key(const struct workshop *workshop, const struct case_buffer *buffer)
{
	return xasprintf("in %s %s %" PRId64 " %s %.17g %.17g %" PRIu64, buffer->name,
			 element_type_name(buffer->type), buffer->length,
			 buffer_fill_name(buffer->fill), buffer->fill_low, buffer->fill_high,
			 workshop->seed);
}

/* Equal keys mean equal results: the oracle, the axes that it reads, and every buffer of the case.
 */
static char *expected_key(const struct workshop *workshop, const struct launch_case *work,
			  const struct kernel_oracle *oracle, size_t index)
{
	struct string_list axes = {0};
	struct text key = TEXT_INIT;

	text_addf(&key, "expected %s %s %" PRIu64, oracle->name, work->buffers[index].name,
		  workshop->seed);
	string_list_split(&axes, oracle->axes, ',');
	for (size_t i = 0; i < axes.count; i++) {
		int64_t value;

		if (launch_case_axis(work, axes.items[i], &value))
			text_addf(&key, " %s=%" PRId64, axes.items[i], value);
	}
	for (size_t b = 0; b < work->buffer_count; b++) {
		const struct case_buffer *buffer = &work->buffers[b];

		if (buffer->role == BUFFER_IN || buffer->role == BUFFER_OUT ||
		    buffer->role == BUFFER_INOUT) {
			char *input = input_key(workshop, buffer);

			text_addf(&key, " | %s", input);
			free(input);
		}
	}
	string_list_release(&axes);
	return text_detach(&key);
}

static int host_allocate(void **out, size_t bytes, struct error *err)
{
	void *data = malloc(bytes ? bytes : 1);
	char size[32];

	if (data) {
		*out = data;
		return 0;
	}
	format_bytes(size, (double)bytes);
	return error_set(err, PL_ENOMEM, "no %s of host memory for a case's data", size);
}

static int upload(const struct device *device, const struct memory_block *block, const void *host,
		  struct error *err)
{
	int rc = device_synchronise(device, err, "before an upload");

	if (rc)
		return rc;
	return cuda_check(&device->driver,
			  device->driver.cuMemcpyHtoD(block->data, host, block->bytes), err,
			  "uploading");
}

/* The block that holds the input as filled, and its copy on the host. */
static int acquire_input(struct operation *operation, size_t index, struct memory_block **out,
			 struct error *err)
{
	const struct case_buffer *buffer = &operation->work->buffers[index];
	struct workshop *workshop = operation->workshop;
	char *key = input_key(workshop, buffer);
	struct memory_block *block = NULL;
	bool fresh = false;
	int rc = memory_acquire(&workshop->memory, key, buffer_bytes(buffer), &block, &fresh, err);

	if (rc == 0 && fresh) {
		rc = host_allocate(&block->host, block->bytes, err);
		if (rc == 0) {
			kernel_fill(block->host, buffer, workshop->seed);
			rc = upload(workshop->device, block, block->host, err);
		}
		if (rc)
			memory_forget(block);
	}
	if (rc == 0)
		*out = block;
	free(key);
	return rc;
}

/* Runs the oracle for all results at once and uploads those whose blocks are fresh. */
static int compute_expected(struct operation *operation, const struct kernel_oracle *oracle,
			    const bool *fresh, struct error *err)
{
	const struct launch_case *work = operation->work;
	struct host_buffers inputs = {0};
	struct host_buffers expected = {0};
	int rc = 0;

	for (size_t b = 0; b < work->buffer_count && rc == 0; b++) {
		const struct operation_buffer *buffer = &operation->buffers[b];

		if (work->buffers[b].role == BUFFER_IN)
			inputs.data[b] = buffer->block->host;
		if (work->buffers[b].role == BUFFER_INOUT)
			inputs.data[b] = buffer->pristine->host;
		if (buffer->expected)
			rc = host_allocate(&expected.data[b], buffer->expected->bytes, err);
	}
	if (rc == 0)
		rc = oracle->compute(work, &inputs, &expected, err);
	for (size_t b = 0; b < work->buffer_count; b++) {
		if (rc == 0 && fresh[b])
			rc = upload(operation->workshop->device, operation->buffers[b].expected,
				    expected.data[b], err);
		free(expected.data[b]);
	}
	return rc;
}

static int acquire_expected(struct operation *operation, struct error *err)
{
	const struct launch_case *work = operation->work;
	const struct kernel_oracle *oracle = kernel_find_oracle(work->oracle);
	bool fresh[KERNEL_MAX_BUFFERS] = {false};
	bool any_fresh = false;
	int rc = 0;

	if (!oracle)
		return error_set(err, PL_ENOENT,
				 "no oracle '%s' in this worker: it is of another build",
				 work->oracle);
	for (size_t b = 0; b < work->buffer_count && rc == 0; b++) {
		char *key;

		if (work->buffers[b].role != BUFFER_OUT && work->buffers[b].role != BUFFER_INOUT)
			continue;
		key = expected_key(operation->workshop, work, oracle, b);
		rc = memory_acquire(&operation->workshop->memory, key,
				    buffer_bytes(&work->buffers[b]),
				    &operation->buffers[b].expected, &fresh[b], err);
		any_fresh |= fresh[b];
		free(key);
	}
	if (rc == 0 && any_fresh)
		rc = compute_expected(operation, oracle, fresh, err);
	for (size_t b = 0; rc && b < work->buffer_count; b++) {
		if (fresh[b])
			memory_forget(operation->buffers[b].expected);
	}
	return rc;
}

int operation_prepare(struct operation *operation, struct error *err)
{
	const struct launch_case *work = operation->work;
	struct memory *memory = &operation->workshop->memory;
	int rc = 0;

	for (size_t b = 0; b < work->buffer_count && rc == 0; b++) {
		struct operation_buffer *buffer = &operation->buffers[b];
		enum buffer_role role = work->buffers[b].role;

		if (role == BUFFER_IN)
			rc = acquire_input(operation, b, &buffer->block, err);
		if (role == BUFFER_INOUT)
			rc = acquire_input(operation, b, &buffer->pristine, err);
		if (rc == 0 &&
		    (role == BUFFER_OUT || role == BUFFER_INOUT || role == BUFFER_SCRATCH))
			rc = memory_acquire(memory, NULL, buffer_bytes(&work->buffers[b]),
					    &buffer->block, NULL, err);
		if (rc == 0 && buffer->block)
			buffer->data = buffer->block->data;
	}
	if (rc == 0)
		rc = acquire_expected(operation, err);
	return rc;
}

/* ---- execution ---- */

size_t operation_command_count(const struct operation *operation)
{
	size_t count = operation->work->launch_count;

	for (size_t b = 0; b < operation->work->buffer_count; b++)
		count += operation->work->buffers[b].role == BUFFER_INOUT;
	return count;
}

int operation_restore(const struct operation *operation, struct error *err)
{
	const struct device *device = operation->workshop->device;
	int rc = 0;

	for (size_t b = 0; b < operation->work->buffer_count && rc == 0; b++) {
		const struct operation_buffer *buffer = &operation->buffers[b];

		if (buffer->pristine)
			rc = cuda_check(&device->driver,
					device->driver.cuMemcpyDtoDAsync(
						buffer->data, buffer->pristine->data,
						buffer->block->bytes, device->stream),
					err, "restoring an input");
	}
	return rc;
}

static int enqueue_launch(struct operation *operation, size_t index, struct error *err)
{
	const struct device *device = operation->workshop->device;
	const struct case_launch *described = &operation->work->launches[index];
	struct operation_launch *launch = &operation->launches[index];

	for (size_t i = 0; i < described->arg_count; i++) {
		if (described->args[i].kind == ARG_BUFFER)
			launch->values[i].buffer =
				operation->buffers[described->args[i].integer].data;
	}
	return cuda_check(&device->driver,
			  device->driver.cuLaunchKernel(
				  launch->function, (unsigned)described->grid[0],
				  (unsigned)described->grid[1], (unsigned)described->grid[2],
				  (unsigned)described->block[0], (unsigned)described->block[1],
				  (unsigned)described->block[2], (unsigned)described->shared_bytes,
				  device->stream, launch->pointers, NULL),
			  err, described->entry);
}

int operation_enqueue(struct operation *operation, struct error *err)
{
	const struct launch_case *work = operation->work;
	const struct device *device = operation->workshop->device;
	CUdeviceptr allocated[KERNEL_MAX_BUFFERS] = {0};
	int rc = 0;

	for (size_t b = 0; operation->allocates && b < work->buffer_count && rc == 0; b++) {
		if (work->buffers[b].role != BUFFER_PER_CALL)
			continue;
		rc = cuda_check(
			&device->driver,
			device->driver.cuMemAlloc(&allocated[b], buffer_bytes(&work->buffers[b])),
			err, "allocating in the operation");
		operation->buffers[b].data = allocated[b];
	}
	for (size_t i = 0; i < work->launch_count && rc == 0; i++)
		rc = enqueue_launch(operation, i, err);
	for (size_t b = 0; b < work->buffer_count; b++) {
		if (allocated[b] && device->driver.cuMemFree(allocated[b]) != CUDA_SUCCESS &&
		    rc == 0)
			rc = error_set(err, PL_EDEVICE, "freeing in the operation failed");
	}
	return rc;
}
