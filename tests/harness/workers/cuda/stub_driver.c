#include "stub_driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* A global, because the driver's functions have no argument for it. */
static struct stub_driver *stub;

static CUresult stub_error_text(CUresult result, const char **out)
{
	*out = result == CUDA_ERROR_OUT_OF_MEMORY ? "CUDA_ERROR_OUT_OF_MEMORY" : "CUDA_ERROR";
	return CUDA_SUCCESS;
}

static size_t stub_physical_bytes(void)
{
	size_t bytes = 0;

	for (size_t i = 0; i < STUB_MAX_PAGES; i++)
		bytes += stub->pages[i].bytes;
	return bytes;
}

static CUresult stub_alloc(CUdeviceptr *out, size_t bytes)
{
	size_t slot = 0;

	if (stub->used_bytes + stub_physical_bytes() + bytes > stub->memory_bytes)
		return CUDA_ERROR_OUT_OF_MEMORY;
	while (stub->allocations[slot].data)
		assert_true(++slot < STUB_MAX_ALLOCATIONS);
	stub->allocations[slot].data = malloc(bytes);
	stub->allocations[slot].bytes = bytes;
	stub->used_bytes += bytes;
	*out = (CUdeviceptr)(uintptr_t)stub->allocations[slot].data;
	return CUDA_SUCCESS;
}

static CUresult stub_free(CUdeviceptr data)
{
	for (size_t i = 0; i < STUB_MAX_ALLOCATIONS; i++) {
		if (!data || stub->allocations[i].data != (void *)(uintptr_t)data)
			continue;
		stub->used_bytes -= stub->allocations[i].bytes;
		free(stub->allocations[i].data);
		stub->allocations[i].data = NULL;
		return CUDA_SUCCESS;
	}
	fail_msg("memory is freed that was never allocated");
	return CUDA_ERROR_INVALID_VALUE;
}

static CUresult stub_alloc_managed(CUdeviceptr *out, size_t bytes, unsigned flags)
{
	assert_int_equal(flags, CU_MEM_ATTACH_GLOBAL);
	return stub_alloc(out, bytes);
}

/* ---- virtual memory: addresses of this process ---- */

/* Counts a call that can fail. */
static bool stub_fails(void)
{
	if (!stub->fails_at)
		return false;
	if (stub->fails_at > 1) {
		stub->fails_at--;
		return false;
	}
	stub->fails_at = stub->fails_on;
	return true;
}

static CUresult stub_device_attribute(int *out, CUdevice_attribute what, CUdevice device)
{
	(void)device;
	assert_int_equal(what, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED);
	*out = !stub->cannot_map;
	return CUDA_SUCCESS;
}

static CUresult stub_granularity(size_t *out, const CUmemAllocationProp *properties,
				 CUmemAllocationGranularity_flags which)
{
	(void)properties;
	(void)which;
	*out = STUB_GRANULE;
	return CUDA_SUCCESS;
}

