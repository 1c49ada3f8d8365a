#include "emulator/machine/textures/texture_object.h"

#include <inttypes.h>
#include <string.h>

/* Limits of compute capability 9.0, in texels; DIM_1D is also that of linear memory's elements. */
#define MOST_FETCHED (INT64_C(1) << 28)
#define MOST_1D 131072
#define MOST_2D_WIDTH 131072
#define MOST_2D_HEIGHT 65536
#define MOST_3D 16384
#define MOST_LAYERED 32768
#define MOST_LAYERS 2048
#define FACES 6

unsigned texel_type_bytes(enum texel_type type)
{
	static const uint8_t bytes[] = {
#define X(symbol, name, bytes) bytes,
		TEXEL_TYPE_LIST(X)
#undef X
	};

	return bytes[type];
}

bool texel_type_is_integer(enum texel_type type)
{
	return type != TEXEL_F16 && type != TEXEL_F32;
}

/* ---- checking ---- */

static int check_size(const struct emulated_texture *what, const char *name, struct error *err)
{
	static const int64_t most[][3] = {
		[GEOMETRY_1D] = {MOST_1D, 1, 1},
		[GEOMETRY_2D] = {MOST_2D_WIDTH, MOST_2D_HEIGHT, 1},
		[GEOMETRY_3D] = {MOST_3D, MOST_3D, MOST_3D},
		[GEOMETRY_A1D] = {MOST_LAYERED, 1, MOST_LAYERS},
		[GEOMETRY_A2D] = {MOST_LAYERED, MOST_LAYERED, MOST_LAYERS},
		[GEOMETRY_CUBE] = {MOST_LAYERED, MOST_LAYERED, FACES},
		[GEOMETRY_ACUBE] = {MOST_LAYERED, MOST_LAYERED, MOST_LAYERS},
	};
	const int64_t *limits = most[what->geometry];
	const int64_t width =
		what->geometry == GEOMETRY_1D && what->fetched ? MOST_FETCHED : limits[0];
	const bool is_cube = what->geometry == GEOMETRY_CUBE || what->geometry == GEOMETRY_ACUBE;

	if (what->width < 1 || what->width > width || what->height < 1 ||
	    what->height > limits[1] || what->depth < 1 || what->depth > limits[2] ||
	    (is_cube && (what->height != what->width || what->depth % FACES)))
		return error_set(err, PL_EUSAGE,
				 "%s: no texture can have %" PRId64 " x %" PRId64 " x %" PRId64
				 " texels",
				 name, what->width, what->height, what->depth);
	return 0;
}

static int check_reading(const struct emulated_texture *what, const char *name, struct error *err)
{
	if (what->channels != 1 && what->channels != 2 && what->channels != 4)
		return error_set(err, PL_EUSAGE, "%s: a texel has 1, 2 or 4 channels, not %d", name,
				 what->channels);
	if (what->surface)
		return 0;
	if (what->as_float &&
	    (!texel_type_is_integer(what->type) || texel_type_bytes(what->type) > 2))
		return error_set(err, PL_EUSAGE,
				 "%s: only integers of 8 or 16 bits can be read as normalised "
				 "floats",
				 name);
	if (what->linear && texel_type_is_integer(what->type) && !what->as_float)
		return error_set(err, PL_EUSAGE,
				 "%s: a linear filter needs floats, or integers that are read as "
				 "normalised floats",
				 name);
	if (what->fetched && (what->geometry != GEOMETRY_1D || what->linear || what->normalised))
		return error_set(err, PL_EUSAGE,
				 "%s: plain memory is 1D and has neither a filter nor normalised "
				 "coordinates",
				 name);
	if ((what->geometry == GEOMETRY_CUBE || what->geometry == GEOMETRY_ACUBE) &&
	    !what->normalised)
		return error_set(err, PL_EUSAGE, "%s: the coordinates of a cube are normalised",
				 name);
	return 0;
}

