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

enum { PORTABLE_CLUSTER_BLOCKS = 8 };

static int function_attribute(const struct device *device, CUfunction function,
			      CUfunction_attribute what, int *out, struct error *err)
{
	return cuda_check(&device->driver, device->driver.cuFuncGetAttribute(out, what, function),
			  err, "cuFuncGetAttribute");
}

static int64_t launch_cluster_blocks(const struct case_launch *launch)
{
	return launch->cluster[0] * launch->cluster[1] * launch->cluster[2];
}

/* Allows what a launch needs beyond the defaults. Never lowers a limit, because several launches of
 * an operation may use the function. */
static int raise_limits(const struct device *device, CUfunction function,
			const struct case_launch *launch, struct error *err)
{
	int allowed;
	int rc = function_attribute(device, function,
				    CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, &allowed, err);

	if (rc == 0 && launch->shared_bytes > allowed)
		rc = cuda_check(&device->driver,
				device->driver.cuFuncSetAttribute(
					function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
					(int)launch->shared_bytes),
				err, "raising the limit of dynamic shared memory");
	/* clusters of more blocks than every device has need permission */
	if (rc == 0 && launch_cluster_blocks(launch) > PORTABLE_CLUSTER_BLOCKS)
		rc = cuda_check(
			&device->driver,
			device->driver.cuFuncSetAttribute(
				function, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1),
			err, "allowing a cluster of more than 8 blocks");
	return rc;
}

/* Checks the launch against the limits of the compiled function and the device. Appends to *skip
 * why the launch is impossible. */
static int check_launch_fits(const struct device *device, const struct case_launch *launch,
			     CUfunction function, struct text *skip, struct error *err)
{
	const int64_t threads = launch->block[0] * launch->block[1] * launch->block[2];
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
	return raise_limits(device, function, launch, err);
}

/* The room of a struct among others: the driver may read it by its alignment. */
static size_t struct_room(const struct case_arg *arg)
{
	const size_t align = OPERATION_STRUCT_ALIGN;

	return arg->kind == ARG_BYTES || arg->kind == ARG_TENSOR_MAP
		       ? (case_arg_bytes(arg) + align - 1) / align * align
		       : 0;
}

/* Sets what is the same in each execution; set_addresses() does the rest. */
static void set_argument_values(struct operation_launch *launch,
				const struct case_launch *described)
{
	size_t bytes = 0;

	for (size_t i = 0; i < described->arg_count; i++)
		bytes += struct_room(&described->args[i]);
	launch->values = xcalloc(described->arg_count + 1, sizeof(*launch->values));
	launch->pointers = xcalloc(described->arg_count + 1, sizeof(*launch->pointers));
	launch->structs_memory = xcalloc(bytes + OPERATION_STRUCT_ALIGN, 1);
	launch->structs = launch->structs_memory + OPERATION_STRUCT_ALIGN -
			  (uintptr_t)launch->structs_memory % OPERATION_STRUCT_ALIGN;
	bytes = 0;
	for (size_t i = 0; i < described->arg_count; i++) {
		const struct case_arg *arg = &described->args[i];

		launch->pointers[i] = &launch->values[i];
		if (struct_room(arg)) {
			launch->pointers[i] = launch->structs + bytes;
			bytes += struct_room(arg);
		}
		case_arg_write(launch->pointers[i], arg);
	}
}

_Static_assert((int)TENSOR_TF32_FTZ == (int)CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ &&
		       (int)TENSOR_BF16 == (int)CU_TENSOR_MAP_DATA_TYPE_BFLOAT16 &&
		       (int)SWIZZLE_128B == (int)CU_TENSOR_MAP_SWIZZLE_128B,
	       "types and swizzles have the numbers of the driver");

static CUtensorMapL2promotion promotion_of(unsigned bytes)
{
	return bytes == 64    ? CU_TENSOR_MAP_L2_PROMOTION_L2_64B
	       : bytes == 128 ? CU_TENSOR_MAP_L2_PROMOTION_L2_128B
	       : bytes == 256 ? CU_TENSOR_MAP_L2_PROMOTION_L2_256B
			      : CU_TENSOR_MAP_L2_PROMOTION_NONE;
}