static CUresult stub_reserve(CUdeviceptr *out, size_t bytes, size_t alignment, CUdeviceptr hint,
			     unsigned long long flags)
{
	void *wanted = stub->moves || hint % STUB_HINT ? NULL : (void *)(uintptr_t)hint;
	void *got =
		mmap(wanted, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	(void)alignment;
	(void)flags;
	assert_int_equal(bytes % STUB_GRANULE, 0);
	assert_int_equal(hint % STUB_GRANULE, 0);
	if (stub_fails()) {
		munmap(got, bytes);
		return CUDA_ERROR_UNKNOWN;
	}
	assert_true(got != MAP_FAILED);
	stub->reserved_bytes += bytes;
	*out = (CUdeviceptr)(uintptr_t)got;
	return CUDA_SUCCESS;
}

static CUresult stub_address_free(CUdeviceptr address, size_t bytes)
{
	assert_int_equal(munmap((void *)(uintptr_t)address, bytes), 0);
	stub->reserved_bytes -= bytes;
	return CUDA_SUCCESS;
}

static CUresult stub_create(CUmemGenericAllocationHandle *out, size_t bytes,
			    const CUmemAllocationProp *properties, unsigned long long flags)
{
	size_t slot = 0;

	(void)flags;
	assert_int_equal(properties->type, CU_MEM_ALLOCATION_TYPE_PINNED);
	assert_int_equal(bytes % STUB_GRANULE, 0);
	if (stub_fails())
		return CUDA_ERROR_UNKNOWN;
	if (stub->used_bytes + stub_physical_bytes() + bytes > stub->memory_bytes)
		return CUDA_ERROR_OUT_OF_MEMORY;
	while (stub->pages[slot].bytes)
		assert_true(++slot < STUB_MAX_PAGES);
	stub->pages[slot].file = memfd_create("pages", MFD_CLOEXEC);
	assert_true(stub->pages[slot].file >= 0);
	assert_int_equal(ftruncate(stub->pages[slot].file, (off_t)bytes), 0);
	stub->pages[slot].bytes = bytes;
	stub->pages[slot].held = true;
	stub->handles++;
	stub->created++;
	*out = slot + 1;
	return CUDA_SUCCESS;
}

static void stub_drop_unused(size_t slot)
{
	if (stub->pages[slot].held || stub->pages[slot].mappings)
		return;
	close(stub->pages[slot].file);
	stub->pages[slot].bytes = 0;
}

static CUresult stub_handle_release(CUmemGenericAllocationHandle handle)
{
	assert_true(handle && stub->pages[handle - 1].held);
	stub->pages[handle - 1].held = false;
	stub->handles--;
	stub_drop_unused(handle - 1);
	return CUDA_SUCCESS;
}

/* The slot of what is mapped at an address, or of no mapping for 0; STUB_MAX_PAGES: there is none.
 */
static size_t stub_mapping(CUdeviceptr address)
{
	size_t slot = 0;

	while (slot < STUB_MAX_PAGES && stub->mappings[slot].address != address)
		slot++;
	return slot;
}

static CUresult stub_map(CUdeviceptr address, size_t bytes, size_t offset,
			 CUmemGenericAllocationHandle handle, unsigned long long flags)
{
	const size_t slot = stub_mapping(0);

	(void)offset;
	(void)flags;
	assert_true(handle && stub->pages[handle - 1].held);
	assert_int_equal(stub->pages[handle - 1].bytes, bytes);
	if (stub->maps_fail || stub_fails())
		return CUDA_ERROR_UNKNOWN;
	assert_int_equal(stub_mapping(address), STUB_MAX_PAGES);
	assert_true(slot < STUB_MAX_PAGES);
	assert_true(mmap((void *)(uintptr_t)address, bytes, PROT_NONE, MAP_SHARED | MAP_FIXED,
			 stub->pages[handle - 1].file, 0) != MAP_FAILED);
	stub->mappings[slot].address = address;
	stub->mappings[slot].pages = handle - 1;
	stub->pages[handle - 1].mappings++;
	stub->mapped_bytes += bytes;
	return CUDA_SUCCESS;
}

static CUresult stub_set_access(CUdeviceptr address, size_t bytes, const CUmemAccessDesc *access,
				size_t count)
{
	assert_int_equal(count, 1);
	assert_int_equal(access->flags, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
	if (stub_fails())
		return CUDA_ERROR_UNKNOWN;
	assert_int_equal(mprotect((void *)(uintptr_t)address, bytes, PROT_READ | PROT_WRITE), 0);
	return CUDA_SUCCESS;
}

static CUresult stub_unmap(CUdeviceptr address, size_t bytes)
{
	const size_t slot = stub_mapping(address);

	if (slot == STUB_MAX_PAGES)
		return CUDA_ERROR_INVALID_VALUE;
	if (!stub->fails_on && stub_fails())
		return CUDA_ERROR_UNKNOWN;
	assert_true(mmap((void *)(uintptr_t)address, bytes, PROT_NONE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1,
			 0) != MAP_FAILED);
	stub->mapped_bytes -= bytes;
	stub->mappings[slot].address = 0;
	stub->pages[stub->mappings[slot].pages].mappings--;
	stub_drop_unused(stub->mappings[slot].pages);
	return CUDA_SUCCESS;
}

static CUresult stub_host_alloc(void **out, size_t bytes, unsigned flags)
{
	(void)flags;
	*out = malloc(bytes);
	return CUDA_SUCCESS;
}

static CUresult stub_host_free(void *data)
{
	free(data);
	return CUDA_SUCCESS;
}

static CUresult stub_host_pointer(CUdeviceptr *out, void *host, unsigned flags)
{
	(void)flags;
	*out = (CUdeviceptr)(uintptr_t)host;
	return CUDA_SUCCESS;
}

static CUresult stub_upload(CUdeviceptr to, const void *from, size_t bytes)
{
	memcpy((void *)(uintptr_t)to, from, bytes);
	return CUDA_SUCCESS;
}

static CUresult stub_upload_async(CUdeviceptr to, const void *from, size_t bytes, CUstream stream)
{
	(void)stream;
	return stub_upload(to, from, bytes);
}

static CUresult stub_download(void *to, CUdeviceptr from, size_t bytes)
{
	memcpy(to, (const void *)(uintptr_t)from, bytes);
	return CUDA_SUCCESS;
}

static CUresult stub_copy(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream)
{
	(void)stream;
	memcpy((void *)(uintptr_t)to, (const void *)(uintptr_t)from, bytes);
	return CUDA_SUCCESS;
}

static CUresult stub_fill(CUdeviceptr to, unsigned char byte, size_t count, CUstream stream)
{
	(void)stream;
	if (stub->fills_fail)
		return CUDA_ERROR_UNKNOWN;
	memset((void *)(uintptr_t)to, byte, count);
	return CUDA_SUCCESS;
}

static CUresult stub_synchronise(CUstream stream)
{
	(void)stream;
	return CUDA_SUCCESS;
}

static CUresult stub_wait_value(CUstream stream, CUdeviceptr where, cuuint32_t value,
				unsigned flags)
{
	(void)stream;
	(void)where;
	(void)value;
	(void)flags;
	return CUDA_SUCCESS;
}

/* The latest record of an event. */
struct stub_event {
	size_t number, launches, idle_kernels; /* so far */
};

static CUresult stub_event_create(CUevent *out, unsigned flags)
{
	(void)flags;
	*out = calloc(1, sizeof(struct stub_event));
	return CUDA_SUCCESS;
}

static CUresult stub_event_destroy(CUevent event)
{
	free(event);
	return CUDA_SUCCESS;
}

static CUresult stub_event_record(CUevent event, CUstream stream)
{
	(void)stream;
	*(struct stub_event *)event =
		(struct stub_event){++stub->records, stub->launches, stub->idle_kernels};
	return CUDA_SUCCESS;
}

static CUresult stub_event_synchronise(CUevent event)
{
	stub->waits++;
	stub->waits_for_all += ((struct stub_event *)event)->number == stub->records;
	return CUDA_SUCCESS;
}

/* Two records in a row are those of a sample, or have idle kernels between them. A longer time is
 * that of a batch, which takes none. */
static CUresult stub_elapsed(float *milliseconds, CUevent from, CUevent to)
{
	const struct stub_event *begin = (struct stub_event *)from, *end = (struct stub_event *)to;
	const size_t idle = end->idle_kernels - begin->idle_kernels;
	double ns = 0;

	if (end->number - begin->number == 1)
		ns = idle == end->launches - begin->launches
			     ? stub->event_ns + (double)idle * stub->idle_ns
			     : stub->elapsed_ns(stub->intervals++);
	*milliseconds = (float)(1e-6 * ns);
	return CUDA_SUCCESS;
}

/* A graph that replays nothing. */
static CUresult stub_begin_capture(CUstream stream, CUstreamCaptureMode mode)
{
	(void)stream;
	(void)mode;
	return stub->cannot_capture ? CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED : CUDA_SUCCESS;
}

static CUresult stub_end_capture(CUstream stream, CUgraph *out)
{
	(void)stream;
	*out = (CUgraph)(void *)stub;
	return CUDA_SUCCESS;
}

static CUresult stub_instantiate(CUgraphExec *out, CUgraph graph, unsigned long long flags)
{
	(void)graph;
	(void)flags;
	*out = (CUgraphExec)(void *)stub;
	return CUDA_SUCCESS;
}

static CUresult stub_graph_launch(CUgraphExec graph, CUstream stream)
{
	(void)graph;
	(void)stream;
	return CUDA_SUCCESS;
}

static CUresult stub_exec_destroy(CUgraphExec graph)
{
	(void)graph;
	return CUDA_SUCCESS;
}

static CUresult stub_graph_destroy(CUgraph graph)
{
	(void)graph;
	return CUDA_SUCCESS;
}

static CUresult stub_module_load(CUmodule *out, const void *bytes, unsigned option_count,
				 CUjit_option *options, void **values)
{
	(void)bytes;
	(void)option_count;
	(void)options;
	(void)values;
	*out = (CUmodule)(void *)stub;
	return CUDA_SUCCESS;
}

static CUresult stub_module_unload(CUmodule module)
{
	(void)module;
	return CUDA_SUCCESS;
}

static CUresult stub_function(CUfunction *out, CUmodule module, const char *name)
{
	size_t at = 0;

	(void)module;
	while (stub->names[at][0] && strcmp(stub->names[at], name))
		assert_true(++at < STUB_MAX_FUNCTIONS);
	snprintf(stub->names[at], sizeof(stub->names[at]), "%s", name);
	*out = (CUfunction)(void *)stub->names[at];
	return CUDA_SUCCESS;
}

static CUresult stub_variable(CUdeviceptr *out, size_t *bytes, CUmodule module, const char *name)
{
	(void)module;
	(void)name;
	*out = (CUdeviceptr)(uintptr_t)stub->variable;
	*bytes = stub->variable_bytes;
	return stub->variable ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

static CUresult stub_reset_persisting(void)
{
	/* each reset comes before the flush of its sample */
	assert_false(stub->is_reset);
	stub->is_reset = true;
	stub->resets++;
	return CUDA_SUCCESS;
}

static CUresult stub_attribute(int *out, CUfunction_attribute what, CUfunction function)
{
	(void)function;
	switch (what) {
	case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
		*out = stub->max_threads;
		return CUDA_SUCCESS;
	case CU_FUNC_ATTRIBUTE_NUM_REGS:
		*out = stub->registers;
		return CUDA_SUCCESS;
	case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
		*out = stub->shared_static;
		return CUDA_SUCCESS;
	case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
		*out = stub->local_bytes;
		return CUDA_SUCCESS;
	case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
		*out = stub->shared_dynamic_max;
		return CUDA_SUCCESS;
	default:
		return CUDA_ERROR_INVALID_VALUE;
	}
}

static CUresult stub_set_attribute(CUfunction function, CUfunction_attribute what, int value)
{
	(void)function;
	if (what == CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED) {
		stub->nonportable_clusters = value;
		return CUDA_SUCCESS;
	}
	assert_int_equal(what, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
	stub->shared_dynamic_max = value;
	return CUDA_SUCCESS;
}

static CUresult stub_occupancy(int *blocks, CUfunction function, int threads, size_t shared_bytes)
{
	(void)function;
	(void)threads;
	(void)shared_bytes;
	*blocks = stub->resident_blocks;
	return CUDA_SUCCESS;
}

static CUresult stub_launch(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
			    unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
			    CUstream stream, void **arguments, void **extra)
{
	(void)grid_x;
	(void)grid_y;
	(void)grid_z;
	(void)block_x;
	(void)block_y;
	(void)block_z;
	(void)shared;
	(void)stream;
	(void)extra;
	stub->launches++;
	if (!strcmp((const char *)(void *)function, "flush_by_reading")) {
		const bool flushes = *(unsigned long long *)arguments[1] > 0;

		*(flushes ? &stub->flushes : &stub->idle_kernels) += 1;
		if (flushes)
			stub->flush_was_reset = stub->is_reset;
		stub->is_reset = stub->is_reset && !flushes;
	}
	if (stub->execute)
		stub->execute(stub, (const char *)(void *)function, arguments);
	return CUDA_SUCCESS;
}

static CUresult stub_launch_extended(const CUlaunchConfig *config, CUfunction function,
				     void **arguments, void **extra)
{
	assert_true(config->numAttrs <= ARRAY_SIZE(stub->attributes));
	memcpy(stub->attributes, config->attrs, config->numAttrs * sizeof(stub->attributes[0]));
	stub->attribute_count = config->numAttrs;
	return stub_launch(function, config->gridDimX, config->gridDimY, config->gridDimZ,
			   config->blockDimX, config->blockDimY, config->blockDimZ,
			   config->sharedMemBytes, config->hStream, arguments, extra);
}

static CUresult stub_encode_map(CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank,
				void *address, const cuuint64_t *sizes, const cuuint64_t *strides,
				const cuuint32_t *box, const cuuint32_t *steps,
				CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
				CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill)
{
	const uint64_t told[] = {
		(uintptr_t)address, type,       rank,    sizes[rank - 1], strides[0], box[0],
		steps[rank - 1],    interleave, swizzle, promotion,       fill};

	assert_int_equal((uintptr_t)map % 64, 0);
	stub->maps++;
	if (stub->maps_refused)
		return CUDA_ERROR_INVALID_VALUE;
	memcpy(map, told, sizeof(told));
	return CUDA_SUCCESS;
}

static CUresult stub_encode_im2col(CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank,
				   void *address, const cuuint64_t *sizes,
				   const cuuint64_t *strides, const int *lower, const int *upper,
				   cuuint32_t channels, cuuint32_t pixels, const cuuint32_t *steps,
				   CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
				   CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill)
{
	const uint64_t told[] = {(uintptr_t)address,
				 type,
				 rank,
				 sizes[rank - 1],
				 strides[0],
				 (uint64_t)lower[0],
				 (uint64_t)upper[rank - 3],
				 channels,
				 pixels,
				 steps[rank - 2],
				 interleave,
				 swizzle,
				 promotion,
				 fill};

	stub->maps++;
	if (stub->maps_refused)
		return CUDA_ERROR_INVALID_VALUE;
	memcpy(map, told, sizeof(told));
	return CUDA_SUCCESS;
}

void stub_driver_install(struct stub_driver *installed, struct device *device)
{
	stub = installed;
	device->driver = (struct cuda_driver){
		.cuGetErrorString = stub_error_text,
		.cuGetErrorName = stub_error_text,
		.cuDeviceGetAttribute = stub_device_attribute,
		.cuMemAlloc = stub_alloc,
		.cuMemFree = stub_free,
		.cuMemAllocManaged = stub_alloc_managed,
		.cuMemGetAllocationGranularity = stub_granularity,
		.cuMemAddressReserve = stub_reserve,
		.cuMemAddressFree = stub_address_free,
		.cuMemCreate = stub_create,
		.cuMemRelease = stub_handle_release,
		.cuMemMap = stub_map,
		.cuMemUnmap = stub_unmap,
		.cuMemSetAccess = stub_set_access,
		.cuMemcpyAsync = stub_copy,
		.cuMemHostAlloc = stub_host_alloc,
		.cuMemFreeHost = stub_host_free,
		.cuMemHostGetDevicePointer = stub_host_pointer,
		.cuMemcpyHtoD = stub_upload,
		.cuMemcpyHtoDAsync = stub_upload_async,
		.cuMemcpyDtoH = stub_download,
		.cuMemcpyDtoDAsync = stub_copy,
		.cuMemsetD8Async = stub_fill,
		.cuStreamSynchronize = stub_synchronise,
		.cuStreamWaitValue32 = stub_wait_value,
		.cuStreamBeginCapture = stub_begin_capture,
		.cuStreamEndCapture = stub_end_capture,
		.cuGraphInstantiate = stub_instantiate,
		.cuGraphLaunch = stub_graph_launch,
		.cuGraphExecDestroy = stub_exec_destroy,
		.cuGraphDestroy = stub_graph_destroy,
		.cuEventCreate = stub_event_create,
		.cuEventDestroy = stub_event_destroy,
		.cuEventRecord = stub_event_record,
		.cuEventSynchronize = stub_event_synchronise,
		.cuEventElapsedTime = stub_elapsed,
		.cuModuleLoadDataEx = stub_module_load,
		.cuModuleUnload = stub_module_unload,
		.cuModuleGetFunction = stub_function,
		.cuModuleGetGlobal = stub_variable,
		.cuCtxResetPersistingL2Cache = stub_reset_persisting,
		.cuFuncGetAttribute = stub_attribute,
		.cuFuncSetAttribute = stub_set_attribute,
		.cuOccupancyMaxActiveBlocksPerMultiprocessor = stub_occupancy,
		.cuLaunchKernel = stub_launch,
		.cuLaunchKernelEx = stub_launch_extended,
		.cuTensorMapEncodeTiled = stub_encode_map,
		.cuTensorMapEncodeIm2col = stub_encode_im2col,
	};
}

void stub_driver_assert_empty(const struct stub_driver *installed)
{
	assert_int_equal(installed->used_bytes, 0);
	assert_int_equal(installed->reserved_bytes, 0);
	assert_int_equal(installed->mapped_bytes, 0);
	assert_int_equal(installed->handles, 0);
}
