/*
 * Places memory of a capture. The driver takes an address as a hint only if it is a
 * multiple of 32 MiB, so memories that share such a unit are reserved together. It
 * maps whole granules, of 2 MiB on today's devices: those from the first memory of a
 * reservation to the last.
 */
#include "harness/workers/cuda/device_memory.h"

#include <stdlib.h>
#include <string.h>

#include "harness/workers/case_buffers.h"

/* On driver 580.159.04; every other hint was moved to the next multiple. */
#define HINT_BYTES ((size_t)32 << 20)

/* Units in a row that are reserved at once, and the granules in them that are mapped. */
struct placed_region {
	CUdeviceptr address, mapped;
	size_t bytes, mapped_bytes;
};

/* How the memory of a block was allocated, and so is freed. */
enum placed_kind { PLACED_NONE, PLACED_IN_REGION, PLACED_MANAGED, PLACED_ON_HOST };

struct placed_memory {
	const struct device *device;
	struct placed_region *regions;
	size_t region_count;
	struct memory_block *blocks; /* by buffer */
	enum placed_kind *kinds;     /* by buffer */
	void **host;                 /* by buffer; PLACED_ON_HOST: what the driver gave */
	size_t count;                /* of buffers */
};

/* Memory of the GPU that has an old address. */
struct placed_range {
	CUdeviceptr address;
	size_t bytes;
	size_t buffer;
};

static int by_old_address(const void *left, const void *right)
{
	const struct placed_range *a = left, *b = right;

	return (a->address > b->address) - (a->address < b->address);
}

/* ---- regions ---- */

/* Backs reserved addresses with memory. The handle is released at once: the mapping keeps the
 * memory until it is unmapped. */
static bool back_region(struct memory *memory, const struct placed_region *region)
{
	const struct cuda_driver *driver = &memory->device->driver;
	const CUmemAllocationProp properties = pages_properties(memory->device);
	struct device_pages pages = {.bytes = region->mapped_bytes};
	CUresult result;

	do {
		result = driver->cuMemCreate(&pages.handle, pages.bytes, &properties, 0);
	} while (result == CUDA_ERROR_OUT_OF_MEMORY && memory_make_room(memory));
	if (result != CUDA_SUCCESS)
		return false;
	result = pages_map(memory->device, region->mapped, &pages);
	driver->cuMemRelease(pages.handle);
	return result == CUDA_SUCCESS;
}

/* Maps memory at exactly these addresses. The driver takes an address as a hint only. */
static bool map_region(struct memory *memory, const struct placed_region *region)
{
	const struct cuda_driver *driver = &memory->device->driver;
	CUdeviceptr got = 0;

	if (driver->cuMemAddressReserve(&got, region->bytes, 0, region->address, 0) != CUDA_SUCCESS)
		return false;
	if (got == region->address && back_region(memory, region))
		return true;
	driver->cuMemAddressFree(got, region->bytes);
	return false;
}

/* ---- blocks ---- */

static struct memory_block *add_block(struct placed_memory *placed, size_t buffer,
				      enum placed_kind kind, CUdeviceptr data, size_t bytes)
{
	struct memory_block *block = &placed->blocks[buffer];

	placed->kinds[buffer] = kind;
	*block = (struct memory_block){.base = data, .data = data, .bytes = bytes, .pinned = true};
	return block;
}

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/*
 * Gives the ranges of a region their blocks. What is left between them, and
 * before and after them, is guard zone; a gap between two belongs to both by
 * halves.
 */
static int add_blocks(struct placed_memory *placed, struct memory *memory,
		      const struct placed_region *region, const struct placed_range *ranges,
		      size_t count, struct memory_block **blocks, struct error *err)
{
	int rc = 0;

	for (size_t i = 0; i < count && rc == 0; i++) {
		const struct placed_range *range = &ranges[i];
		const CUdeviceptr end = range->address + range->bytes;
		const size_t before =
			i ? (range->address - ranges[i - 1].address - ranges[i - 1].bytes) / 2
			  : range->address - region->mapped;
		const size_t after = i + 1 < count ? (ranges[i + 1].address - end) / 2
						   : region->mapped + region->mapped_bytes - end;
		struct memory_block *block = add_block(placed, range->buffer, PLACED_IN_REGION,
						       range->address, range->bytes);

		block->guard_before = least(before, MEMORY_GUARD_BYTES);
		block->guard_after = least(after, MEMORY_GUARD_BYTES);
		block->base = block->data - block->guard_before;
		blocks[range->buffer] = block;
		rc = memory_write_guards(memory, block, err);
	}
	return rc;
}

static CUdeviceptr down_to_multiple(CUdeviceptr address, size_t unit)
{
	return address / unit * unit;
}

static CUdeviceptr up_to_multiple(CUdeviceptr address, size_t unit)
{
	return down_to_multiple(address + unit - 1, unit);
}

static struct placed_region region_of(const struct placed_range *ranges, size_t count, size_t unit,
				      size_t granule)
{
	const CUdeviceptr begin = ranges[0].address,
			  end = ranges[count - 1].address + ranges[count - 1].bytes;

	return (struct placed_region){
		.address = down_to_multiple(begin, unit),
		.bytes = up_to_multiple(end, unit) - down_to_multiple(begin, unit),
		.mapped = down_to_multiple(begin, granule),
		.mapped_bytes = up_to_multiple(end, granule) - down_to_multiple(begin, granule),
	};
}

/* The ranges ascend, and no two overlap. Those of a region that cannot be mapped get no blocks. */
static int place_ranges(struct placed_memory *placed, struct memory *memory, size_t granule,
			const struct placed_range *ranges, size_t count,
			struct memory_block **blocks, struct error *err)
{
	const size_t unit = up_to_multiple(HINT_BYTES, granule);
	int rc = 0;

