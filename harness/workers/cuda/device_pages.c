/*
 * Maps physical pages and replaces them. Unlike cuMemFree(), the driver's functions for mapping do
 * not wait for kernels, so each function here waits before it unmaps.
 */
#include "harness/workers/cuda/device_memory.h"

#include <stdlib.h>
#include <string.h>

#include "base/random.h"

/* The most granules of the filler. */
#define FILLER_GRANULES 64
/* More of one size would sample more placements, and hold more memory. */
#define SPARES_PER_SIZE 8

CUmemAllocationProp pages_properties(const struct device *device)
{
	return (CUmemAllocationProp){
		.type = CU_MEM_ALLOCATION_TYPE_PINNED,
		.location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = (int)device->handle},
	};
}

static size_t choose_below(struct page_source *source, size_t count)
{
	return (size_t)(random_next(&source->random) % count);
}

/* ---- the source ---- */

int page_source_open(struct page_source *source, const struct device *device, uint64_t seed,
		     uint64_t limit_bytes, struct error *err)
{
	const struct cuda_driver *driver = &device->driver;
	const CUmemAllocationProp properties = pages_properties(device);
	size_t granule = 0;
	int supported = 0;

	*source = (struct page_source){0};
	if (driver->cuDeviceGetAttribute(&supported,
					 CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED,
					 device->handle) != CUDA_SUCCESS ||
	    !supported)
		return error_set(err, PL_EUNSUPPORTED, "the device cannot map memory");
	if (driver->cuMemGetAllocationGranularity(
		    &granule, &properties, CU_MEM_ALLOC_GRANULARITY_RECOMMENDED) != CUDA_SUCCESS ||
	    !granule)
		return error_set(err, PL_EUNSUPPORTED, "the driver names no size of its pages");
	*source = (struct page_source){
		.device = device,
		.granule = granule,
		.random = seed,
		.filler_granules = FILLER_GRANULES,
		.spares_per_size = SPARES_PER_SIZE,
		.spare_limit_bytes = limit_bytes,
	};
	return 0;
}