static int check_texels(const struct device_memory *memory, const struct texture_object *object,
			struct error *err)
{
	const struct emulated_texture *what = &object->what;
	const struct allocation *in = device_memory_below(memory, what->address);
	uint64_t needed = (uint64_t)object->texel_bytes;
	bool over = __builtin_mul_overflow(needed, (uint64_t)what->width, &needed) ||
		    __builtin_mul_overflow(needed, (uint64_t)what->height, &needed) ||
		    __builtin_mul_overflow(needed, (uint64_t)what->depth, &needed);

	if (!in || what->address - in->address > in->bytes)
		return error_set(err, PL_EUSAGE, "%s: there is no memory at its address",
				 object->name);
	if (over || needed > in->bytes - (what->address - in->address))
		return error_set(err, PL_EUSAGE,
				 "%s: its texels need %" PRIu64 " bytes, but '%s' has %" PRIu64,
				 object->name, needed, in->name,
				 in->bytes - (what->address - in->address));
	return 0;
}

/* ---- the list ---- */

int device_memory_add_texture(struct device_memory *memory, const struct emulated_texture *texture,
			      const char *name, uint64_t *handle, struct error *err)
{
	struct texture_object object = {.what = *texture, .name = (char *)name};
	struct texture_list *list;
	int rc = check_size(texture, name, err);

	if (!rc)
		rc = check_reading(texture, name, err);
	if (rc)
		return rc;
	object.texel_bytes = (int64_t)texel_type_bytes(texture->type) * texture->channels;
	rc = check_texels(memory, &object, err);
	if (rc)
		return rc;
	if (!memory->textures)
		memory->textures = xcalloc(1, sizeof(*memory->textures));
	list = memory->textures;
	list->items = xgrow(list->items, &list->capacity, list->count + 1, sizeof(*list->items));
	object.name = xstrdup(name);
	list->items[list->count] = object;
	*handle = TEXTURE_HANDLES + ++list->count;
	return 0;
}

const struct texture_object *texture_object_find(const struct device_memory *memory,
						 uint64_t handle)
{
	const struct texture_list *list = memory->textures;

	return list && handle - TEXTURE_HANDLES - 1 < list->count
		       ? &list->items[handle - TEXTURE_HANDLES - 1]
		       : NULL;
}

struct allocation *texture_object_memory(const struct device_memory *memory,
					 const struct texture_object *object)
{
	struct allocation *in = device_memory_below(memory, object->what.address);
	struct error ignored;

	return in && check_texels(memory, object, &ignored) == 0 ? in : NULL;
}

/* ---- texels ---- */

static uint32_t half_to_bits(uint16_t half)
{
	uint32_t sign = (uint32_t)(half & 0x8000) << 16, rest = half & 0x7fff;

	if (rest >= 0x7c00)
		return sign | 0x7f800000 | (rest & 0x3ff) << 13;
	if (rest >= 0x400)
		return sign | ((rest << 13) + UINT32_C(0x38000000));
	return sign | float_bits((float)rest * 0x1p-24f);
}

/* An integer of `bits` bits as -1 to 1 or 0 to 1. The lowest signed one is -1, too. */
static uint32_t normalised_bits(int32_t value, unsigned bits, bool is_signed)
{
	float most = (float)((UINT32_C(1) << (is_signed ? bits - 1 : bits)) - 1);
	float out = (float)value / most;

	return float_bits(out < -1 ? -1.0f : out);
}

static uint32_t channel_bits(const struct emulated_texture *what, const unsigned char *from)
{
	uint16_t half = 0;
	uint32_t word = 0;
	int32_t value;

	switch (what->type) {
	case TEXEL_U8:
		value = from[0];
		break;
	case TEXEL_I8:
		value = (int8_t)from[0];
		break;
	case TEXEL_U16:
	case TEXEL_I16:
	case TEXEL_F16:
		memcpy(&half, from, sizeof(half));
		value = what->type == TEXEL_I16 ? (int16_t)half : half;
		break;
	default:
		memcpy(&word, from, sizeof(word));
		return word;
	}
	if (what->type == TEXEL_F16)
		return half_to_bits(half);
	if (what->as_float && !what->surface)
		return normalised_bits(value, 8 * texel_type_bytes(what->type),
				       what->type == TEXEL_I8 || what->type == TEXEL_I16);
	return (uint32_t)value;
}