static CUtensorMapInterleave interleave_of(unsigned slice)
{
	return slice == 16   ? CU_TENSOR_MAP_INTERLEAVE_16B
	       : slice == 32 ? CU_TENSOR_MAP_INTERLEAVE_32B
			     : CU_TENSOR_MAP_INTERLEAVE_NONE;
}

static int encode_tensor_map(const struct cuda_driver *driver, CUtensorMap *out,
			     const struct tensor_map *map, void *address, struct error *err)
{
	const CUtensorMapDataType type = (CUtensorMapDataType)map->type;
	const CUtensorMapSwizzle swizzle = (CUtensorMapSwizzle)map->swizzle;
	const CUtensorMapFloatOOBfill fill =
		map->fills_nan ? CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA
			       : CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE;

	if (map->im2col)
		return cuda_check(driver,
				  driver->cuTensorMapEncodeIm2col(
					  out, type, map->rank, address, map->sizes,
					  map->strides + 1, map->lower, map->upper, map->channels,
					  map->pixels, map->steps, interleave_of(map->interleave),
					  swizzle, promotion_of(map->promotion), fill),
				  err, "cuTensorMapEncodeIm2col");
	return cuda_check(driver,
			  driver->cuTensorMapEncodeTiled(out, type, map->rank, address, map->sizes,
							 map->strides + 1, map->box, map->steps,
							 interleave_of(map->interleave), swizzle,
							 promotion_of(map->promotion), fill),
			  err, "cuTensorMapEncodeTiled");
}

/* Before each launch, because the memory of a buffer can change from execution to execution. */
static int set_addresses(const struct operation *operation, struct operation_launch *launch,
			 const struct case_launch *described, struct error *err)
{
	const struct cuda_driver *driver = &operation->resources->device->driver;
	int rc = 0;

	for (size_t i = 0; i < described->arg_count && rc == 0; i++) {
		const struct case_arg *arg = &described->args[i];
		union argument_value *made = &launch->values[i];

		/* the map of an argument stays while its buffer has the same memory */
		if (arg->kind == ARG_TENSOR_MAP &&
		    made->buffer != operation->buffers[arg->integer].data) {
			made->buffer = operation->buffers[arg->integer].data;
			rc = encode_tensor_map(driver, launch->pointers[i], arg->tensor,
					       (void *)made->buffer, err);
		}
		for (size_t a = 0; a < case_arg_address_count(arg) && rc == 0; a++) {
			const struct arg_address place = case_arg_address(arg, a);
			const CUdeviceptr address =
				operation->buffers[place.buffer].data + place.addend;
			unsigned char *to = (unsigned char *)launch->pointers[i] + place.offset;
			/* The driver writes a map to a multiple of its alignment, which a packed
			 * struct does not give. */
			CUtensorMap map;

			if (!place.tensor) {
				memcpy(to, &address, ARG_ADDRESS_BYTES);
				continue;
			}
			rc = encode_tensor_map(driver, &map, place.tensor,
					       (void *)operation->buffers[place.buffer].data, err);
			if (rc == 0)
				memcpy(to, &map, sizeof(map));
		}
	}
	return rc;
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
		rc = cuda_image_load(&resources->images, operation->work->image,
				     operation->work->code, operation->work->code_arch,
				     &operation->image, err);
	if (rc == 0)
		rc = cuda_image_function(&resources->images, operation->image, described->entry,
					 &launch->function, err);
	return rc ? rc
		  : check_launch_fits(resources->device, described, launch->function, skip, err);
}

