/* Loads the code of a case and queues its launches. */
#include "harness/workers/cuda/operation.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An upper estimate, from observation, of the kernels, fills and copies that a library queues for
 * one operation. */
enum { COMMANDS_OF_LIBRARY = 8 };

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

/*
 * Raises the function's limit of dynamic shared memory. Never lowers it,
 * because several launches of an operation may use the function.
 */
static int allow_shared(const struct device *device, CUfunction function, int64_t bytes,
			struct error *err)
{
	int allowed;
	int rc = function_attribute(device, function,
				    CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, &allowed, err);

	if (rc || bytes <= allowed)
		return rc;
	return cuda_check(
		&device->driver,
		device->driver.cuFuncSetAttribute(
			function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, (int)bytes),
		err, "raising the limit of dynamic shared memory");
}

/* Checks the launch against the limits of the compiled function and the device. Appends to *skip
 * why the launch is impossible. */
static int check_launch_fits(const struct device *device, const struct case_launch *launch,
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
			  "%s uses %d registers per thread, so a block has at most %d threads, "
			  "not %" PRId64,
			  launch->entry, registers, max_threads, threads);
		return 0;
	}
	if (shared_static + launch->shared_bytes > device->info.shared_bytes_per_block) {
		text_addf(skip,
			  "%s needs %" PRId64
			  " bytes of shared memory per block; the device has %" PRId64,
			  launch->entry, shared_static + launch->shared_bytes,
			  device->info.shared_bytes_per_block);
		return 0;
	}
	return allow_shared(device, function, launch->shared_bytes, err);
}

static void set_argument_values(struct operation_launch *launch,
				const struct case_launch *described)
{
	for (size_t i = 0; i < described->arg_count; i++) {
		const struct case_arg *arg = &described->args[i];
		union argument_value *value = &launch->values[i];

		switch (arg->kind) {
		case ARG_BUFFER: /* enqueue_launch() sets it */
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

static int load_launch(struct operation *operation, size_t index, struct text *skip,
		       struct error *err)
{
	struct cuda_resources *resources = operation->resources;
	const struct case_launch *described = &operation->work->launches[index];
	struct operation_launch *launch = &operation->launches[index];
	int rc = 0;

	set_argument_values(launch, described);
	if (described->library[0])
		return library_prepare(&launch->call, &resources->libraries, resources->device,
				       &resources->memory, described, launch->values, skip, err);
	if (!operation->image)
		rc = cuda_image_load(&resources->images, operation->work->image, &operation->image,
				     err);
	if (rc == 0)
		rc = cuda_image_function(&resources->images, operation->image, described->entry,
					 &launch->function, err);
	return rc ? rc
		  : check_launch_fits(resources->device, described, launch->function, skip, err);
}

int operation_load(struct operation *out, struct cuda_resources *resources,
		   const struct launch_case *work, struct text *skip, struct error *err)
{
	struct operation operation = {.resources = resources, .work = work};
	int rc = 0;

	operation.launches = xcalloc(work->launch_count, sizeof(*operation.launches));
	for (size_t i = 0; i < work->launch_count && rc == 0 && skip->length == 0; i++)
		rc = load_launch(&operation, i, skip, err);
	for (size_t b = 0; b < work->buffer_count; b++)
		operation.allocates |= work->buffers[b].role == BUFFER_PER_CALL;
	if (rc || skip->length) {
		operation_release(&operation);
		return rc;
	}
	*out = operation;
	return 0;
}

void operation_release(struct operation *operation)
{
	free(operation->launches);
	if (operation->resources)
		memory_unpin_all(&operation->resources->memory);
	*operation = (struct operation){0};
}

/* ---- execution ---- */

size_t operation_command_count(const struct operation *operation)
{
	size_t count = 0;

	for (size_t i = 0; i < operation->work->launch_count; i++)
		count += operation->launches[i].function ? 1 : COMMANDS_OF_LIBRARY;
	for (size_t b = 0; b < operation->work->buffer_count; b++)
		count += operation->work->buffers[b].role == BUFFER_INOUT;
	return count;
}

int operation_restore(const struct operation *operation, struct error *err)
{
	const struct device *device = operation->resources->device;
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
	const struct device *device = operation->resources->device;
	const struct case_launch *described = &operation->work->launches[index];
	struct operation_launch *launch = &operation->launches[index];

	for (size_t i = 0; i < described->arg_count; i++) {
		if (described->args[i].kind == ARG_BUFFER)
			launch->values[i].buffer =
				operation->buffers[described->args[i].integer].data;
	}
	if (!launch->function)
		return library_enqueue(&launch->call, launch->values, err);
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
	const struct device *device = operation->resources->device;
	CUdeviceptr allocated[KERNEL_MAX_BUFFERS] = {0};
	int rc = 0;

	for (size_t b = 0; operation->allocates && b < work->buffer_count && rc == 0; b++) {
		if (work->buffers[b].role != BUFFER_PER_CALL)
			continue;
		rc = cuda_check(&device->driver,
				device->driver.cuMemAlloc(&allocated[b],
							  case_buffer_bytes(&work->buffers[b])),
				err, "allocating in the operation");
		operation->buffers[b].data = allocated[b];
	}
	for (size_t i = 0; i < work->launch_count && rc == 0; i++)
		rc = enqueue_launch(operation, i, err);
	for (size_t b = 0; b < work->buffer_count; b++) {
		if (allocated[b] && device->driver.cuMemFree(allocated[b]) != CUDA_SUCCESS &&
		    rc == 0)
			rc = error_set(err, PL_EDEVICE, "the operation cannot free its memory");
	}
	return rc;
}
