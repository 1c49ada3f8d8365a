/*
 * tensor_walk: where the rows lie in global memory that a tensor copy moves, one after another as
 * they lie in shared memory. A row is what the copy moves of dimension 0, or of interleaved images
 * the slice of a pixel. Internal to emulator/.
 *
 * A tiled copy walks over its box, dimension 1 first, in the steps of the map. An im2col copy moves
 * a number of pixels. It walks over the bounding box in steps, the width first, from the pixel that
 * its coordinates name, and goes on at the lower corner of the next image, also by a step: recorded
 * (docs/results/ptx-copies.md). The offsets are added to each place, and only then it counts
 * whether the place is inside of the tensor.
 */
#ifndef EMULATOR_MACHINE_COPIES_TENSOR_WALK_H
#define EMULATOR_MACHINE_COPIES_TENSOR_WALK_H

#include "base/tensor_map.h"

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

#endif