CUresult pages_map(const struct device *device, CUdeviceptr address,
		   const struct device_pages *pages)
{
	const struct cuda_driver *driver = &device->driver;
	const CUmemAccessDesc access = {.location = pages_properties(device).location,
					.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
	CUresult result = driver->cuMemMap(address, pages->bytes, 0, pages->handle, 0);

	if (result != CUDA_SUCCESS)
		return result;
	result = driver->cuMemSetAccess(address, pages->bytes, &access, 1);
	if (result != CUDA_SUCCESS)
		driver->cuMemUnmap(address, pages->bytes);
	return result;
}

static CUresult create(const struct page_source *source, size_t bytes, struct device_pages *out)
{
	const CUmemAllocationProp properties = pages_properties(source->device);
	CUmemGenericAllocationHandle handle;
	CUresult result = source->device->driver.cuMemCreate(&handle, bytes, &properties, 0);

	if (result == CUDA_SUCCESS)
		*out = (struct device_pages){.handle = handle, .bytes = bytes};
	return result;
}

/* Frees pages that have no address but their window. Accepts none. */
static void release(const struct page_source *source, struct device_pages *pages)
{
	const struct cuda_driver *driver = &source->device->driver;

	if (pages->window) {
		driver->cuMemUnmap(pages->window, pages->bytes);
		driver->cuMemAddressFree(pages->window, pages->bytes);
	}
	if (pages->bytes)
		driver->cuMemRelease(pages->handle);
	*pages = (struct device_pages){0};
}

static void remove_spare(struct page_source *source, size_t index)
{
	source->spare_bytes -= source->spares[index].bytes;
	source->spare_count--;
	memmove(&source->spares[index], &source->spares[index + 1],
		(source->spare_count - index) * sizeof(*source->spares));
}

static void release_oldest_spare(struct page_source *source)
{
	struct device_pages oldest = source->spares[0];

	remove_spare(source, 0);
	release(source, &oldest);
}

bool page_source_trim(struct page_source *source)
{
	const bool any = source->spare_count || source->filler.bytes;

	while (source->spare_count)
		release_oldest_spare(source);
	if (source->filler.bytes)
		release(source, &source->filler);
	return any;
}

void page_source_close(struct page_source *source)
{
	if (!source->device)
		return;
	page_source_trim(source);
	free(source->spares);
	*source = (struct page_source){0};
}

/* ---- pages at an address ---- */

CUresult pages_allocate(struct page_source *source, size_t bytes, CUdeviceptr *address,
			struct device_pages *out)
{
	const struct cuda_driver *driver = &source->device->driver;
	const size_t mapped = (bytes + source->granule - 1) / source->granule * source->granule;
	struct device_pages pages = {0};
	CUdeviceptr reserved = 0;
	CUresult result = create(source, mapped, &pages);

	if (result != CUDA_SUCCESS)
		return result;
	result = driver->cuMemAddressReserve(&reserved, mapped, 0, 0, 0);
	if (result == CUDA_SUCCESS) {
		result = pages_map(source->device, reserved, &pages);
		if (result != CUDA_SUCCESS)
			driver->cuMemAddressFree(reserved, mapped);
	}
	if (result != CUDA_SUCCESS) {
		release(source, &pages);
		return result;
	}
	*address = reserved;
	*out = pages;
	return CUDA_SUCCESS;
}

void pages_free(struct page_source *source, CUdeviceptr address, struct device_pages *pages)
{
	const struct cuda_driver *driver = &source->device->driver;
	const size_t bytes = pages->bytes;

	driver->cuStreamSynchronize(source->device->stream);
	driver->cuMemUnmap(address, bytes);
	driver->cuMemAddressFree(address, bytes);
	release(source, pages);
}

/* ---- replacing ---- */

static bool take_spare(struct page_source *source, size_t bytes, struct device_pages *out)
{
	size_t count = 0, chosen;

	for (size_t i = 0; i < source->spare_count; i++)
		count += source->spares[i].bytes == bytes;
	if (!count || count < source->spares_per_size)
		return false;
	chosen = choose_below(source, count);
	for (size_t i = 0;; i++) {
		if (source->spares[i].bytes != bytes || chosen--)
			continue;
		*out = source->spares[i];
		remove_spare(source, i);
		return true;
	}
}

/* Makes pages after a filler of another size, so that they lie elsewhere. */
static bool make_elsewhere(struct page_source *source, size_t bytes, struct device_pages *out)
{
	struct device_pages filler = {0};

	/* If it fails, the place may be an old one. */
	if (source->filler_granules)
		create(source,
		       (1 + choose_below(source, source->filler_granules)) * source->granule,
		       &filler);
	release(source, &source->filler);
	source->filler = filler;
	return create(source, bytes, out) == CUDA_SUCCESS;
}

static bool open_window(const struct page_source *source, struct device_pages *pages)
{
	const struct cuda_driver *driver = &source->device->driver;
	CUdeviceptr window = 0;

	if (pages->window)
		return true;
	if (driver->cuMemAddressReserve(&window, pages->bytes, 0, 0, 0) != CUDA_SUCCESS)
		return false;
	if (pages_map(source->device, window, pages) == CUDA_SUCCESS) {
		pages->window = window;
		return true;
	}
	driver->cuMemAddressFree(window, pages->bytes);
	return false;
}

int pages_replace(struct page_source *source, CUdeviceptr address, struct device_pages *pages,
		  bool *replaced, struct error *err)
{
	const struct device *device = source->device;
	const struct cuda_driver *driver = &device->driver;
	struct device_pages other = {0};
	bool mapped = false;
	int rc = 0;

	*replaced = false;
	if (!take_spare(source, pages->bytes, &other) &&
	    !make_elsewhere(source, pages->bytes, &other) &&
	    !(page_source_trim(source) && make_elsewhere(source, pages->bytes, &other)))
		return 0;
	if (open_window(source, &other)) {
		rc = cuda_check(driver,
				driver->cuMemcpyDtoDAsync(other.window, address, other.bytes,
							  device->stream),
				err, "moving device memory");
		if (rc == 0)
			rc = device_synchronise(device, err, "moving device memory");
	}
	if (rc == 0 && other.window && driver->cuMemUnmap(address, pages->bytes) == CUDA_SUCCESS) {
		mapped = pages_map(source->device, address, &other) == CUDA_SUCCESS;
		if (!mapped)
			rc = cuda_check(driver, pages_map(source->device, address, pages), err,
					"mapping device memory at its address again");
	}
	if (!mapped) {
		release(source, &other);
		return rc ? PL_EDEVICE : 0;
	}
	source->spares = xgrow(source->spares, &source->spare_capacity, source->spare_count + 1,
			       sizeof(*source->spares));
	source->spares[source->spare_count++] = *pages;
	source->spare_bytes += pages->bytes;
	while (source->spare_bytes > source->spare_limit_bytes)
		release_oldest_spare(source);
	*pages = other;
	*replaced = true;
	return 0;
}
