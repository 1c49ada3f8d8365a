/* Opens the shared resources and flushes the L2. */
#include "harness/workers/cuda/resources.h"

#include <string.h>

/* A flush before timing reads half of the buffer, before counting all of it:
 * docs/results/clocks.md, docs/results/dram-writes.md.
 */
enum { FLUSH_L2_MULTIPLE = 3, FLUSH_MINIMUM_BYTES = 64 << 20 };

/* Acquires a block that no case uses. */
static int acquire_kept(struct cuda_resources *resources, size_t bytes, struct memory_block **out,
			struct error *err)
{
	int rc = memory_acquire(&resources->memory, NULL, bytes, out, NULL, err);

	if (rc == 0)
		(*out)->kept = true;
	return rc;
}

int cuda_resources_open(struct cuda_resources *resources, const struct device *device,
			uint64_t seed, struct error *err)
{
	static const char *const compare_entries[] = {
		[ELEMENT_F32] = "compare_f32",  [ELEMENT_F64] = "compare_f64",
		[ELEMENT_I32] = "compare_i32",  [ELEMENT_U32] = "compare_u32",
		[ELEMENT_F16] = "compare_f16",  [ELEMENT_BF16] = "compare_bf16",
		[ELEMENT_TF32] = "compare_f32", [ELEMENT_I8] = "compare_i8",
		[ELEMENT_U8] = "compare_u8",    [ELEMENT_I16] = "compare_i16",
		[ELEMENT_U16] = "compare_u16",  [ELEMENT_I64] = "compare_i64",
		[ELEMENT_U64] = "compare_u64"};
	const struct cuda_image *support; /* the worker's own kernels, as machine code and PTX */
	size_t flush_bytes = FLUSH_L2_MULTIPLE * (size_t)device->info.l2_bytes;
	struct text path = TEXT_INIT;
	int rc;

	*resources = (struct cuda_resources){
		.device = device, .staging = {.device = device}, .seed = seed};
	cuda_image_cache_init(&resources->images, device);
	/* Blocks kept for later cases use at most half of the device memory. */
	memory_init(&resources->memory, device, (uint64_t)device->info.memory_bytes / 2);
	rc = install_path(&path, "share/perflab/libraries/support.fatbin", err);
	if (rc == 0)
		rc = cuda_image_load(&resources->images, CUDA_SUPPORT_IMAGE, path.data, "",
				     &support, err);
	text_release(&path);
	for (size_t i = 0; i < ARRAY_SIZE(compare_entries) && rc == 0; i++)
		rc = cuda_image_function(&resources->images, support, compare_entries[i],
					 &resources->compare[i], err);
	if (rc == 0)
		rc = cuda_image_function(&resources->images, support, "flush_by_reading",
					 &resources->flush, err);
	if (flush_bytes < FLUSH_MINIMUM_BYTES)
		flush_bytes = FLUSH_MINIMUM_BYTES;
	if (rc == 0)
		rc = acquire_kept(resources, flush_bytes, &resources->flush_buffer, err);
	if (rc == 0)
		rc = acquire_kept(resources, sizeof(uint32_t), &resources->flush_sink, err);
	if (rc == 0)
		rc = acquire_kept(resources, 4 * sizeof(uint64_t), &resources->comparison, err);
	if (rc == 0)
		rc = acquire_kept(resources, 2 * KERNEL_MAX_BUFFERS * 4 * sizeof(uint64_t),
				  &resources->sample_comparisons, err);
	if (rc == 0)
		rc = cuda_check(&device->driver,
				device->driver.cuMemsetD8Async(resources->flush_buffer->data, 0,
							       resources->flush_buffer->bytes,
							       device->stream),
				err, "clearing the flush buffer");
	return rc;
}

void cuda_resources_close(struct cuda_resources *resources)
{
	if (!resources->device)
		return;
	library_set_close(&resources->libraries);
	staging_release(&resources->staging);
	uploader_close(&resources->uploader, resources->device);
	memory_release(&resources->memory);
	cuda_image_cache_release(&resources->images);
	memset(resources, 0, sizeof(*resources));
}

/* Queues the kernel that reads `words` 16-byte words of the flush buffer. */
static CUresult queue_reads(const struct cuda_resources *resources, unsigned long long words)
{
	const struct device *device = resources->device;
	CUdeviceptr data = resources->flush_buffer->data;
	CUdeviceptr sink = resources->flush_sink->data;
	void *arguments[] = {&data, &words, &sink};
	unsigned blocks = (unsigned)(device->info.sm_count * 4);

	return device->driver.cuLaunchKernel(resources->flush, blocks, 1, 1, 512, 1, 1, 0,
					     device->stream, arguments, NULL);
}

int cuda_flush_l2(const struct cuda_resources *resources, enum flush_purpose purpose,
		  struct error *err)
{
	unsigned long long words = resources->flush_buffer->bytes / 16;

	words = purpose == FLUSH_TO_TIME ? words / 2 : words;
	return cuda_check(&resources->device->driver, queue_reads(resources, words), err,
			  "flushing the L2");
}

int cuda_queue_idle_kernels(const struct cuda_resources *resources, size_t count, struct error *err)
{
	CUresult result = CUDA_SUCCESS;

	for (size_t i = 0; i < count && result == CUDA_SUCCESS; i++)
		result = queue_reads(resources, 0);
	return cuda_check(&resources->device->driver, result, err, "queueing an idle kernel");
}

int cuda_reset_persisting_lines(const struct cuda_resources *resources, struct error *err)
{
	const struct device *device = resources->device;
	int rc = device_synchronise(device, err, "before a cold execution");
	CUresult result;

	if (rc)
		return rc;
	result = device->driver.cuCtxResetPersistingL2Cache();
	/* a part of a device (MIG) may have no such lines */
	return result == CUDA_ERROR_NOT_SUPPORTED
		       ? 0
		       : cuda_check(&device->driver, result, err,
				    "resetting the persisting lines of the L2");
}
