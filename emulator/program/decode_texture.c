/*
 * Textures and surfaces: tex, tld4, suld, sust, sured, txq and suq. Objects are handles in 64-bit
 * registers or parameters.
 *
 * Not supported, each reported by name: separate samplers, offsets, depth comparisons, results that
 * say whether a texel is resident, and arrays of multisampled images.
 */
#include "emulator/program/decode.h"

#include <stdlib.h>
#include <string.h>

static const struct {
	const char *name;
	uint8_t geometry, coordinates, vector; /* how many are read, and how long their list is */
	bool of_surfaces;
} geometries[] = {
	{"1d", GEOMETRY_1D, 1, 1, true},        {"2d", GEOMETRY_2D, 2, 2, true},
	{"3d", GEOMETRY_3D, 3, 4, true},        {"a1d", GEOMETRY_A1D, 2, 2, true},
	{"a2d", GEOMETRY_A2D, 3, 4, true},      {"cube", GEOMETRY_CUBE, 3, 4, false},
	{"acube", GEOMETRY_ACUBE, 4, 4, false},
};

/* Returns the index of the modifier in geometries[], or -1. */
static int find_geometry(const struct ptx_statement *at, bool of_surfaces)
{
	const size_t i = MODIFIER_INDEX(geometries, at);

	return i == ARRAY_SIZE(geometries) || (of_surfaces && !geometries[i].of_surfaces) ? -1
											  : (int)i;
}

/* ---- operands ---- */

/* Returns the value that holds the handle. */
static uint32_t decode_object(struct function_decoding *decoding, const struct ptx_operand *operand)
{
	struct decoded_address where = decode_address(decoding, operand, PTX_SPACE_GLOBAL);

	if (decoding->rc || decoding->unsupported)
		return 0;
	if (where.parameter)
		return value_constant(decoding, (struct program_constant){
							.kind = CONSTANT_PARAMETER,
							.wide = true,
							.bytes = 8,
							.bits = (uint64_t)where.parameter_offset,
						});
	if (where.offset || where.narrow || !where.value)
		decode_invalid(decoding, "expected a texture or surface in a 64-bit register");
	return where.value;
}

/* Decodes [object, {x, y, …}]. Layers and the coordinates of surfaces are integers. */
static void decode_place(struct function_decoding *decoding, const struct ptx_operand *operand,
			 int geometry, enum value_type type, struct instruction *out)
{
	const struct ptx_operand *list = operand->element_count > 1 ? &operand->elements[1] : NULL;
	const struct ptx_operand *items;
	bool layered = geometries[geometry].geometry == GEOMETRY_A1D ||
		       geometries[geometry].geometry == GEOMETRY_A2D ||
		       geometries[geometry].geometry == GEOMETRY_ACUBE;
	size_t wanted = geometries[geometry].vector, count;

	out->a = decode_object(decoding, operand);
	if (decoding->rc || decoding->unsupported)
		return;
	if (operand->element_count == 3) {
		decode_unsupported(decoding, "", "a separate sampler");
		return;
	}
	if (!list) {
		decode_invalid(decoding, "expected coordinates after the texture or surface");
		return;
	}
	items = list->kind == PTX_OPERAND_VECTOR ? list->elements : list;
	count = list->kind == PTX_OPERAND_VECTOR ? list->element_count : 1;
	if (count != wanted) {
		decode_invalid(decoding, "%zu coordinates instead of %zu", count, wanted);
		return;
	}
	for (size_t i = 0; i < geometries[geometry].coordinates; i++)
		out->rows[TEXTURE_COORDINATES + i] =
			decode_source(decoding, &items[i], layered && i == 0 ? TYPE_u32 : type);
	out->geometry = geometries[geometry].geometry;
}

/* Returns the registers of a vector or of one element; NULL: there are not `count`. */
static const struct ptx_operand *decode_elements(struct function_decoding *decoding,
						 const struct ptx_operand *operand, size_t count)
{
	if (operand->kind == PTX_OPERAND_PAIR) {
		decode_unsupported(decoding, "",
				   "a predicate that says whether texels are resident");
		return NULL;
	}
	return operand_registers(decoding, operand, count);
}

static void emit_texture_instruction(struct function_decoding *decoding, enum operation operation,
				     const struct instruction *fields)
{
	struct instruction *instruction;

	if (decoding->rc || decoding->unsupported)
		return;
	instruction = emit_result(decoding, operation, fields->dst, fields->a, 0, 0);
	memcpy(instruction->rows, fields->rows, sizeof(instruction->rows));
	instruction->width = fields->width;
	instruction->vector = fields->vector;
	instruction->extension = fields->extension;
	instruction->kind = fields->kind;
	instruction->type = fields->type;
	instruction->geometry = fields->geometry;
	instruction->texel_coordinates = fields->texel_coordinates;
	emit_extensions(decoding);
}

/* ---- tex, tld4 ---- */

