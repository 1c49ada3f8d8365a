#include <string.h>

#include "harness/workers/cuda/operation.h"

/* A flush for timing reads twice the L2, one for counting three times: docs/results/dram-writes.md.
 */
enum { FLUSH_L2_MULTIPLE = 3, FLUSH_MINIMUM_BYTES = 64 << 20 };

/* A block of the workshop's own. */
static int acquire_kept(struct workshop *workshop, size_t bytes, struct memory_block **out,
			struct error *err)
{
	int rc = memory_acquire(&workshop->memory, NULL, bytes, out, NULL, err);

	if (rc == 0)
		memory_keep(*out);
	return rc;
}

int workshop_open(struct workshop *workshop, const struct device *device, uint64_t seed,
		  struct error *err)
{
	static const char *const compare_entries[] = {
		[ELEMENT_F32] = "compare_f32", [ELEMENT_F64] = "compare_f64",
		[ELEMENT_I32] = "compare_i32", [ELEMENT_U32] = "compare_u32",
		[ELEMENT_F16] = "compare_f16", [ELEMENT_BF16] = "compare_bf16",
		[ELEMENT_TF32] = "compare_f32"};
	const struct image *support;
	size_t flush_bytes = FLUSH_L2_MULTIPLE * (size_t)device->info.l2_bytes;
	int rc;

	*workshop =
		(struct workshop){.device = device, .staging = {.device = device}, .seed = seed};
	image_cache_init(&workshop->images, device);
	/* Half of the device, so that what is kept never crowds out a case. */
	memory_init(&workshop->memory, device, (uint64_t)device->info.memory_bytes / 2);
	rc = image_load(&workshop->images, "support/check", &support, err);
	for (size_t i = 0; i < ARRAY_SIZE(compare_entries) && rc == 0; i++)
		rc = image_function(&workshop->images, support, compare_entries[i],
				    &workshop->compare[i], err);
	if (rc == 0)
		rc = image_function(&workshop->images, support, "flush_by_reading",
				    &workshop->flush, err);
	if (flush_bytes < FLUSH_MINIMUM_BYTES)
		flush_bytes = FLUSH_MINIMUM_BYTES;
	if (rc == 0)
		rc = acquire_kept(workshop, flush_bytes, &workshop->flush_buffer, err);
	if (rc == 0)
		rc = acquire_kept(workshop, sizeof(uint32_t), &workshop->flush_sink, err);
	if (rc == 0)
		rc = acquire_kept(workshop, 4 * sizeof(uint64_t), &workshop->comparison, err);
	if (rc == 0)
		rc = cuda_check(&device->driver,
				device->driver.cuMemsetD8Async(workshop->flush_buffer->data, 0,
							       workshop->flush_buffer->bytes,
							       device->stream),
				err, "clearing the flush buffer");
	return rc;
}

void workshop_close(struct workshop *workshop)
{
	if (!workshop->device)
		return;
	library_set_close(&workshop->libraries);
	staging_release(&workshop->staging);
	memory_release(&workshop->memory);
	image_cache_release(&workshop->images);
	memset(workshop, 0, sizeof(*workshop));
}

int workshop_flush_cache(const struct workshop *workshop, enum flush_purpose purpose,
			 struct error *err)
{
	const struct device *device = workshop->device;
	CUdeviceptr data = workshop->flush_buffer->data;
	CUdeviceptr sink = workshop->flush_sink->data;
	unsigned long long words = workshop->flush_buffer->bytes / 16;
	unsigned long long count = purpose == FLUSH_TO_TIME ? words / 3 * 2 : words;
	void *arguments[] = {&data, &count, &sink};
	unsigned blocks = (unsigned)(device->info.sm_count * 4);

	return cuda_check(&device->driver,
			  device->driver.cuLaunchKernel(workshop->flush, blocks, 1, 1, 512, 1, 1, 0,
							device->stream, arguments, NULL),
			  err, "flushing the L2");
}
