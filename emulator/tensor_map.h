/*
 * tensor_map: the bytes of tensor maps (base/tensor_map.h) for the emulated device. A kernel gets
 * the 128 bytes of a map, usually as a parameter. They are opaque to it, so the emulator has a
 * layout of its own, which begins with a magic number.
 */
#ifndef EMULATOR_TENSOR_MAP_H
#define EMULATOR_TENSOR_MAP_H

#include "base/tensor_map.h"

/* What tensormap.replace changes. */
enum tensor_field {
	FIELD_ADDRESS,
	FIELD_RANK, /* less 1 */
	FIELD_BOX,
	FIELD_SIZE,
	FIELD_STRIDE, /* bytes, of dimension ordinal + 1 */
	FIELD_STEP,
	FIELD_TYPE, /* a number of PTX */
	FIELD_INTERLEAVE,
	FIELD_SWIZZLE,
	FIELD_FILL, /* 1: NaN */
};

/* PL_EUSAGE, as tensor_map_check(). */
int tensor_map_encode(unsigned char out[TENSOR_MAP_BYTES], const struct tensor_map *map,
		      struct error *err);
/* PL_EPARSE: the bytes are not a map. PL_EUSAGE: a map that breaks a rule of
 * tensor_map_check_changed(), which a kernel has changed. */
int tensor_map_decode(struct tensor_map *out, const unsigned char in[TENSOR_MAP_BYTES],
		      struct error *err);

/*
 * Changes a field in the bytes of a map. `ordinal`: the dimension, of fields with one for each.
 * Bytes that are all zero become a map. The map can break rules until the last of its fields is
 * changed. Returns NULL, or why there is no change: the bytes are no tiled map, or the field cannot
 * have the value.
 */
const char *tensor_map_replace(unsigned char map[TENSOR_MAP_BYTES], enum tensor_field field,
			       unsigned ordinal, uint64_t value);

#endif