/* The results' types, which stand before those of the coordinates. */
static bool read_texture_types(const struct ptx_statement *at, struct instruction *out)
{
	static const struct {
		const char *word;
		uint8_t type;
	} types[] = {{"f16x2", TYPE_b32}, {"f32", TYPE_f32}, {"u32", TYPE_u32}, {"s32", TYPE_s32}};
	const char *coordinate;
	size_t type;
	bool pairs;

	if (at->modifier_count < 3)
		return false;
	type = WORD_INDEX(types, at->modifiers[at->modifier_count - 2]);
	coordinate = at->modifiers[at->modifier_count - 1];
	pairs = type == 0;
	out->vector = pairs ? 2 : 4;
	out->texel_coordinates = strcmp(coordinate, "s32") == 0;
	if (!out->texel_coordinates && strcmp(coordinate, "f32") != 0)
		return false;
	if (type == ARRAY_SIZE(types))
		return false;
	out->type = types[type].type;
	return statement_has_modifier(at, pairs ? "v2" : "v4");
}

/* Gradients are vectors of two or four, or one for each coordinate. Only textures with mipmaps use
 * them, and the level: the operands are checked and dropped. */
static void check_level_operands(struct function_decoding *decoding, size_t first, size_t count)
{
	const struct ptx_statement *at = decoding->at;

	for (size_t i = first; i < first + count; i++) {
		const struct ptx_operand *operand = &at->operands[i];

		if (operand->kind != PTX_OPERAND_VECTOR) {
			decode_source(decoding, operand, TYPE_b32);
			continue;
		}
		for (size_t k = 0; k < operand->element_count; k++)
			decode_source(decoding, &operand->elements[k], TYPE_b32);
	}
}

/* tex, and tld4, which has no levels and takes one channel of four texels. */
static bool decode_sample(struct function_decoding *decoding)
{
	static const char *const of_sample[] = {"1d",    "2d",   "3d",    "a1d", "a2d", "cube",
						"acube", "base", "level", "v4",  "v2",  "f32",
						"f16x2", "u32",  "s32",   "grad"};
	static const char *const of_gather[] = {"r",  "g",   "b",   "a",  "2d",
						"v4", "f32", "u32", "s32"};
	const struct ptx_statement *at = decoding->at;
	const bool gathers = strcmp(at->base, "tld4") == 0;
	const int geometry = find_geometry(at, false);
	const size_t more = statement_has_modifier(at, "level")  ? 1
			    : statement_has_modifier(at, "grad") ? 2
								 : 0;
	const size_t channel = find_modifier(at, of_gather, 4, sizeof(*of_gather));
	struct instruction fields = {.kind = TEXTURE_SAMPLE};
	const struct ptx_operand *results;
	unsigned channels = 0;

	for (size_t i = 0; i < 4; i++)
		channels += statement_has_modifier(at, of_gather[i]);
	if (geometry < 0 || !read_texture_types(at, &fields) ||
	    !(gathers ? has_only_words(at, 0, of_gather, ARRAY_SIZE(of_gather))
		      : has_only_words(at, 0, of_sample, ARRAY_SIZE(of_sample))) ||
	    (gathers && (fields.texel_coordinates || channels != 1)))
		return true;
	if (gathers)
		fields.kind = (uint8_t)(TEXTURE_GATHER_R + channel);
	if (at->operand_count > 2 + more)
		return decode_unsupported(decoding, "", "an offset or a depth to compare with");
	if (!require_operands(decoding, 2 + more, 2 + more))
		return false;
	decode_place(decoding, &at->operands[1], geometry,
		     fields.texel_coordinates ? TYPE_s32 : TYPE_f32, &fields);
	check_level_operands(decoding, 2, more);
	results = decode_elements(decoding, &at->operands[0], fields.vector);
	for (size_t i = 0; results && i < fields.vector; i++)
		fields.rows[i] =
			decode_destination(decoding, &results[i], (enum value_type)fields.type);
	emit_texture_instruction(decoding, OP_TEXTURE, &fields);
	return false;
}

/* ---- surfaces ---- */

/* Reads vector length, bounds, formatted or not, and the type, which is the last one. */
static bool read_surface_modifiers(const struct ptx_statement *at, struct instruction *out)
{
	static const char *const bounds[] = {"zero", "clamp", "trap"};
	enum value_type type;
	const size_t bound = MODIFIER_INDEX(bounds, at);

	if (!statement_type(at, &type))
		return false;
	out->extension = (uint8_t)(bound < ARRAY_SIZE(bounds) ? bound : SURFACE_TRAP);
	out->vector = statement_has_modifier(at, "v4")   ? 4
		      : statement_has_modifier(at, "v2") ? 2
							 : 1;
	out->type = (uint8_t)type;
	out->width = (uint8_t)(type_bits(type) / 8);
	out->texel_coordinates = statement_has_modifier(at, "p");
	return out->texel_coordinates != statement_has_modifier(at, "b");
}

