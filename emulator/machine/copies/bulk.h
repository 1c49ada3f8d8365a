/*
 * bulk: cp.async.bulk and cp.reduce.async.bulk, by which a thread copies a row of bytes
 * between global and shared memory, and their tensor forms. Internal to emulator/.
 *
 * The bytes move when the thread issues the copy, and an mbarrier counts them at once. Who accesses
 * shared memory before the copy is complete gets a finding (bulk_pending.h).
 */
#ifndef EMULATOR_MACHINE_COPIES_BULK_H
#define EMULATOR_MACHINE_COPIES_BULK_H

#include "base/tensor_map.h"
#include "emulator/machine/barriers/mbarrier.h"
#include "emulator/machine/clusters/cluster.h"
#include "emulator/machine/copies/bulk_pending.h"
#include "emulator/machine/machine.h"
#include "emulator/machine/memory/device_memory.h"

/* Addresses and sizes are multiples of this. */
#define BULK_ALIGN_BYTES 16

/* Returns what an element of the destination becomes. */
typedef uint64_t bulk_combine(uint64_t old, uint64_t with, enum atomic_kind kind,
			      enum value_type type, bool global);

/* A copy of one lane. */
struct bulk_issue {
	struct warp *warp;
	const struct instruction *at;
	unsigned lane;
	const struct program_bulk_copy *copy;
	bulk_combine *combine; /* NULL: the copy stores */
	/* Not NULL: the copy moves undefined bits instead of values, counts nothing and signals
	 * nothing. Where the first of these bits was read. See undefined.h. */
	undefined_origin *origin;
};

/* A lane's value in a row; `narrow`: of 4 bytes, else 8. */
static inline uint64_t bulk_value(const struct bulk_issue *issue, uint32_t row, bool narrow)
{
	return lane_value(issue->warp, row, narrow ? 4 : 8, issue->lane);
}

/* An address, or an offset in shared memory. */
static inline uint64_t bulk_address_in(const struct bulk_issue *issue,
				       const struct bulk_address *of)
{
	uint64_t address = bulk_value(issue, of->row, of->narrow) + (uint64_t)of->offset;

	return of->space == PTX_SPACE_SHARED ? (uint32_t)address : address;
}

/* ---- the sides of a copy: bulk_memory.c ---- */

/* The accesses of a copy to global memory pass the check of it as accesses of its thread, and count
 * as touched sectors. They are no requests of a warp. Each copies bytes that lie together in one
 * allocation. STEP_STOPPED, with a finding: they lie outside, or the address is not a multiple of
 * `align`. */
enum step bulk_global_read(const struct bulk_issue *issue, uint64_t address, unsigned char *to,
			   uint32_t bytes, unsigned align);
enum step bulk_global_write(const struct bulk_issue *issue, uint64_t address,
			    const unsigned char *from, uint32_t bytes, unsigned align);

/* A destination in shared memory: of the own block, or of another one of the cluster. */
struct bulk_target {
	struct block *block;
	struct bulk_range range;
	uint32_t signal; /* address of the mbarrier, in the window shared::cluster */
	struct mbarrier_place mbarrier;
	uint32_t phase; /* of the mbarrier, which the bytes complete */
};

/* Several with .multicast::cluster, at the same offset of each block. */
struct bulk_targets {
	struct bulk_target items[CLUSTER_BLOCKS_MOST];
	unsigned count;
};

/*
 * Finds where the copy writes `bytes` bytes; their offset must be a multiple of `align`.
 * STEP_STOPPED, with a finding: they are not inside of shared memory, or no mbarrier is where the
 * copy is to signal it.
 */
enum step bulk_find_targets(struct bulk_targets *out, const struct bulk_issue *issue,
			    uint32_t bytes, unsigned align);
/* Writes the bytes to each target, and signals its mbarrier. `chunks`: which chunks of 16 bytes are
 * written, and counted; NULL: all. */
enum step bulk_write_targets(const struct bulk_issue *issue, const struct bulk_targets *targets,
			     const unsigned char *values, const bool *chunks);

/* Finds the source of `bytes` bytes in the own block. STEP_STOPPED as above. */
enum step bulk_find_source(struct bulk_pending *out, const struct bulk_issue *issue, uint32_t bytes,
			   unsigned align);
