/* The objects and instructions of tests/golden/ptx/textures.txt.zst. */
#include "support_textures.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MEMORY_BYTES (1 << 24)

/* ---- texels, as the probe fills them ---- */

static uint32_t hash32(uint32_t x)
{
	x ^= x >> 16, x *= 0x85ebca6bu, x ^= x >> 13, x *= 0xc2b2ae35u, x ^= x >> 16;
	return x;
}

static uint32_t bits_of(float x)
{
	uint32_t bits;

	memcpy(&bits, &x, sizeof(bits));
	return bits;
}

/* n / 64 as a half. It is exact: |n| <= 1024. */
static uint32_t half_of(int n)
{
	uint32_t bits = bits_of((float)n / 64);

	return n ? (bits >> 16 & 0x8000) | (((bits & 0x7fffffff) - 0x38000000) >> 13) : 0;
}

static uint32_t component(enum texel_type type, const char *content, uint32_t i, uint32_t c)
{
	static const uint32_t special[8] = {0x00000000, 0x3f800000, 0x7f800000, 0x3f800000,
					    0x7fc01234, 0x80000000, 0x00000123, 0x7f7fffff};
	uint32_t h = hash32(i * 4 + c + 1);

	if (strcmp(content, "index") == 0)
		h = i * 4 + c;
	if (type != TEXEL_F32 && type != TEXEL_F16)
		return h;
	if (type == TEXEL_F16)
		return half_of((int)(h & 2047) - 1024);
	if (strcmp(content, "step") == 0)
		return i & 1 ? 0x3f800000 : 0;
	if (strcmp(content, "special") == 0)
		return special[(i + c) & 7];
	if (strcmp(content, "index") == 0)
		return bits_of((float)h);
	return bits_of(ldexpf((float)((int)(h >> 8) - (1 << 23)), -20));
}

/* ---- objects ---- */

static enum texel_type type_named(const char *name)
{
	static const char *const names[] = {"u8", "s8", "u16", "s16", "u32", "s32", "f16", "f32"};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		const bool is_signed = names[i][0] == 's' && *name == 'i'; /* both mean this */

		if ((names[i][0] == *name || is_signed) && strcmp(names[i] + 1, name + 1) == 0)
			return (enum texel_type)i;
	}
	fail_msg("no texel type %s", name);
	return TEXEL_U8;
}

static enum address_mode mode_named(const char *name)
{
	return *name == 'w'   ? ADDRESS_WRAP
	       : *name == 'm' ? ADDRESS_MIRROR
	       : *name == 'b' ? ADDRESS_BORDER
			      : ADDRESS_CLAMP;
}

static size_t channel_bytes(enum texel_type type)
{
	static const size_t bytes[] = {
#define X(symbol, name, bytes) bytes,
		TEXEL_TYPE_LIST(X)
#undef X
	};

	return bytes[type];
}

static enum texture_geometry geometry_of(const char *kind, int dimensions)
{
	if (strcmp(kind, "layered") == 0)
		return dimensions == 1 ? GEOMETRY_A1D : GEOMETRY_A2D;
	if (strcmp(kind, "cube") == 0)
		return GEOMETRY_CUBE;
	if (strcmp(kind, "cubelayered") == 0)
		return GEOMETRY_ACUBE;
	return (enum texture_geometry)(GEOMETRY_1D + dimensions - 1);
}

static void fill(struct golden_object *object)
{
	const struct emulated_texture *texture = &object->texture;
	const size_t bytes = channel_bytes(texture->type);
	unsigned char *to = device_memory_data(object->memory, texture->address);
	size_t channels = (size_t)texture->channels;

	for (size_t i = 0; i < object->bytes / bytes; i++) {
		uint32_t word = component(texture->type, object->content, (uint32_t)(i / channels),
					  (uint32_t)(i % channels));

		memcpy(to + i * bytes, &word, bytes);
	}
}

void golden_object_open(struct golden_object *object, const char *line)
{
	char kind[16], format[8], filter[8] = "", mip[8], modes[3][8] = {"", "", ""}, read[12] = "",
				  border[8] = "", coordinates[12] = "";
	int dimensions, w, h, d;
	struct emulated_texture *texture = &object->texture;
	struct error err = {0};

	*object = (struct golden_object){.levels = 0};
	snprintf(object->what, sizeof(object->what), "%s", line);
	texture->surface = *line == 's';
	if (texture->surface)
		assert_int_equal(sscanf(line, "surface %15s %d %d %d %d %7s %d %15s", kind,
					&dimensions, &w, &h, &d, format, &texture->channels,
					object->content),
				 8);
	else
		assert_int_equal(sscanf(line,
					"texture %15s %d %d %d %d %d %7s %d %15s %7s %7s %7s %7s "
					"%7s %11s %11s %7s",
					kind, &dimensions, &w, &h, &d, &object->levels, format,
					&texture->channels, object->content, filter, mip, modes[0],
					modes[1], modes[2], coordinates, read, border),
				 17);
	texture->fetched = strcmp(kind, "linear") == 0;
	texture->geometry = geometry_of(kind, dimensions);
	texture->width = w;
	texture->height = h ? h : 1;
	texture->depth = d ? d : 1;
	texture->type = type_named(format);
	texture->linear = *filter == 'l';
	texture->normalised = *coordinates == 'n';
	texture->as_float = *read == 'n';
	for (int i = 0; i < 3; i++)
		texture->modes[i] = mode_named(modes[i]);
	object->bytes = (size_t)(texture->width * texture->height * texture->depth) *
			(size_t)texture->channels * channel_bytes(texture->type);
	object->memory = device_memory_create(MEMORY_BYTES);
	assert_int_equal(device_memory_allocate(object->memory, (int64_t)object->bytes, "texels",
						&texture->address, &err),
			 0);
	fill(object);
	/* Mipmaps and other border colours are not emulated. */
	object->usable = object->levels == 0 && *border != 'c';
	if (object->usable &&
	    device_memory_add_texture(object->memory, texture, "texels", &object->handle, &err))
		fail_msg("%s: %s", line, err.text);
}