static bool decode_surface_load(struct function_decoding *decoding)
{
	static const char *const words[] = {"b",  "1d", "2d",   "3d",    "a1d", "a2d", "v2",
					    "v4", "b8", "b16",  "b32",   "b64", "ca",  "cg",
					    "cs", "cv", "trap", "clamp", "zero"};
	const struct ptx_statement *at = decoding->at;
	int geometry = find_geometry(at, true);
	struct instruction fields = {0};
	const struct ptx_operand *results;
	enum extension extension;

	if (geometry < 0 || !has_only_words(at, 0, words, ARRAY_SIZE(words)) ||
	    !read_surface_modifiers(at, &fields) || fields.width * fields.vector > 16)
		return true;
	if (!require_operands(decoding, 2, 2))
		return false;
	decode_place(decoding, &at->operands[1], geometry, TYPE_s32, &fields);
	results = decode_elements(decoding, &at->operands[0], fields.vector);
	for (size_t i = 0; results && i < fields.vector; i++)
		fields.rows[i] = decode_load_destination(decoding, &results[i], fields.width, false,
							 &extension);
	emit_texture_instruction(decoding, OP_SURFACE_LOAD, &fields);
	return false;
}

static bool decode_surface_store(struct function_decoding *decoding)
{
	static const char *const words[] = {"b",  "p",  "1d", "2d",   "3d",    "a1d", "a2d",
					    "v2", "v4", "b8", "b16",  "b32",   "b64", "wb",
					    "cg", "cs", "wt", "trap", "clamp", "zero"};
	const struct ptx_statement *at = decoding->at;
	int geometry = find_geometry(at, true);
	struct instruction fields = {0};
	const struct ptx_operand *sources;

	if (geometry < 0 || !has_only_words(at, 0, words, ARRAY_SIZE(words)) ||
	    !read_surface_modifiers(at, &fields) || fields.width * fields.vector > 16 ||
	    (fields.texel_coordinates && fields.type != TYPE_b32))
		return true;
	if (!require_operands(decoding, 2, 2))
		return false;
	decode_place(decoding, &at->operands[0], geometry, TYPE_s32, &fields);
	sources = decode_elements(decoding, &at->operands[1], fields.vector);
	for (size_t i = 0; sources && i < fields.vector; i++)
		fields.rows[i] = decode_store_source(decoding, &sources[i], fields.width);
	emit_texture_instruction(decoding, OP_SURFACE_STORE, &fields);
	return false;
}

static bool decode_surface_reduction(struct function_decoding *decoding)
{
	static const char *const kinds[] = {
		[ATOMIC_ADD] = "add", [ATOMIC_MIN] = "min", [ATOMIC_MAX] = "max",
		[ATOMIC_AND] = "and", [ATOMIC_OR] = "or",
	};
	static const char *const words[] = {"b",   "p",   "1d",  "2d",   "3d",    "a1d", "a2d",
					    "add", "min", "max", "and",  "or",    "u32", "s32",
					    "u64", "b32", "s64", "trap", "clamp", "zero"};
	const struct ptx_statement *at = decoding->at;
	int geometry = find_geometry(at, true);
	struct instruction fields = {0};
	const size_t kind = MODIFIER_INDEX(kinds, at);

	if (geometry < 0 || !has_only_words(at, 0, words, ARRAY_SIZE(words)) ||
	    kind == ARRAY_SIZE(kinds) || !read_surface_modifiers(at, &fields))
		return true;
	if (!require_operands(decoding, 2, 2))
		return false;
	fields.kind = (uint8_t)kind;
	decode_place(decoding, &at->operands[0], geometry, TYPE_s32, &fields);
	fields.rows[0] = decode_source(decoding, &at->operands[1], (enum value_type)fields.type);
	emit_texture_instruction(decoding, OP_SURFACE_REDUCE, &fields);
	return false;
}

/* ---- queries ---- */

static bool decode_query(struct function_decoding *decoding)
{
	static const char *const queries[] = {
		[QUERY_WIDTH] = "width", [QUERY_HEIGHT] = "height", [QUERY_DEPTH] = "depth"};
	const struct ptx_statement *at = decoding->at;
	struct instruction fields = {.type = TYPE_b32};
	const size_t query = MODIFIER_INDEX(queries, at);

	if (query == ARRAY_SIZE(queries) || at->modifier_count != 2 ||
	    !statement_has_modifier(at, "b32"))
		return true;
	if (!require_operands(decoding, 2, 2))
		return false;
	fields.kind = (uint8_t)query;
	fields.a = decode_object(decoding, &at->operands[1]);
	fields.dst = decode_destination(decoding, &at->operands[0], TYPE_b32);
	emit_texture_instruction(decoding, OP_TEXTURE_QUERY, &fields);
	return false;
}

const struct statement_form texture_forms[] = {
	{"tex", decode_sample, 0},
	{"tld4", decode_sample, 0},
	{"suld", decode_surface_load, 0},
	{"sust", decode_surface_store, 0},
	{"sured", decode_surface_reduction, 0},
	{"txq", decode_query, 0},
	{"suq", decode_query, 0},
	{0},
};
