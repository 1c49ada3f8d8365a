/*
 * device_memory: the worker's blocks of device memory. Many cases use the same
 * inputs and expected results, so these blocks have a key and stay on the device
 * until their memory is needed. Blocks without a key are scratch memory and are
 * reused by size. Internal to harness/workers/cuda.
 *
 * Every block has a guard zone on both sides; only placed memory may have none.
 * memory_check_guards() reports whether a kernel wrote there.
 *
 * After memory_make_replaceable(), the physical pages of large blocks and of scratch
 * memory can be replaced. Their addresses, content and guard zones stay.
 */
#ifndef HARNESS_WORKERS_CUDA_DEVICE_MEMORY_H
#define HARNESS_WORKERS_CUDA_DEVICE_MEMORY_H

#include "harness/workers/case_capture.h"
#include "harness/workers/cuda/device.h"

/*
 * ---- physical pages: device_pages.c ----
 *
 * Pages of the device behind addresses that stay the same when the pages are replaced. Where pages
 * lie in physical memory changes times by up to a few percent, so a round is timed on several
 * placements of its data.
 */

/* Physical memory. All zeroes: none. */
struct device_pages {
	CUmemGenericAllocationHandle handle;
	size_t bytes;       /* a multiple of the granule */
	CUdeviceptr window; /* a second address, at which they are filled; 0: none */
};

/* The properties of physical memory that is made for one device. */
CUmemAllocationProp pages_properties(const struct device *device);
/* Maps pages at reserved addresses, where the device may read and write them. */
CUresult pages_map(const struct device *device, CUdeviceptr address,
		   const struct device_pages *pages);

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

/* The size of a guard zone. The driver aligns data to 256 bytes; a multiple of 256 keeps that. */
#define MEMORY_GUARD_BYTES 512
/* Smaller blocks are not moved: they stay in the L2, and moving them costs as much as large ones.
 * With a key, they share pages, as in a program. Scratch memory has pages of its own at any size,
 * because kernels write it: where the counters of atomic operations begin in a page changes times
 * by up to 80 % (docs/results/log.md), so they begin at the same place in every worker. */
#define MEMORY_MOVED_BYTES ((size_t)1 << 20)

struct memory_block {
	char *key;                        /* names the content; NULL: scratch memory */
	CUdeviceptr base;                 /* start of the allocation */
	CUdeviceptr data;                 /* what kernels get, after the first guard zone */
	size_t bytes;                     /* of data */
	size_t guard_before, guard_after; /* bytes of the guard zones */
	bool pinned;                      /* in use by the current case */
	bool kept; /* pinned, with its content, until memory_release(); set by who acquired it */
	uint64_t last_use;         /* value of memory.clock */
	struct device_pages pages; /* mapped at base; none: they cannot be replaced */
};

struct memory {
	const struct device *device;
	struct memory_block **blocks;
	size_t count, capacity;
	uint64_t clock;            /* counts calls of memory_acquire() */
	uint64_t used_bytes;       /* of all blocks: their pages, or their data without guards */
	uint64_t limit_bytes;      /* above it, blocks that are not in use are evicted */
	struct page_source source; /* of the pages of blocks; not open: they have none */
};

/*
 * `limit_bytes` must leave room for other allocations: code, counters, and the
 * memory that an operation allocates itself.
 */
void memory_init(struct memory *memory, const struct device *device, uint64_t limit_bytes);
void memory_release(struct memory *memory);
/* From here on, new blocks that are large or scratch memory get pages that can be replaced. `seed`
 * and errors are those of page_source_open(). */
int memory_make_replaceable(struct memory *memory, uint64_t seed, struct error *err);
/* The block of which this is the data; NULL: none. */
struct memory_block *memory_block_at(const struct memory *memory, CUdeviceptr data);
/*
 * Waits for the device and gives other pages to blocks that have pages. *replaced is
 * the number of blocks that got some: fewer than `count` if memory is scarce.
 * PL_EDEVICE: the device is lost.
 */
int memory_replace_pages(struct memory *memory, struct memory_block *const *blocks, size_t count,
			 size_t *replaced, struct error *err);
/*
 * Returns a pinned block of `bytes`. With a key, it is the block of that key
 * (*fresh is false), or a new block that the caller fills (*fresh is true).
 * Without a key, it is any unused scratch block. Above the limit, and when the
 * device is full, unpinned blocks are evicted, the least recently used first.
 * Returns PL_ENOMEM if the block does not fit even then.
 */
int memory_acquire(struct memory *memory, const char *key, size_t bytes, struct memory_block **out,
		   bool *fresh, struct error *err);
/* Unpins all blocks except kept ones: they can be evicted, and scratch blocks can be reused. */
void memory_unpin_all(struct memory *memory);
/* Removes the key, so that no case finds a block that could not be filled. */
void memory_forget(struct memory_block *block);
/* Removes the keys of all blocks except kept ones, after a kernel wrote out of bounds. */
void memory_forget_all(struct memory *memory);
/* Frees memory of the device that no case uses: spare pages, or the block that was used least
 * recently. False: there is none. */
bool memory_make_room(struct memory *memory);
int memory_write_guards(const struct memory *memory, const struct memory_block *block,
			struct error *err);
/* Sets *intact to whether no guard byte changed. Restores changed guard zones. */
int memory_check_guards(const struct memory *memory, const struct memory_block *block, bool *intact,
			struct error *err);

/*
 * ---- memory of a capture as the program had it: placed_memory.c ----
 *
 * Memory of the GPU at its old address, where that is free, managed memory, and memory of the host.
 * An address within a content that the recorder did not find is then right, too.
 */

struct placed_memory;

/*
 * Sets blocks[b] for the buffers b with memory of the capture that have none and
 * that can be placed. The others stay NULL: the caller gives them ordinary memory,
 * and relocates. The blocks belong to *out, which is NULL if there is none.
 */
int placed_memory_acquire(struct placed_memory **out, struct memory *memory,
			  const struct launch_case *work, const struct case_capture *from,
			  struct memory_block **blocks, struct error *err);
/* Waits for the device and frees all blocks. Accepts NULL. */
void placed_memory_release(struct placed_memory *placed);

#endif
