/*
 * copies_slices: what the cases of interleaved layouts share. Dimension 0 of such a tensor counts
 * slices of 16 or 32 bytes. Each half word of the tensor, or of the shared memory that is stored,
 * differs from all others, so that a result tells where it comes from.
 */
#ifndef TESTS_EMULATOR_COPIES_SLICES_H
#define TESTS_EMULATOR_COPIES_SLICES_H

#include "copies.h"

/* Words of the output before those that a load shows: whether the copy ended, and how many steps
 * of 16 bytes it left of those that the mbarrier awaited: SLICE_AWAITED_BYTES. */
#define SLICE_TOLD 2
#define SLICE_AWAITED_BYTES 65536
#define SLICE_SHARED_BYTES 32768 /* enough for all boxes */

/* A tensor with gaps behind its rows, which fits in `in`. `slice`: 16 or 32 bytes. The box moves
 * whole multiples of a slice, counted in elements. 3 to 5 dimensions. */
struct tensor_map slices_of(unsigned slice, enum tensor_type type, unsigned rank);

/* Loads to the shared memory, which is shown as a whole. Takes over `name`. */
struct copy_case *slices_load(struct copy_list *list, char *name, const struct tensor_map *map,
			      unsigned slice, const char *coordinates);
/* Stores the shared memory from its first byte on; the tensor is in `out`. `operation`: of a
 * reduction, or "". */
struct copy_case *slices_store(struct copy_list *list, char *name, const struct tensor_map *map,
			       unsigned slice, const char *operation, const char *coordinates);
/* Loads in im2col mode. */
struct copy_case *slices_load_pixels(struct copy_list *list, char *name,
				     const struct tensor_map *map, unsigned slice,
				     const char *coordinates, const char *offsets);
/* Loads or stores in tiled mode with a map that thread 0 changes before, in the second area
 * (copies_changes.h). `slice`: of the map before; 0: it is not interleaved. `rank`: behind. */
struct copy_case *slices_load_changed(struct copy_list *list, char *name,
				      const struct tensor_map *map, unsigned slice,
				      const char *changes, unsigned rank, const char *coordinates);
struct copy_case *slices_store_changed(struct copy_list *list, char *name,
				       const struct tensor_map *map, unsigned slice,
				       const char *changes, const char *operation,
				       const char *coordinates);

#endif
