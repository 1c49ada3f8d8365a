/* Allocates, shares and evicts blocks of device memory. */
#include "harness/workers/cuda/device_memory.h"

#include <stdlib.h>
#include <string.h>

/*
 * The pattern is a huge number in f32, f64 and bf16, and NaN in
 * f16, so that a kernel that reads out of bounds gets a wrong result. It is not
 * the poison of results, which a kernel may copy.
 */
enum { GUARD_PATTERN = 0xfe };

void memory_init(struct memory *memory, const struct device *device, uint64_t limit_bytes)
{
	*memory = (struct memory){.device = device, .limit_bytes = limit_bytes};
}

int memory_make_replaceable(struct memory *memory, uint64_t seed, struct error *err)
{
	/* Half of the device is for blocks. The rest is for code, counters and libraries, too. */
	return page_source_open(&memory->source, memory->device, seed, memory->limit_bytes / 4,
				err);
}

static size_t used_bytes(const struct memory_block *block)
{
	return block->pages.bytes ? block->pages.bytes : block->bytes;
}

static void block_free(struct memory *memory, struct memory_block *block)
{
	memory->used_bytes -= used_bytes(block);
	if (block->pages.bytes)
		pages_free(&memory->source, block->base, &block->pages);
	else
		memory->device->driver.cuMemFree(block->base);
	free(block->key);
	free(block);
}

void memory_release(struct memory *memory)
{
	for (size_t i = 0; i < memory->count; i++)
		block_free(memory, memory->blocks[i]);
	free(memory->blocks);
	page_source_close(&memory->source);
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

bool memory_make_room(struct memory *memory)
{
	return page_source_trim(&memory->source) || evict_oldest(memory);
}

static int write_guard(const struct memory *memory, CUdeviceptr zone, size_t bytes,
		       struct error *err)
{
	const struct device *device = memory->device;

	return bytes ? cuda_check(&device->driver,
				  device->driver.cuMemsetD8Async(zone, GUARD_PATTERN, bytes,
								 device->stream),
				  err, "writing a guard zone")
		     : 0;
}

int memory_write_guards(const struct memory *memory, const struct memory_block *block,
			struct error *err)
{
	int rc = write_guard(memory, block->base, block->guard_before, err);

	return rc ? rc : write_guard(memory, block->data + block->bytes, block->guard_after, err);
}

static CUresult try_allocate(struct memory *memory, bool scratch, size_t bytes,
			     struct memory_block *block)
{
	const size_t all = bytes + 2 * MEMORY_GUARD_BYTES;

	if (memory->source.granule && (scratch || bytes >= MEMORY_MOVED_BYTES)) {
		const CUresult result =
			pages_allocate(&memory->source, all, &block->base, &block->pages);

		if (result == CUDA_SUCCESS || result == CUDA_ERROR_OUT_OF_MEMORY)
			return result;
	}
	return memory->device->driver.cuMemAlloc(&block->base, all);
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
		result = try_allocate(memory, !key, bytes, block);
	} while (result == CUDA_ERROR_OUT_OF_MEMORY && memory_make_room(memory));
	rc = cuda_check(driver, result, err, "cuMemAlloc");
	if (rc) {
		char size[32];

		free(block);
		format_bytes(size, (double)bytes);
		return error_context(err, rc, "allocating %s on the device", size);
	}
	block->guard_before = block->guard_after = MEMORY_GUARD_BYTES;
	block->data = block->base + block->guard_before;
	block->bytes = bytes;
	block->key = key ? xstrdup(key) : NULL;
	memory->blocks = xgrow(memory->blocks, &memory->capacity, memory->count + 1, sizeof(block));
	memory->blocks[memory->count++] = block;
	memory->used_bytes += used_bytes(block);
	rc = memory_write_guards(memory, block, err);
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

struct memory_block *memory_block_at(const struct memory *memory, CUdeviceptr data)
{
	for (size_t i = 0; i < memory->count; i++)
		if (memory->blocks[i]->data == data)
			return memory->blocks[i];
	return NULL;
}

int memory_replace_pages(struct memory *memory, struct memory_block *const *blocks, size_t count,
			 size_t *replaced, struct error *err)
{
	bool goes_on = true;
	int rc = device_synchronise(memory->device, err, "before device memory is moved");

	*replaced = 0;
	for (size_t i = 0; i < count && rc == 0 && goes_on; i++) {
		rc = pages_replace(&memory->source, blocks[i]->base, &blocks[i]->pages, &goes_on,
				   err);
		*replaced += goes_on;
	}
	return rc;
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
	const struct {
		CUdeviceptr data;
		size_t bytes;
	} zones[] = {{block->base, block->guard_before},
		     {block->data + block->bytes, block->guard_after}};
	bool clean = true;

	for (size_t zone = 0; zone < ARRAY_SIZE(zones); zone++) {
		unsigned char bytes[MEMORY_GUARD_BYTES];
		int rc = zones[zone].bytes
				 ? cuda_check(driver,
					      driver->cuMemcpyDtoH(bytes, zones[zone].data,
								   zones[zone].bytes),
					      err, "reading a guard zone")
				 : 0;

		if (rc)
			return rc;
		for (size_t i = 0; i < zones[zone].bytes; i++)
			clean = clean && bytes[i] == GUARD_PATTERN;
	}
	*intact = clean;
	return clean ? 0 : memory_write_guards(memory, block, err);
}
