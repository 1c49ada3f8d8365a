/*
 * texture: textures and surfaces of the emulated device. An object describes texels that lie in an
 * allocation, row after row, as in a CUDA array that was copied from it. Kernels get its handle.
 *
 * Textures and surfaces give the results of a GPU (tests/golden/ptx/textures.txt.zst). Mipmaps do
 * not exist: an object has one level, and instructions that choose a level get that one.
 */
#ifndef EMULATOR_TEXTURE_H
#define EMULATOR_TEXTURE_H

#include "emulator/emulator.h"

/* Symbol, name, bytes of a channel. */
#define TEXEL_TYPE_LIST(X)     \
	X(TEXEL_U8, "u8", 1)   \
	X(TEXEL_I8, "i8", 1)   \
	X(TEXEL_U16, "u16", 2) \
	X(TEXEL_I16, "i16", 2) \
	X(TEXEL_U32, "u32", 4) \
	X(TEXEL_I32, "i32", 4) \
	X(TEXEL_F16, "f16", 2) \
	X(TEXEL_F32, "f32", 4)
enum texel_type {
#define X(symbol, name, bytes) symbol,
	TEXEL_TYPE_LIST(X)
#undef X
};

/* What a coordinate outside of the texture means. WRAP and MIRROR act as CLAMP if the coordinates
 * are not normalised, as in CUDA. */
enum address_mode { ADDRESS_CLAMP, ADDRESS_BORDER, ADDRESS_WRAP, ADDRESS_MIRROR };

struct emulated_texture {
	bool surface; /* for suld, sust and sured; filter, modes and coordinates do not matter */
	bool fetched; /* plain memory: 1D, no filter, coordinates are indices, 0 outside */
	enum texture_geometry geometry;
	uint64_t address;      /* of the first texel, in device memory */
	int64_t width, height; /* texels; height is 1 if the geometry has none */
	int64_t depth;         /* slices, layers, or faces: 6 per cube; else 1 */
	enum texel_type type;
	int channels;    /* 1, 2 or 4 */
	bool linear;     /* filter; else the nearest texel */
	bool normalised; /* coordinates from 0 to 1; else in texels */
	bool as_float;   /* 8- and 16-bit integers are read as 0 to 1 or -1 to 1 */
	enum address_mode modes[3];
};

/*
 * Adds an object and sets *handle, which stays valid until the memory is freed or
 * device_memory_release_textures() is called. `name` appears in findings. The texels must lie in
 * one allocation. PL_EUSAGE: CUDA would refuse the object, or the allocation is too small; the
 * message says what to change.
 */
int device_memory_add_texture(struct device_memory *memory, const struct emulated_texture *texture,
			      const char *name, uint64_t *handle, struct error *err);
void device_memory_release_textures(struct device_memory *memory);

#endif