	for (size_t first = 0, next; first < count && rc == 0; first = next) {
		struct placed_region region = region_of(&ranges[first], 1, unit, granule);

		for (next = first + 1;
		     next < count && ranges[next].address < region.address + region.bytes; next++)
			region = region_of(&ranges[first], next + 1 - first, unit, granule);
		if (!map_region(memory, &region))
			continue;
		placed->regions[placed->region_count++] = region;
		rc = add_blocks(placed, memory, &region, &ranges[first], next - first, blocks, err);
	}
	return rc;
}

static bool is_of_kind(const struct case_capture *from, size_t buffer,
		       enum capture_memory_kind kind)
{
	const struct capture_memory *memory = case_capture_memory(from, buffer);

	return memory && memory->kind == kind;
}

static int place_at_old_addresses(struct placed_memory *placed, struct memory *memory,
				  const struct case_capture *from, struct memory_block **blocks,
				  struct error *err)
{
	const CUmemAllocationProp properties = pages_properties(memory->device);
	struct placed_range *ranges = xcalloc(placed->count + 1, sizeof(*ranges));
	size_t count = 0, kept = 0, granule = 0;
	int rc = 0;

	for (size_t b = 0; b < placed->count; b++)
		if (!blocks[b] && is_of_kind(from, b, CAPTURE_DEVICE))
			ranges[count++] = (struct placed_range){
				case_capture_memory(from, b)->address,
				(size_t)case_capture_memory(from, b)->bytes, b};
	qsort(ranges, count, sizeof(*ranges), by_old_address);
	/* drops a memory that two buffers have */
	for (size_t i = 0; i < count; i++)
		if (!kept || ranges[i].address >= ranges[kept - 1].address + ranges[kept - 1].bytes)
			ranges[kept++] = ranges[i];
	if (kept &&
	    memory->device->driver.cuMemGetAllocationGranularity(
		    &granule, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM) == CUDA_SUCCESS &&
	    granule)
		rc = place_ranges(placed, memory, granule, ranges, kept, blocks, err);
	free(ranges);
	return rc;
}

/* ---- managed memory and memory of the host ---- */

static void place_on_host(struct placed_memory *placed, const struct case_capture *from, size_t b,
			  struct memory_block **blocks)
{
	const struct cuda_driver *driver = &placed->device->driver;
	const size_t bytes = (size_t)case_capture_memory(from, b)->bytes;
	CUdeviceptr data;
	void *host;

	if (driver->cuMemHostAlloc(&host, bytes, CU_MEMHOSTALLOC_DEVICEMAP) != CUDA_SUCCESS)
		return;
	if (driver->cuMemHostGetDevicePointer(&data, host, 0) != CUDA_SUCCESS) {
		driver->cuMemFreeHost(host);
		return;
	}
	placed->host[b] = host;
	blocks[b] = add_block(placed, b, PLACED_ON_HOST, data, bytes);
}

int placed_memory_acquire(struct placed_memory **out, struct memory *memory,
			  const struct launch_case *work, const struct case_capture *from,
			  struct memory_block **blocks, struct error *err)
{
	struct placed_memory *placed = xcalloc(1, sizeof(*placed));
	int rc;

	*placed = (struct placed_memory){
		.device = memory->device,
		.regions = xcalloc(work->buffer_count + 1, sizeof(*placed->regions)),
		.blocks = xcalloc(work->buffer_count + 1, sizeof(*placed->blocks)),
		.kinds = xcalloc(work->buffer_count + 1, sizeof(*placed->kinds)),
		.host = xcalloc(work->buffer_count + 1, sizeof(void *)),
		.count = work->buffer_count,
	};
	for (size_t b = 0; b < work->buffer_count; b++) {
		CUdeviceptr data;

		if (!blocks[b] && is_of_kind(from, b, CAPTURE_HOST))
			place_on_host(placed, from, b, blocks);
		else if (!blocks[b] && is_of_kind(from, b, CAPTURE_MANAGED) &&
			 memory->device->driver.cuMemAllocManaged(
				 &data, case_buffer_bytes(&work->buffers[b]),
				 CU_MEM_ATTACH_GLOBAL) == CUDA_SUCCESS)
			blocks[b] = add_block(placed, b, PLACED_MANAGED, data,
					      case_buffer_bytes(&work->buffers[b]));
	}
	rc = place_at_old_addresses(placed, memory, from, blocks, err);
	if (rc)
		placed_memory_release(placed);
	*out = rc ? NULL : placed;
	return rc;
}

void placed_memory_release(struct placed_memory *placed)
{
	const struct cuda_driver *driver;

	if (!placed)
		return;
	driver = &placed->device->driver;
	/* Unlike cuMemFree(), unmapping does not wait for kernels. */
	driver->cuStreamSynchronize(placed->device->stream);
	for (size_t b = 0; b < placed->count; b++) {
		if (placed->kinds[b] == PLACED_MANAGED)
			driver->cuMemFree(placed->blocks[b].data);
		else if (placed->kinds[b] == PLACED_ON_HOST)
			driver->cuMemFreeHost(placed->host[b]);
	}
	for (size_t i = 0; i < placed->region_count; i++) {
		driver->cuMemUnmap(placed->regions[i].mapped, placed->regions[i].mapped_bytes);
		driver->cuMemAddressFree(placed->regions[i].address, placed->regions[i].bytes);
	}
	free(placed->regions);
	free(placed->blocks);
	free(placed->kinds);
	free(placed->host);
	free(placed);
}