/* The values there, or their undefined bits. */
unsigned char *bulk_source_bytes(const struct bulk_issue *issue, const struct bulk_pending *source);
/* The copy from that source is issued: checks its reads. `target`: where its mbarrier is; NULL: it
 * belongs to the group of its thread. `chunks`: which chunks of 16 bytes are read; NULL: all. */
void bulk_source_pending(const struct bulk_issue *issue, const struct bulk_pending *source,
			 const struct bulk_target *target, const bool *chunks);

instruction_handler run_bulk_copy; /* OP_BULK_COPY */
/* OP_BULK_REDUCE; `combine` is of the lanes that the launch chose. */
enum step run_bulk_reduction(struct warp *warp, const struct instruction *at,
			     bulk_combine *combine);

/*
 * ---- cp.async.bulk.tensor and cp.reduce.async.bulk.tensor: tensor_copy.c ----
 *
 * A thread copies a box of a tensor between global and shared memory, or pixels in im2col mode.
 *
 * In shared memory the rows of the box lie side by side, the innermost dimension first. With a
 * swizzle, a row has exactly the bytes of its span, and bits of the offset in shared memory change
 * places: a 16-byte chunk is where bits 4 to 6 of its offset are combined with bits 7 to 9 (128
 * bytes; 4 and 5 with 7 and 8 for 64 bytes, 4 with 7 for 32). Elements outside of the tensor arrive
 * as 0 or NaN. They are not stored or reduced, except behind the last element of a row, to the
 * end of its 16-byte chunk.
 */

enum step tensor_copy_issue(const struct bulk_issue *issue);

/*
 * Where the rows lie in global memory that a tensor copy moves, one after another as they lie in
 * shared memory. A row is what the copy moves of dimension 0, or of interleaved images the slice of
 * a pixel.
 *
 * A tiled copy walks over its box, dimension 1 first, in the steps of the map. An im2col copy moves
 * a number of pixels. It walks over the bounding box in steps, the width first, from the pixel that
 * its coordinates name, and goes on at the lower corner of the next image, also by a step: recorded
 * (docs/results/ptx-copies.md). The offsets are added to each place, and only then it counts
 * whether the place is inside of the tensor.
 */

struct tensor_walk {
	const struct tensor_map *map;
	unsigned low; /* the first dimension that it walks in: 1; of interleaved images 0 */
	int64_t first[TENSOR_MOST_RANK], at[TENSOR_MOST_RANK]; /* without offsets */
	uint32_t offsets[TENSOR_MOST_RANK];
	uint32_t moved[TENSOR_MOST_RANK]; /* rows of a box, by dimension */
};

/* Begins at the first row. `offsets`: of the dimensions of an image; zeroes for others. */
void tensor_walk_begin(struct tensor_walk *out, const struct tensor_map *map,
		       const int32_t first[TENSOR_MOST_RANK],
		       const uint32_t offsets[TENSOR_IMAGE_MOST_RANK]);
/* The address of the row's element 0, which the copy may not move; of interleaved images, of the
 * slice that it moves. Returns false if the row is outside of the tensor. */
bool tensor_walk_locate(const struct tensor_walk *walk, uint64_t *address);
void tensor_walk_next(struct tensor_walk *walk);

/*
 * ---- how threads change tensor maps: tensormap_update.c ----
 *
 * A tensor copy reads its map by a proxy of its own. A map in global memory that a launch changes
 * needs a release after the change (tensormap.cp_fenceproxy has one) and then, by the threads that
 * copy with the map, fence.proxy.tensormap::generic.acquire on its address. The check takes one
 * acquire by any thread of a block for all of them. It does not see maps that plain stores or other
 * copies change.
 */

struct tensormap_updates;

instruction_handler run_map_replace, run_map_copy, run_map_fence;

/* Call before a lane of a checked block copies with the map at an address in global memory. Reports
 * a finding, which does not end the launch, if a fence is missing. */
void tensormap_updates_check(struct warp *warp, const struct instruction *at, int lane,
			     uint64_t address);
/* Call when the launch ends. */
void tensormap_updates_free(struct tensormap_updates *changes); /* NULL is allowed */

#endif
