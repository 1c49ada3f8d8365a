/*
 * Changes of tensor maps: tensormap.replace and tensormap.cp_fenceproxy, and the fences that order
 * them before tensor copies.
 */
#include "emulator/program/decode.h"

#include <stdlib.h>
#include <string.h>

#include "emulator/tensor_map.h"

static const struct map_field {
	const char *name;
	enum tensor_field field;
	bool wide;          /* the new value has 64 bits */
	unsigned ordinals;  /* 0: the field has none */
	unsigned immediate; /* the values, which are immediate operands; 0: any value */
} fields[] = {
	{"global_address", FIELD_ADDRESS, true, 0, 0},
	{"rank", FIELD_RANK, false, 0, 0},
	{"box_dim", FIELD_BOX, false, TENSOR_MOST_RANK, 0},
	{"global_dim", FIELD_SIZE, false, TENSOR_MOST_RANK, 0},
	{"global_stride", FIELD_STRIDE, true, TENSOR_MOST_RANK - 1, 0},
	{"element_stride", FIELD_STEP, false, TENSOR_MOST_RANK, 0},
	{"elemtype", FIELD_TYPE, false, 0, TENSOR_TYPE_COUNT},
	{"interleave_layout", FIELD_INTERLEAVE, false, 0, 3},
	{"swizzle_mode", FIELD_SWIZZLE, false, 0, SWIZZLE_COUNT},
	{"fill_mode", FIELD_FILL, false, 0, 2},
};

/* Sets *out to the space of tensormap.replace. Returns false if the word is no space. */
static bool map_space(const char *word, enum ptx_space *out)
{
	const bool shared = strcmp(word, "shared::cta") == 0 || strcmp(word, "shared") == 0;

	*out = shared ? PTX_SPACE_SHARED : PTX_SPACE_GLOBAL;
	return shared || strcmp(word, "global") == 0;
}

/* Decodes an immediate operand. Values that the field does not have are refused by name. */
static uint64_t decode_choice(struct function_decoding *decoding, const struct ptx_operand *operand,
			      const struct map_field *field)
{
	char *name;

	if (operand->kind != PTX_OPERAND_INTEGER) {
		decode_invalid(decoding, "tensormap.replace.tile.%s needs an immediate value",
			       field->name);
		return 0;
	}
	if (operand->bits < field->immediate)
		return operand->bits;
	name = xasprintf("tensormap.replace.tile.%s of %llu", field->name,
			 (unsigned long long)operand->bits);
	decode_unsupported(decoding, "opcode", name);
	free(name);
	return 0;
}

static void emit_replace(struct function_decoding *decoding, const struct map_field *field,
			 enum ptx_space space)
{
	const struct ptx_operand *operands = decoding->at->operands;
	const struct ptx_operand *value = &operands[field->ordinals ? 2 : 1];
	struct bulk_address where;
	struct instruction *instruction;
	uint32_t row;

	if (field->ordinals &&
	    (operands[1].kind != PTX_OPERAND_INTEGER || operands[1].bits >= field->ordinals)) {
		decode_invalid(decoding,
			       "tensormap.replace.tile.%s needs an immediate ordinal from 0 to %u",
			       field->name, field->ordinals - 1);
		return;
	}
	if (field->immediate)
		row = value_bits(decoding, decode_choice(decoding, value, field), false);
	else
		row = decode_source(decoding, value, field->wide ? TYPE_b64 : TYPE_b32);
	where = decode_bulk_address(decoding, &operands[0], space);
	if (decoding->rc || decoding->unsupported)
		return;
	instruction = emit_instruction(decoding, OP_MAP_REPLACE);
	instruction->a = where.row;
	instruction->narrow_address = where.narrow;
	instruction->offset = where.offset;
	instruction->space = where.space;
	instruction->b = row;
	instruction->width = field->wide ? 8 : 4;
	instruction->kind = (uint8_t)field->field;
	instruction->target = field->ordinals ? (uint32_t)operands[1].bits : 0;
}