int operation_load(struct operation *out, struct cuda_resources *resources,
		   const struct launch_case *work, struct text *skip, struct error *err)
{
	const enum run_part before = meter_enter(&resources->meter, RUN_PART_LOADING);
	struct operation operation = {.resources = resources, .work = work};
	int rc = 0;

	operation.launches = xcalloc(work->launch_count, sizeof(*operation.launches));
	for (size_t i = 0; i < work->launch_count && rc == 0 && skip->length == 0; i++)
		rc = load_launch(&operation, i, skip, err);
	for (size_t b = 0; b < work->buffer_count; b++)
		operation.allocates |= work->buffers[b].role == BUFFER_PER_CALL;
	meter_enter(&resources->meter, before);
	if (rc || skip->length) {
		operation_release(&operation);
		return rc;
	}
	*out = operation;
	return 0;
}

void operation_forget(struct operation *operation)
{
	for (size_t i = 0; operation->launches && i < operation->work->launch_count; i++) {
		free(operation->launches[i].values);
		free(operation->launches[i].pointers);
		free(operation->launches[i].structs_memory);
	}
	free(operation->launches);
	case_capture_close(operation->capture);
	placed_memory_release(operation->placed);
	*operation = (struct operation){0};
}

void operation_release(struct operation *operation)
{
	struct cuda_resources *resources = operation->resources;

	operation_forget(operation);
	if (resources)
		memory_unpin_all(&resources->memory);
}

/* ---- execution ---- */

bool operation_is_distrusted(const struct launch_case *work)
{
	return work->check.kind != CHECK_ORACLE;
}

bool operation_may_persist(const struct operation *operation)
{
	return operation_is_distrusted(operation->work) &&
	       operation->resources->device->info.cc_major >= 8;
}

size_t operation_command_count(const struct operation *operation)
{
	size_t count = 0;

	for (size_t i = 0; i < operation->work->launch_count; i++)
		count += operation->launches[i].function ? 1 : COMMANDS_OF_LIBRARY;
	for (size_t b = 0; operation->watched && b < operation->work->buffer_count; b++)
		count += operation->buffers[b].expected != NULL;
	for (size_t b = 0; b < operation->work->buffer_count; b++)
		/* a copy or a fill, and a copy to a variable */
		count += (operation->work->buffers[b].role == BUFFER_INOUT ||
			  operation_is_distrusted(operation->work)) +
			 (operation->work->buffers[b].symbol != NULL);
	return count;
}

int operation_poison(const struct operation *operation, struct error *err)
{
	const struct device *device = operation->resources->device;
	int rc = 0;

	for (size_t b = 0; b < operation->work->buffer_count && rc == 0; b++) {
		const struct case_buffer *described = &operation->work->buffers[b];
		const struct operation_buffer *buffer = &operation->buffers[b];

		if (described->role == BUFFER_OUT || described->role == BUFFER_SCRATCH)
			rc = cuda_check(&device->driver,
					device->driver.cuMemsetD8Async(
						buffer->data,
						case_poison(described, operation->execution),
						buffer->block->bytes, device->stream),
					err, "poisoning a buffer");
	}
	return rc;
}

/* Copies the content of a buffer into the variable of the image that it stands for. A variable of
 * the case is not always one of its reference, which may come from another file. */
static int set_symbol(const struct operation *operation, size_t b, struct error *err)
{
	const struct device *device = operation->resources->device;
	const struct case_buffer *buffer = &operation->work->buffers[b];
	const size_t wanted = case_buffer_bytes(buffer);
	CUdeviceptr address = 0;
	size_t bytes = 0;
	CUresult found = device->driver.cuModuleGetGlobal(
		&address, &bytes, operation->image->module,
		case_buffer_variable(buffer, operation->execution));
	int rc;

	if (found == CUDA_ERROR_NOT_FOUND && operation->execution == EXECUTION_REFERENCE)
		return 0;
	rc = cuda_check(&device->driver, found, err, buffer->symbol);
	if (rc == 0 && bytes != wanted)
		rc = error_set(err, PL_EUSAGE,
			       "the variable %s has %zu bytes, but the case gives %zu",
			       buffer->symbol, bytes, wanted);
	return rc ? rc
		  : cuda_check(&device->driver,
			       device->driver.cuMemcpyDtoDAsync(address,
								operation->buffers[b].block->data,
								bytes, device->stream),
			       err, "setting a variable");
}