void golden_object_close(struct golden_object *object)
{
	device_memory_free(object->memory);
	*object = (struct golden_object){0};
}

/* ---- instructions ---- */

bool texture_name_has(const char *name, const char *word)
{
	const char *at = strstr(name, word);

	return at && (at[strlen(word)] == '.' || !at[strlen(word)]);
}

/* The words of coordinates, as they stand in brackets. */
static int add_place(struct text *out, const char *name)
{
	int words = texture_name_has(name, ".1d")                                     ? 1
		    : texture_name_has(name, ".2d") || texture_name_has(name, ".a1d") ? 2
		    : texture_name_has(name, ".acube")                                ? 4
										      : 3;

	text_add(out, "[%t, {");
	for (int i = 0; i < (words == 3 ? 4 : words); i++)
		text_addf(out, "%s%%a%d", i ? ", " : "", i < words ? i : words - 1);
	text_add(out, "}]");
	return words;
}

/* The instruction, with what it needs before and after it. Operands are in %a0 to %a7, results go
 * to %q0 to %q3. */
static void add_instruction(struct text *out, const char *name)
{
	int words;

	if (strncmp(name, "txq", 3) == 0 || strncmp(name, "suq", 3) == 0) {
		text_addf(out, "%s %%q0, [%%t];\n", name);
	} else if (strncmp(name, "suld", 4) == 0) {
		bool narrow = texture_name_has(name, ".b8") || texture_name_has(name, ".b16"),
		     wide = texture_name_has(name, ".b64");

		text_addf(out, "%s %s, ", name,
			  narrow                          ? "%h0"
			  : wide                          ? "%d0"
			  : texture_name_has(name, ".v4") ? "{%q0, %q1, %q2, %q3}"
							  : "%q0");
		add_place(out, name);
		text_addf(out, ";\n%s",
			  narrow ? "cvt.u32.u16 %q0, %h0;\n"
			  : wide ? "mov.b64 {%q0, %q1}, %d0;\n"
				 : "");
	} else if (strncmp(name, "su", 2) == 0) {
		struct text place = TEXT_INIT;
		bool narrow = texture_name_has(name, ".b8") || texture_name_has(name, ".b16");

		words = add_place(&place, name);
		if (narrow)
			text_addf(out, "cvt.u16.u32 %%h0, %%a%d;\n", words);
		text_addf(out, "%s %s, ", name, place.data);
		if (texture_name_has(name, ".v4"))
			text_addf(out, "{%%a%d, %%a%d, %%a%d, %%a%d};\n", words, words + 1,
				  words + 2, words + 3);
		else if (narrow)
			text_add(out, "%h0;\n");
		else
			text_addf(out, "%%a%d;\n", words);
		text_release(&place);
	} else {
		text_addf(out, "%s {%s}, ", name,
			  texture_name_has(name, ".v2") ? "%q0, %q1" : "%q0, %q1, %q2, %q3");
		words = add_place(out, name);
		if (texture_name_has(name, ".level"))
			text_addf(out, ", %%a%d", words);
		for (int k = 0; k < 2 && texture_name_has(name, ".grad"); k++) {
			text_add(out, ", {");
			for (int i = 0; i < words; i++)
				text_addf(out, "%s%%a%d", i ? ", " : "", words * (k + 1) + i);
			text_add(out, "}");
		}
		text_add(out, ";\n");
	}
}

void texture_module_add(struct text *out, const char *name)
{
	text_add(out, MACHINE_HEADER
		 ".visible .entry k(.param .u64 object, .param .u64 in, .param .u64 out)\n{\n"
		 ".reg .b32 %a<8>, %q<4>, %i;\n.reg .b16 %h<2>;\n"
		 ".reg .b64 %t, %in, %out, %o, %d<2>;\n"
		 "ld.param.u64 %t, [object];\nld.param.u64 %in, [in];\nld.param.u64 %out, [out];\n"
		 "mov.u32 %i, %tid.x;\nmad.wide.u32 %in, %i, 32, %in;\n"
		 "mad.wide.u32 %out, %i, 32, %out;\n"
		 "mov.u32 %q0, 0;\nmov.u32 %q1, 0;\nmov.u32 %q2, 0;\nmov.u32 %q3, 0;\n");
	for (int i = 0; i < 8; i++)
		text_addf(out, "ld.global.u32 %%a%d, [%%in+%d];\n", i, 4 * i);
	add_instruction(out, name);
	for (int i = 0; i < 4; i++)
		text_addf(out, "st.global.u32 [%%out+%d], %%q%d;\n", 4 * i, i);
	text_add(out, "ret;\n}\n");
}
