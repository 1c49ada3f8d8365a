/*
 * Device memory of a worker: guarded blocks, kept and shared. Inputs and
 * expected results are the same for many cases, so they stay on the device
 * under a key until the room is needed; scratch blocks are reused by size.
 * Internal to harness/workers/cuda.
 *
 * Every block has a guard zone on both sides; memory_check_guards() tells
 * whether a kernel wrote there.
 */
#ifndef HARNESS_WORKERS_CUDA_DEVICE_MEMORY_H
#define HARNESS_WORKERS_CUDA_DEVICE_MEMORY_H

#include "harness/workers/cuda/device.h"

struct memory_block {
	char *key;        /* NULL: nobody's content */
	CUdeviceptr base; /* of the allocation */
	CUdeviceptr data; /* what kernels get */
	size_t bytes;     /* of data */
	bool pinned;      /* in use by the case at hand */
	bool kept;        /* the worker's own: pinned for good */
	uint64_t last_use;
};

struct memory {
	const struct device *device;
	struct memory_block **blocks;
	size_t count, capacity;
	uint64_t clock;
	uint64_t used_bytes;  /* of all blocks, without guards */
	uint64_t limit_bytes; /* beyond it nothing stays that is not in use */
};

/*
 * `limit_bytes` leaves room for what is not allocated here: code, counters, and
 * what an operation allocates for itself.
 */
void memory_init(struct memory *memory, const struct device *device, uint64_t limit_bytes);
void memory_release(struct memory *memory);
/*
 * A pinned block of `bytes`. With a key: the block of that key, *fresh false;
 * or a new one, *fresh true, that the caller fills. Without: any unused block.
 * Evicts unpinned blocks, least recently used first, beyond the limit and when the device is full.
 * PL_ENOMEM when it does not fit even then.
 */
int memory_acquire(struct memory *memory, const char *key, size_t bytes, struct memory_block **out,
		   bool *fresh, struct error *err);
/* The block stays pinned and keeps its content until memory_release(). */
void memory_keep(struct memory_block *block);
/* Everything but kept blocks becomes evictable; blocks without a key become reusable. */
void memory_unpin_all(struct memory *memory);
/* A keyed block whose filling failed must not be found again. */
void memory_forget(struct memory_block *block);
/* Nor any but the kept ones, after a kernel that wrote where it should not. */
void memory_forget_all(struct memory *memory);
/* *intact false if a guard byte changed; then they are restored. */
int memory_check_guards(const struct memory *memory, const struct memory_block *block, bool *intact,
			struct error *err);

#endif
