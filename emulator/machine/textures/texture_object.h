/*
 * texture_object: the textures and surfaces of a device's memory, and the instructions on them.
 * Such an access is none of the load and store unit: it counts as an instruction, and its requests
 * and sectors are not counted. Internal to machine/.
 */
#ifndef EMULATOR_MACHINE_TEXTURES_TEXTURE_OBJECT_H
#define EMULATOR_MACHINE_TEXTURES_TEXTURE_OBJECT_H

#include "emulator/machine/machine.h"
#include "emulator/machine/memory/device_memory.h"
#include "emulator/texture.h"

#include <string.h>

/* ---- the textures and surfaces of a device's memory, and texels: texture_object.c ---- */

/* Handles lie where no allocation does. */
#define TEXTURE_HANDLES UINT64_C(0x0000300000000000)

struct texture_object {
	struct emulated_texture what;
	char *name;
	int64_t texel_bytes;
};

struct texture_list {
	struct texture_object *items;
	size_t count, capacity;
};

/* NULL: no object has this handle. */
const struct texture_object *texture_object_find(const struct device_memory *memory,
						 uint64_t handle);
/* The allocation that holds the texels. NULL: it was released. */
struct allocation *texture_object_memory(const struct device_memory *memory,
					 const struct texture_object *object);
/* The offset of a texel from the first one. The coordinates are within the object. */
static inline uint64_t texture_object_offset(const struct texture_object *object, int64_t x,
					     int64_t y, int64_t z)
{
	return (uint64_t)(((z * object->what.height + y) * object->what.width + x) *
			  object->texel_bytes);
}

unsigned texel_type_bytes(enum texel_type type);
bool texel_type_is_integer(enum texel_type type);
/* The four channels of a texel, as a texture instruction returns them: integers extended to 32
 * bits, floats as their bits, and channels that the format lacks as 0. */
void texel_read(uint32_t out[4], const struct texture_object *object, const unsigned char *from);
/* Stores channels as a formatted store does: each as the type of the texel. */
void texel_write(unsigned char *to, const struct texture_object *object, const uint32_t from[4]);
/* Half precision of the bits of a float, to nearest even. */
uint16_t texel_half(uint32_t bits);
/* The bits of a float, and the reverse. */
static inline uint32_t float_bits(float value)
{
	uint32_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

static inline float bits_float(uint32_t bits)
{
	float value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

/* What txq and suq return. */
uint32_t texture_property(const struct texture_object *object, enum texture_query query);

/* The handler of an instruction on textures or surfaces. NULL: it is none. */
instruction_handler *texture_handler(const struct instruction *instruction);

/* ---- what a texture instruction returns for one lane: texture_sample.c ---- */

/* The coordinates of a lane, as bits of floats or as integers. */
struct texture_place {
	uint32_t layer; /* of layered geometries */
	uint32_t at[3];
	bool integers;
};

/*
 * The four channels at a place: through the filter of the object (TEXTURE_SAMPLE), or one channel
 * of the four texels around it. `in` holds the texels; the sectors that are read are recorded in
 * it.
 */
void texture_sample(uint32_t out[4], const struct texture_object *object, struct allocation *in,
		    const struct texture_place *place, enum texture_kind kind);

#endif
