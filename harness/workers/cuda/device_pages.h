/*
 * device_pages: physical pages of the device behind addresses that stay the same
 * when the pages are replaced. Where pages lie in physical memory changes times by
 * up to a few percent, so a round is timed on several placements of its data.
 * Internal to harness/workers/cuda.
 */
#ifndef HARNESS_WORKERS_CUDA_DEVICE_PAGES_H
#define HARNESS_WORKERS_CUDA_DEVICE_PAGES_H

#include "harness/workers/cuda/device.h"

/* Physical memory. All zeroes: none. */
struct device_pages {
	CUmemGenericAllocationHandle handle;
	size_t bytes;       /* a multiple of the granule */
	CUdeviceptr window; /* a second address, at which they are filled; 0: none */
};

/* The properties of physical memory that is made for one device. */
CUmemAllocationProp pages_properties(const struct device *device);

/* Makes pages, and keeps pages that were replaced for later replacements. All zeroes: it makes
 * none. */
struct page_source {
	const struct device *device;
	size_t granule; /* bytes; 0: there are no pages to replace */
	uint64_t random;
	struct device_pages filler;  /* unused memory of random size, allocated before the newest
				      * pages: without it, pages that were freed soon return */
	struct device_pages *spares; /* the oldest first */
	size_t spare_count, spare_capacity;
	size_t filler_granules; /* of the filler, at most; 0: none is made */
	size_t spares_per_size; /* with so many spares of a size, no pages are made */
	uint64_t spare_bytes, spare_limit_bytes;
};

/* `seed` decides which pages are chosen. At most limit_bytes of spare pages are kept. Returns
 * PL_EUNSUPPORTED, with the reason, if the driver or the device cannot map memory. */
int page_source_open(struct page_source *source, const struct device *device, uint64_t seed,
		     uint64_t limit_bytes, struct error *err);
/* Accepts a source that was not opened. */
void page_source_close(struct page_source *source);
/* Frees the spare pages. False: there were none. Accepts a source that was not opened. */
bool page_source_trim(struct page_source *source);

/*
 * Reserves addresses for at least `bytes`, and maps new pages there. Returns the
 * result of the driver; after CUDA_ERROR_OUT_OF_MEMORY, the caller can free memory
 * and try again.
 */
CUresult pages_allocate(struct page_source *source, size_t bytes, CUdeviceptr *address,
			struct device_pages *out);
/* Waits for the device, unmaps the pages from their address, and frees both. */
void pages_free(struct page_source *source, CUdeviceptr address, struct device_pages *pages);
/*
 * Waits for the device, and puts other pages with the same content at the address.
 * *replaced is false if that was not possible, for want of memory mostly: nothing
 * has changed then. PL_EDEVICE: the device is lost, or the address has no memory any
 * more.
 */
int pages_replace(struct page_source *source, CUdeviceptr address, struct device_pages *pages,
		  bool *replaced, struct error *err);

#endif
