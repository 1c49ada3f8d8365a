/*
 * texture: a buffer that a kernel reads through a texture object, or accesses
 * through a surface object. The texels lie in the buffer one after another: rows
 * of a width, then slices or layers. The type of the buffer is that of a channel.
 */
#ifndef KERNELS_TEXTURE_H
#define KERNELS_TEXTURE_H

#include "base/base.h"

/* What a coordinate outside of a texture means; names as in CUDA. */
#define TEXTURE_ADDRESS_LIST(X)             \
	X(TEXTURE_ADDRESS_CLAMP, "clamp")   \
	X(TEXTURE_ADDRESS_BORDER, "border") \
	X(TEXTURE_ADDRESS_WRAP, "wrap")     \
	X(TEXTURE_ADDRESS_MIRROR, "mirror")
enum texture_address {
#define X(symbol, name) symbol,
	TEXTURE_ADDRESS_LIST(X)
#undef X
};

#define TEXTURE_DIMENSIONS 3

struct texture_reading {
	bool surface;
	bool fetch;            /* plain memory: one dimension, no filter, for tex1Dfetch() */
	bool layered;          /* the last of the sizes counts layers */
	bool cube;             /* width, height, and faces: 6, or 6 per layer */
	bool linear;           /* filter; else the nearest texel */
	bool normalized;       /* coordinates from 0 to 1; else they count texels */
	bool normalized_float; /* integers of 8 and 16 bits are read as 0 to 1 or -1 to 1 */
	int channels;          /* elements of the buffer per texel: 1, 2 or 4 */
	enum texture_address address[TEXTURE_DIMENSIONS];
};

/* In a descriptor. */
struct kernel_texture {
	struct texture_reading reading;
	const char *sizes[TEXTURE_DIMENSIONS]; /* expressions, in texels */
	size_t dimensions;                     /* how many of them there are, from 1 */
};

/* In a case. Invariant: the texels do not exceed the buffer. */
struct case_texture {
	struct texture_reading reading;
	int64_t sizes[TEXTURE_DIMENSIONS]; /* 1 beyond `dimensions` */
	size_t dimensions;
};
/* Appends all that tells two textures of a buffer apart: " 2d 64x32 x4 linear wrap wrap". */
void case_texture_describe(struct text *out, const struct case_texture *texture);
const char *texture_address_name(enum texture_address address);
bool texture_address_parse(enum texture_address *out, const char *name);

#endif
