/*
 * tensor_map: the bytes of tensor maps (base/tensor_map.h) for the emulated device. A kernel gets
 * the 128 bytes of a map, usually as a parameter. They are opaque to it, so the emulator has a
 * layout of its own, which begins with a magic number.
 */
#ifndef EMULATOR_TENSOR_MAP_H
#define EMULATOR_TENSOR_MAP_H

#include "base/tensor_map.h"

/* PL_EUSAGE, as tensor_map_check(). */
int tensor_map_encode(unsigned char out[TENSOR_MAP_BYTES], const struct tensor_map *map,
		      struct error *err);
/* PL_EPARSE: the bytes are not a map. PL_EUSAGE: a map that breaks a rule of tensor_map_check().
 */
int tensor_map_decode(struct tensor_map *out, const unsigned char in[TENSOR_MAP_BYTES],
		      struct error *err);

#endif
