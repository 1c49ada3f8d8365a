/*
 * texture_sample: what a texture instruction returns for one lane. Internal to machine/.
 */
#ifndef EMULATOR_MACHINE_TEXTURES_TEXTURE_SAMPLE_H
#define EMULATOR_MACHINE_TEXTURES_TEXTURE_SAMPLE_H

#include "emulator/machine/textures/texture_object.h"

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
