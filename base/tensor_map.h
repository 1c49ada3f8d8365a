/*
 * tensor_map: what a tensor map says, and the rules of cuTensorMapEncodeTiled() and
 * cuTensorMapEncodeIm2col(), which make one. Tensor copies (cp.async.bulk.tensor) need it: it
 * describes a tensor in global memory, and the box that a copy moves to or from shared memory.
 *
 * Dimension 0 is the innermost one, whose elements lie side by side. In an interleaved layout, such
 * as NC/8HWC8, its elements are slices of 16 or 32 bytes, whatever their type, and the dimension
 * before the last one counts the slices of the channels. A copy moves one slice of that dimension,
 * whatever the size of its box: recorded (docs/results/ptx-copies.md).
 *
 * A map of the im2col mode has no box. Its dimension 0 are the channels of a pixel, its last one
 * the images of a batch, and those between the width, height and depth of an image. A copy moves
 * some pixels one after another: it walks over a bounding box in each image, and then in the next.
 * In an interleaved layout the dimensions of an image are the first ones, the slices of the
 * channels follow, and a copy moves one slice of each pixel, whatever its number of channels is.
 */
#ifndef BASE_TENSOR_MAP_H
#define BASE_TENSOR_MAP_H

#include "base/base.h"

#define TENSOR_MAP_BYTES 128
#define TENSOR_MAP_ALIGN 64
#define TENSOR_MOST_RANK 5
#define TENSOR_IM2COL_LEAST_RANK 3
#define TENSOR_IMAGE_MOST_RANK 3 /* width, height, depth */

/* Symbol, name, bytes; in the order of enum CUtensorMapDataType. Loads round to tf32; additions of
 * the _ftz types flush subnormals. */
#define TENSOR_TYPE_LIST(X)             \
	X(TENSOR_U8, "u8", 1)           \
	X(TENSOR_U16, "u16", 2)         \
	X(TENSOR_U32, "u32", 4)         \
	X(TENSOR_I32, "i32", 4)         \
	X(TENSOR_U64, "u64", 8)         \
	X(TENSOR_I64, "i64", 8)         \
	X(TENSOR_F16, "f16", 2)         \
	X(TENSOR_F32, "f32", 4)         \
	X(TENSOR_F64, "f64", 8)         \
	X(TENSOR_BF16, "bf16", 2)       \
	X(TENSOR_F32_FTZ, "f32_ftz", 4) \
	X(TENSOR_TF32, "tf32", 4)       \
	X(TENSOR_TF32_FTZ, "tf32_ftz", 4)
enum tensor_type {
#define X(symbol, name, bytes) symbol,
	TENSOR_TYPE_LIST(X)
#undef X
		TENSOR_TYPE_COUNT
};
const char *tensor_type_name(enum tensor_type type);
bool tensor_type_parse(enum tensor_type *out, const char *name);
unsigned tensor_type_bytes(enum tensor_type type);

/* In the order of enum CUtensorMapSwizzle. 16-byte chunks of shared memory change places within a
 * span of so many bytes. */
enum tensor_swizzle { SWIZZLE_NONE, SWIZZLE_32B, SWIZZLE_64B, SWIZZLE_128B, SWIZZLE_COUNT };
unsigned tensor_swizzle_bytes(enum tensor_swizzle swizzle); /* 0: none */

struct tensor_map {
	enum tensor_type type;
	unsigned rank;
	uint64_t address;                   /* of the first element */
	uint64_t sizes[TENSOR_MOST_RANK];   /* elements */
	uint64_t strides[TENSOR_MOST_RANK]; /* bytes, of the dimensions from 1 on; [0] is unused */
	uint32_t box[TENSOR_MOST_RANK];     /* elements that a copy walks over */
	/* Elements per step of the walk. [0] has an effect only in interleaved layouts. */
	uint32_t steps[TENSOR_MOST_RANK];
	/* The im2col mode uses these instead of `box`. The bounding box in dimension
	 * tensor_map_image_first() + i goes from element lower[i] to element size - 1 + upper[i].
	 */
	bool im2col;
	uint32_t channels, pixels; /* that a copy moves: elements of each pixel, and pixels */
	int32_t lower[TENSOR_IMAGE_MOST_RANK], upper[TENSOR_IMAGE_MOST_RANK];
	unsigned interleave; /* bytes of a slice of an interleaved layout: 16 or 32; 0: none */
	enum tensor_swizzle swizzle;
	unsigned promotion; /* bytes that the L2 fetches: 64, 128 or 256; 0: no more than needed */
	bool fills_nan;     /* elements outside are NaN; else 0 */
};

/* PL_EUSAGE: the driver would refuse the map; the message names the rule. */
int tensor_map_check(const struct tensor_map *map, struct error *err);
/* Checks a map that a kernel has changed: by the rules of copies, without those that only the
 * driver has. */
int tensor_map_check_changed(const struct tensor_map *map, struct error *err);

/* The bytes from one element of dimension 0 to the next: those of its type, or of a slice. */
unsigned tensor_map_unit_bytes(const struct tensor_map *map);
/* The elements that a copy moves along a dimension of a box. */
uint32_t tensor_map_count(const struct tensor_map *map, unsigned dimension);
/* The bytes that a copy moves of dimension 0, and all that it moves. */
uint32_t tensor_map_row_bytes(const struct tensor_map *map);
uint32_t tensor_map_box_bytes(const struct tensor_map *map);
/* How many dimensions an image has, of a map of the im2col mode, and which is the first of them. */
unsigned tensor_map_image_rank(const struct tensor_map *map);
unsigned tensor_map_image_first(const struct tensor_map *map);
/* The largest offset that a copy may give for such a dimension. */
unsigned tensor_map_most_offset(const struct tensor_map *map);
/* The bytes from the first element to the end of the last one. UINT64_MAX: more than that. The map
 * obeys the rules. */
uint64_t tensor_map_extent(const struct tensor_map *map);

#endif