void texel_read(uint32_t out[4], const struct texture_object *object, const unsigned char *from)
{
	const struct emulated_texture *what = &object->what;

	out[0] = out[1] = out[2] = out[3] = 0;
	for (int i = 0; i < what->channels; i++)
		out[i] = channel_bits(what, from + i * (int)texel_type_bytes(what->type));
}

uint16_t texel_half(uint32_t bits)
{
	uint32_t sign = bits >> 16 & 0x8000, rest = bits & 0x7fffffff, kept, left;
	float value;

	if (rest > 0x7f800000)
		return 0x7fff;
	if (rest >= 0x477ff000) /* rounds beyond the largest half */
		return (uint16_t)(sign | 0x7c00);
	if (rest < 0x38800000) { /* a subnormal half: adding 0.5 rounds to a multiple of 2^-24 */
		memcpy(&value, &rest, sizeof(value));
		return (uint16_t)(sign | (float_bits(value + 0.5f) - float_bits(0.5f)));
	}
	kept = (rest - UINT32_C(0x38000000)) >> 13;
	left = rest & 0x1fff;
	kept += left > 0x1000 || (left == 0x1000 && kept & 1);
	return (uint16_t)(sign | kept);
}

/* Cuts off to a half, towards zero, as a formatted store does: what is too large becomes the
 * largest half. A NaN keeps the upper bits of its payload; one without upper bits was not recorded.
 */
static uint16_t half_cut_off(uint32_t bits)
{
	const uint32_t sign = bits >> 16 & 0x8000, rest = bits & 0x7fffffff;
	const int exponent = (int)(rest >> 23) - 127;

	if (rest > 0x7f800000) {
		const uint32_t payload = rest >> 13 & 0x3ff;

		return (uint16_t)(sign | 0x7c00 | (payload ? payload : 0x200));
	}
	if (rest >= 0x47800000)
		return (uint16_t)(sign | (rest == 0x7f800000 ? 0x7c00 : 0x7bff));
	if (exponent >= -14)
		return (uint16_t)(sign | (rest - UINT32_C(0x38000000)) >> 13);
	/* a multiple of 2^-24 */
	return (uint16_t)(sign |
			  (exponent < -24 ? 0 : ((rest & 0x7fffff) | 0x800000) >> (-1 - exponent)));
}

/* The component of a texel; what it cannot hold becomes the nearest that it can. */
static uint32_t texel_component(enum texel_type type, uint32_t from)
{
	const bool narrow = type == TEXEL_U8 || type == TEXEL_I8;
	const uint32_t most = narrow ? UINT8_MAX : UINT16_MAX;
	const int32_t number = (int32_t)from, least = narrow ? INT8_MIN : INT16_MIN;

	switch (type) {
	case TEXEL_U8:
	case TEXEL_U16:
		return from > most ? most : from;
	case TEXEL_I8:
	case TEXEL_I16:
		return (uint32_t)(number < least ? least : number > ~least ? ~least : number);
	case TEXEL_F16:
		return half_cut_off(from);
	default:
		return from;
	}
}

void texel_write(unsigned char *to, const struct texture_object *object, const uint32_t from[4])
{
	unsigned bytes = texel_type_bytes(object->what.type);

	for (int i = 0; i < object->what.channels; i++) {
		uint32_t word = texel_component(object->what.type, from[i]);

		memcpy(to + i * (int)bytes, &word, bytes);
	}
}

uint32_t texture_property(const struct texture_object *object, enum texture_query query)
{
	const struct emulated_texture *what = &object->what;

	switch (query) {
	case QUERY_WIDTH:
		return (uint32_t)what->width;
	case QUERY_HEIGHT: /* a GPU gives the layers of a 1D object here */
		return (uint32_t)(what->fetched                    ? 0
				  : what->geometry == GEOMETRY_A1D ? what->depth
								   : what->height);
	default:
		return (uint32_t)(what->geometry == GEOMETRY_1D || what->geometry == GEOMETRY_A1D ||
						  what->geometry == GEOMETRY_2D
					  ? 0
					  : what->depth);
	}
}
