/* Allocates, shares and evicts blocks of device memory. */
#include "harness/workers/cuda/device_memory.h"

#include <stdlib.h>
#include <string.h>

/*
 * The size is a multiple of 256, the driver's alignment in bytes, so that the
 * data keeps it. The pattern is a huge number in f32, f64 and bf16, and NaN in
 * f16, so that a kernel that reads out of bounds gets a wrong result. It is not
 * the poison of results, which a kernel may copy.
 */
enum { GUARD_BYTES = 512, GUARD_PATTERN = 0xfe };

void memory_init(struct memory *memory, const struct device *device, uint64_t limit_bytes)
{
	*memory = (struct memory){.device = device, .limit_bytes = limit_bytes};
}

static void block_free(struct memory *memory, struct memory_block *block)
{
	memory->used_bytes -= block->bytes;
	memory->device->driver.cuMemFree(block->base);
	free(block->key);
	free(block);
}

void memory_release(struct memory *memory)
{
	for (size_t i = 0; i < memory->count; i++)
		block_free(memory, memory->blocks[i]);
	free(memory->blocks);
	*memory = (struct memory){0};
}

static bool evict_oldest(struct memory *memory)
{
	size_t oldest = memory->count;

	for (size_t i = 0; i < memory->count; i++) {
		if (memory->blocks[i]->pinned)
			continue;
		if (oldest == memory->count ||
		    memory->blocks[i]->last_use < memory->blocks[oldest]->last_use)
			oldest = i;
	}
	if (oldest == memory->count)
		return false;
	block_free(memory, memory->blocks[oldest]);
	memory->blocks[oldest] = memory->blocks[--memory->count];
	return true;
}

static int write_guards(const struct memory *memory, const struct memory_block *block,
			struct error *err)
{
	const struct cuda_driver *driver = &memory->device->driver;
	CUstream stream = memory->device->stream;
	int rc;

	rc = cuda_check(driver,
			driver->cuMemsetD8Async(block->base, GUARD_PATTERN, GUARD_BYTES, stream),
			err, "writing a guard zone");
	if (rc)
		return rc;
	return cuda_check(driver,
			  driver->cuMemsetD8Async(block->data + block->bytes, GUARD_PATTERN,
						  GUARD_BYTES, stream),
			  err, "writing a guard zone");
}

static int block_allocate(struct memory *memory, const char *key, size_t bytes,
			  struct memory_block **out, struct error *err)
{
	const struct cuda_driver *driver = &memory->device->driver;
	struct memory_block *block = xcalloc(1, sizeof(*block));
	CUresult result;
	int rc;

	while (memory->used_bytes + bytes > memory->limit_bytes && evict_oldest(memory))
		;
	do {
		result = driver->cuMemAlloc(&block->base, bytes + 2 * GUARD_BYTES);
	} while (result == CUDA_ERROR_OUT_OF_MEMORY && evict_oldest(memory));
	rc = cuda_check(driver, result, err, "cuMemAlloc");
	if (rc) {
		char size[32];

		free(block);
		format_bytes(size, (double)bytes);
		return error_context(err, rc, "allocating %s on the device", size);
	}
	block->data = block->base + GUARD_BYTES;
	block->bytes = bytes;
	block->key = key ? xstrdup(key) : NULL;
	memory->blocks = xgrow(memory->blocks, &memory->capacity, memory->count + 1, sizeof(block));
	memory->blocks[memory->count++] = block;
	memory->used_bytes += bytes;
	rc = write_guards(memory, block, err);
	if (rc)
		memory_forget(block);
	else
		*out = block;
	return rc;
}

int memory_acquire(struct memory *memory, const char *key, size_t bytes, struct memory_block **out,
		   bool *fresh, struct error *err)
{
	struct memory_block *found = NULL;
	bool is_fresh = false;

	for (size_t i = 0; i < memory->count && !found; i++) {
		struct memory_block *block = memory->blocks[i];

		if (key ? block->key && strcmp(block->key, key) == 0 && block->bytes == bytes
			: !block->key && !block->pinned && block->bytes == bytes)
			found = block;
	}
	if (!found) {
		int rc = block_allocate(memory, key, bytes, &found, err);

		if (rc)
			return rc;
		is_fresh = true;
	}
	found->pinned = true;
	found->last_use = ++memory->clock;
	*out = found;
	if (fresh)
		*fresh = is_fresh;
	return 0;
}

void memory_keep(struct memory_block *block)
{
	block->kept = true;
}

void memory_unpin_all(struct memory *memory)
{
	for (size_t i = 0; i < memory->count; i++)
		memory->blocks[i]->pinned = memory->blocks[i]->kept;
}

void memory_forget(struct memory_block *block)
{
	free(block->key);
	block->key = NULL;
}

void memory_forget_all(struct memory *memory)
{
	for (size_t i = 0; i < memory->count; i++)
		if (!memory->blocks[i]->kept)
			memory_forget(memory->blocks[i]);
}

int memory_check_guards(const struct memory *memory, const struct memory_block *block, bool *intact,
			struct error *err)
{
	const struct cuda_driver *driver = &memory->device->driver;
	const CUdeviceptr zones[] = {block->base, block->data + block->bytes};
	bool clean = true;

	for (size_t zone = 0; zone < ARRAY_SIZE(zones); zone++) {
		unsigned char bytes[GUARD_BYTES];
		int rc = cuda_check(driver, driver->cuMemcpyDtoH(bytes, zones[zone], sizeof(bytes)),
				    err, "reading a guard zone");

		if (rc)
			return rc;
		for (size_t i = 0; i < sizeof(bytes); i++)
			clean = clean && bytes[i] == GUARD_PATTERN;
	}
	*intact = clean;
	return clean ? 0 : write_guards(memory, block, err);
}