/* tensormap.replace.tile.FIELD{.SPACE}.b1024.TYPE */
static bool decode_map_replace(struct function_decoding *decoding)
{
	const struct ptx_statement *at = decoding->at;
	const char *const *words = at->modifiers;
	enum ptx_space space = PTX_SPACE_GENERIC;
	const struct map_field *field = fields;
	const bool spaced = at->modifier_count == 6;
	size_t wanted;

	if (at->modifier_count != 5 + (size_t)spaced || strcmp(words[1], "tile") != 0 ||
	    (spaced && !map_space(words[3], &space)) ||
	    strcmp(words[3 + (size_t)spaced], "b1024") != 0)
		return false;
	while (field < fields + ARRAY_SIZE(fields) && strcmp(field->name, words[2]) != 0)
		field++;
	if (field == fields + ARRAY_SIZE(fields) ||
	    strcmp(words[4 + (size_t)spaced], field->wide ? "b64" : "b32") != 0)
		return false;
	wanted = field->ordinals ? 3 : 2;
	if (require_operands(decoding, wanted, wanted))
		emit_replace(decoding, field, space);
	return true;
}

static bool is_fence_scope(const char *word)
{
	return strcmp(word, "cta") == 0 || strcmp(word, "cluster") == 0 ||
	       strcmp(word, "gpu") == 0 || strcmp(word, "sys") == 0;
}

/* The immediate size of a tensor map. */
static bool require_map_size(struct function_decoding *decoding, const struct ptx_operand *operand)
{
	if (operand->kind == PTX_OPERAND_INTEGER && operand->bits == TENSOR_MAP_BYTES)
		return true;
	decode_invalid(decoding, "%s needs the size %d of a tensor map", decoding->at->mnemonic,
		       TENSOR_MAP_BYTES);
	return false;
}

/* tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.SCOPE.sync.aligned */
static bool decode_map_copy(struct function_decoding *decoding)
{
	static const char *const words[] = {
		"cp_fenceproxy", "global", "shared::cta", "tensormap::generic",
		"release",       NULL,     "sync",        "aligned"};
	const struct ptx_statement *at = decoding->at;
	struct bulk_address to, from;
	struct instruction *instruction;

	if (at->modifier_count != ARRAY_SIZE(words) || !is_fence_scope(at->modifiers[5]))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (words[i] && strcmp(words[i], at->modifiers[i]) != 0)
			return false;
	if (!require_operands(decoding, 3, 3) || !require_map_size(decoding, &at->operands[2]))
		return true;
	to = decode_bulk_address(decoding, &at->operands[0], PTX_SPACE_GLOBAL);
	from = decode_bulk_address(decoding, &at->operands[1], PTX_SPACE_SHARED);
	if (decoding->rc || decoding->unsupported)
		return true;
	instruction = emit_instruction(decoding, OP_MAP_COPY);
	instruction->a = from.row;
	instruction->narrow_address = from.narrow;
	instruction->offset = from.offset;
	instruction->space = PTX_SPACE_GLOBAL;
	instruction->b = to.row;
	instruction->from_offset = to.offset;
	return true;
}

/* fence.proxy.tensormap::generic.acquire.SCOPE [address], 128; or release.SCOPE */
static bool decode_map_fence(struct function_decoding *decoding)
{
	const struct ptx_statement *at = decoding->at;
	const bool acquires = at->modifier_count == 4 && strcmp(at->modifiers[2], "acquire") == 0;
	struct bulk_address where = {0};
	struct instruction *instruction;

	if (at->modifier_count != 4 || (!acquires && strcmp(at->modifiers[2], "release") != 0) ||
	    !is_fence_scope(at->modifiers[3]))
		return false;
	if (!require_operands(decoding, acquires ? 2 : 0, acquires ? 2 : 0) ||
	    (acquires && !require_map_size(decoding, &at->operands[1])))
		return true;
	if (acquires)
		where = decode_bulk_address(decoding, &at->operands[0], PTX_SPACE_GENERIC);
	if (decoding->rc || decoding->unsupported)
		return true;
	instruction = emit_instruction(decoding, OP_MAP_FENCE);
	instruction->a = where.row;
	instruction->narrow_address = where.narrow;
	instruction->offset = where.offset;
	instruction->space = where.space;
	return true;
}

bool decode_map_change(struct function_decoding *decoding)
{
	const struct ptx_statement *at = decoding->at;

	if (strncmp(at->mnemonic, "fence.proxy.tensormap::generic.", 31) == 0)
		return decode_map_fence(decoding);
	if (strncmp(at->mnemonic, "tensormap.replace.", 18) == 0)
		return decode_map_replace(decoding);
	return strncmp(at->mnemonic, "tensormap.cp_fenceproxy.", 24) == 0 &&
	       decode_map_copy(decoding);
}