int operation_restore(const struct operation *operation, struct error *err)
{
	const struct device *device = operation->resources->device;
	int rc = operation_is_distrusted(operation->work) ? operation_poison(operation, err) : 0;

	for (size_t b = 0; b < operation->work->buffer_count && rc == 0; b++) {
		const struct operation_buffer *buffer = &operation->buffers[b];

		if (buffer->pristine)
			rc = cuda_check(&device->driver,
					device->driver.cuMemcpyAsync(
						buffer->block->data, buffer->pristine->data,
						buffer->block->bytes, device->stream),
					err, "restoring an input");
		if (rc == 0 && operation->work->buffers[b].symbol && operation->image)
			rc = set_symbol(operation, b, err);
	}
	return rc;
}

int operation_make_ready(struct operation *operation, enum cache_mode cache,
			 enum flush_purpose purpose, struct error *err)
{
	const bool cold = cache == CACHE_COLD;
	int rc = operation_restore(operation, err);

	if (rc == 0 && !cold)
		rc = operation_enqueue(operation, err);
	if (rc == 0 && !cold)
		rc = operation_restore(operation, err);
	if (rc == 0 && cold && operation_may_persist(operation))
		rc = cuda_reset_persisting_lines(operation->resources, err);
	if (rc == 0 && cold)
		rc = cuda_flush_l2(operation->resources, purpose, err);
	return rc ? rc
		  : device_synchronise(operation->resources->device, err, "preparing an execution");
}

/* A launch with a cluster, with a carveout, or one whose blocks may synchronise. */
static CUresult launch_with_attributes(const struct device *device, CUfunction function,
				       const struct case_launch *described, void **pointers)
{
	CUlaunchAttribute attributes[3];
	CUlaunchConfig config = {
		.gridDimX = (unsigned)described->grid[0],
		.gridDimY = (unsigned)described->grid[1],
		.gridDimZ = (unsigned)described->grid[2],
		.blockDimX = (unsigned)described->block[0],
		.blockDimY = (unsigned)described->block[1],
		.blockDimZ = (unsigned)described->block[2],
		.sharedMemBytes = (unsigned)described->shared_bytes,
		.hStream = device->stream,
		.attrs = attributes,
	};

	if (launch_cluster_blocks(described) > 1) {
		CUlaunchAttribute *cluster = &attributes[config.numAttrs++];

		cluster->id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
		cluster->value.clusterDim.x = (unsigned)described->cluster[0];
		cluster->value.clusterDim.y = (unsigned)described->cluster[1];
		cluster->value.clusterDim.z = (unsigned)described->cluster[2];
	}
	if (described->cooperative) {
		CUlaunchAttribute *cooperative = &attributes[config.numAttrs++];

		cooperative->id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
		cooperative->value.cooperative = 1;
	}
	if (described->has_carveout) {
		CUlaunchAttribute *carveout = &attributes[config.numAttrs++];

		carveout->id = CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT;
		carveout->value.sharedMemCarveout = (unsigned)described->carveout;
	}
	return device->driver.cuLaunchKernelEx(&config, function, pointers, NULL);
}

static int enqueue_launch(struct operation *operation, size_t index, struct error *err)
{
	const struct device *device = operation->resources->device;
	const struct case_launch *described = &operation->work->launches[index];
	struct operation_launch *launch = &operation->launches[index];
	int rc = set_addresses(operation, launch, described, err);

	if (rc)
		return rc;
	if (!launch->function)
		return library_enqueue(&launch->call, launch->values, err);
	if (described->cooperative || described->has_carveout ||
	    launch_cluster_blocks(described) > 1)
		return cuda_check(&device->driver,
				  launch_with_attributes(device, launch->function, described,
							 launch->pointers),
				  err, described->entry);
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
