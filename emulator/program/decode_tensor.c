/*
 * Tensor copies (cp.async.bulk.tensor) in the tile and im2col modes, their reductions and
 * prefetches, and changes of tensor maps: tensormap.replace and tensormap.cp_fenceproxy, and the
 * fences that order them before tensor copies. The operand [map, {c0, c1}] of a copy has the
 * generic address of a tensor map and the coordinates of a box. Loads of the im2col mode have
 * offsets in the dimensions of an image, too. A hint of a cache policy has no effect.
 */
#include "emulator/program/decode.h"

#include <stdlib.h>
#include <string.h>

#include "emulator/tensor_map.h"

/* The modifiers of a tensor copy. */
struct tensor_words {
	unsigned rank;
	bool stores; /* shared::cta to global; else global to shared memory */
	bool by_mbarrier, by_group, hint, multicast;
	bool tile, im2col, no_offsets; /* the mode; none: tile. Stores have no_offsets for im2col */
	bool of_cluster;               /* the destination is shared::cluster */
	int kind;                      /* enum atomic_kind; -1: none */
};

static unsigned rank_of(const char *word)
{
	return word[0] >= '1' && word[0] <= '5' && strcmp(word + 1, "d") == 0
		       ? (unsigned)(word[0] - '0')
		       : 0;
}

/* Reads the spaces at modifier `at`. Returns false if they are not those of a copy. */
static bool read_spaces(const struct ptx_statement *statement, size_t at, struct tensor_words *out)
{
	const char *const *words = statement->modifiers;

	if (at + 2 > statement->modifier_count)
		return false;
	out->stores = strcmp(words[at], "global") == 0;
	out->of_cluster = strcmp(words[at], "shared::cluster") == 0;
	if (out->stores)
		return strcmp(words[at + 1], "shared::cta") == 0;
	return (out->of_cluster || strcmp(words[at], "shared::cta") == 0) &&
	       strcmp(words[at + 1], "global") == 0;
}

/* Reads the modifiers after the rank and the spaces. Returns false if one is unknown or comes
 * twice. */
static bool read_tensor_words(const struct ptx_statement *at, size_t first,
			      struct tensor_words *out)
{
	const struct word_flag flags[] = {
		{"mbarrier::complete_tx::bytes", &out->by_mbarrier},
		{"bulk_group", &out->by_group},
		{"L2::cache_hint", &out->hint},
		{"tile", &out->tile},
		{"im2col", &out->im2col},
		{"im2col_no_offs", &out->no_offsets},
		{"multicast::cluster", &out->multicast},
	};

	for (size_t i = first; i < at->modifier_count; i++) {
		if (see_flag(flags, ARRAY_SIZE(flags), at->modifiers[i]))
			continue;
		if (out->kind >= 0)
			return false;
		out->kind = bulk_reduction_of(at->modifiers[i]);
		if (out->kind < 0)
			return false;
	}
	return true;
}

/* Whether PTX has such a copy in that mode. */
static bool mode_fits(const struct tensor_words *words)
{
	const unsigned modes = words->tile + words->im2col + words->no_offsets;

	return modes <= 1 && !(words->stores ? words->im2col : words->no_offsets) &&
	       (words->rank >= TENSOR_IM2COL_LEAST_RANK || !(words->im2col || words->no_offsets));
}

/* Decodes {offset, …}. */
static void decode_offsets(struct function_decoding *decoding, const struct ptx_operand *list,
			   unsigned rank, uint32_t offsets[TENSOR_IMAGE_MOST_RANK])
{
	if (list->kind != PTX_OPERAND_VECTOR || list->element_count != rank - 2) {
		decode_invalid(decoding,
			       "an im2col load of %u dimensions needs {…} with %u offsets", rank,
			       rank - 2);
		return;
	}
	for (unsigned i = 0; i < rank - 2; i++)
		offsets[i] = decode_source(decoding, &list->elements[i], TYPE_u16);
}

/* Decodes [map, {c0, c1}]. */
static struct bulk_address decode_box(struct function_decoding *decoding,
				      const struct ptx_operand *operand, unsigned rank,
				      uint32_t coordinates[TENSOR_MOST_RANK])
{
	const struct ptx_operand *list = operand->element_count > 1 ? &operand->elements[1] : NULL;
	struct bulk_address none = {0};

	if (operand->kind != PTX_OPERAND_ADDRESS || operand->element_count != 2 ||
	    list->kind != PTX_OPERAND_VECTOR || list->element_count != rank) {
		decode_invalid(decoding,
			       "a tensor of %u dimensions needs [map, {…}] with %u "
			       "coordinates",
			       rank, rank);
		return none;
	}
	if (operand->elements[0].kind != PTX_OPERAND_REGISTER) {
		decode_invalid(decoding, "the generic address of a tensor map must be a register");
		return none;
	}
	for (unsigned i = 0; i < rank; i++)
		coordinates[i] = decode_source(decoding, &list->elements[i], TYPE_s32);
	return decode_bulk_address(decoding, operand, PTX_SPACE_GENERIC);
}

static bool decode_tensor_prefetch(struct function_decoding *decoding)
{
	const struct ptx_statement *at = decoding->at;
	struct tensor_words words = {.kind = -1};
	uint32_t coordinates[TENSOR_MOST_RANK], offsets[TENSOR_IMAGE_MOST_RANK];
	size_t wanted;

	/* async, bulk, prefetch, tensor, the rank, L2, global. */
	if (at->modifier_count < 7)
		return true;
	words.rank = rank_of(at->modifiers[4]);
	if (!words.rank || strcmp(at->modifiers[5], "L2") != 0 ||
	    strcmp(at->modifiers[6], "global") != 0 || !read_tensor_words(at, 7, &words) ||
	    !mode_fits(&words) || words.by_mbarrier || words.by_group || words.multicast ||
	    words.kind >= 0)
		return true;
	wanted = 1 + (size_t)words.im2col + (size_t)words.hint;
	if (!require_operands(decoding, wanted, wanted))
		return false;
	decode_box(decoding, &at->operands[0], words.rank, coordinates);
	if (words.im2col)
		decode_offsets(decoding, &at->operands[1], words.rank, offsets);
	if (words.hint)
		decode_source(decoding, &at->operands[wanted - 1], TYPE_b64);
	if (!decoding->rc && !decoding->unsupported)
		emit_instruction(decoding, OP_NOTHING);
	return false;
}

static bool decode_box_copy(struct function_decoding *decoding)
{
	const struct ptx_statement *at = decoding->at;
	const bool reduces = strcmp(at->modifiers[0], "reduce") == 0;
	const struct ptx_operand *operands = at->operands;
	/* After async, bulk and tensor, or reduce, async, bulk and tensor. */
	const size_t first = 3 + (size_t)reduces;
	struct tensor_words words = {.kind = -1};
	struct program_bulk_copy copy = {0};
	size_t wanted;

	if (at->modifier_count <= first)
		return true;
	words.rank = rank_of(at->modifiers[first]);
	if (!words.rank || !read_spaces(at, first + 1, &words) ||
	    !read_tensor_words(at, first + 3, &words) || !mode_fits(&words) ||
	    reduces != (words.kind >= 0) || words.by_mbarrier == words.stores ||
	    words.by_group != words.stores || (reduces && !words.stores) ||
	    (words.multicast && !words.of_cluster))
		return true;
	wanted = 2 + (size_t)words.by_mbarrier + (size_t)words.im2col + (size_t)words.multicast +
		 (size_t)words.hint;
	if (!require_operands(decoding, wanted, wanted))
		return false;
	copy.rank = (uint8_t)words.rank;
	copy.im2col = words.im2col || words.no_offsets;
	copy.kind = (uint8_t)(reduces ? words.kind : 0);
	copy.of_cluster = words.of_cluster;
	if (words.stores) {
		copy.to = decode_box(decoding, &operands[0], words.rank, copy.coordinates);
		copy.from = decode_bulk_address(decoding, &operands[1], PTX_SPACE_SHARED);
	} else {
		copy.to = decode_bulk_address(decoding, &operands[0], PTX_SPACE_SHARED);
		copy.from = decode_box(decoding, &operands[1], words.rank, copy.coordinates);
		copy.mbarrier = decode_bulk_address(decoding, &operands[2], PTX_SPACE_SHARED);
	}
	if (words.im2col)
		decode_offsets(decoding, &operands[3], words.rank, copy.offsets);
	if (words.multicast)
		copy.multicast =
			decode_source(decoding, &operands[3 + (size_t)words.im2col], TYPE_b16);
	if (words.hint)
		decode_source(decoding, &operands[wanted - 1], TYPE_b64);
	emit_bulk_copy(decoding, &copy, reduces);
	return false;
}

/* ---- changes of tensor maps ---- */

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

	if (operand->kind != PTX_OPERAND_INTEGER)
		return decode_invalid(decoding,
				      "tensormap.replace.tile.%s needs an immediate value",
				      field->name);
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
	instruction = emit_result(decoding, OP_MAP_REPLACE, 0, where.row, row, 0);
	instruction->narrow_address = where.narrow;
	instruction->offset = where.offset;
	instruction->space = where.space;
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
	const struct map_field *field;
	const bool spaced = at->modifier_count == 6;
	size_t wanted;

	if (at->modifier_count != 5 + (size_t)spaced || strcmp(words[1], "tile") != 0 ||
	    (spaced && !map_space(words[3], &space)) ||
	    strcmp(words[3 + (size_t)spaced], "b1024") != 0)
		return true;
	field = fields + WORD_INDEX(fields, words[2]);
	if (field == fields + ARRAY_SIZE(fields) ||
	    strcmp(words[4 + (size_t)spaced], field->wide ? "b64" : "b32") != 0)
		return true;
	wanted = field->ordinals ? 3 : 2;
	if (require_operands(decoding, wanted, wanted))
		emit_replace(decoding, field, space);
	return false;
}

static bool is_fence_scope(const char *word)
{
	static const char *const scopes[] = {"cta", "cluster", "gpu", "sys"};

	return WORD_INDEX(scopes, word) < ARRAY_SIZE(scopes);
}

/* The immediate size of a tensor map. */
static bool require_map_size(struct function_decoding *decoding, const struct ptx_operand *operand)
{
	if (operand->kind == PTX_OPERAND_INTEGER && operand->bits == TENSOR_MAP_BYTES)
		return true;
	return decode_invalid(decoding, "%s needs the size %d of a tensor map",
			      decoding->at->mnemonic, TENSOR_MAP_BYTES);
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
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (words[i] && strcmp(words[i], at->modifiers[i]) != 0)
			return true;
	if (!require_operands(decoding, 3, 3) || !require_map_size(decoding, &at->operands[2]))
		return false;
	to = decode_bulk_address(decoding, &at->operands[0], PTX_SPACE_GLOBAL);
	from = decode_bulk_address(decoding, &at->operands[1], PTX_SPACE_SHARED);
	if (decoding->rc || decoding->unsupported)
		return false;
	instruction = emit_result(decoding, OP_MAP_COPY, 0, from.row, to.row, 0);
	instruction->narrow_address = from.narrow;
	instruction->offset = from.offset;
	instruction->space = PTX_SPACE_GLOBAL;
	instruction->from_offset = to.offset;
	return false;
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
		return true;
	if (!require_operands(decoding, acquires ? 2 : 0, acquires ? 2 : 0) ||
	    (acquires && !require_map_size(decoding, &at->operands[1])))
		return false;
	if (acquires)
		where = decode_bulk_address(decoding, &at->operands[0], PTX_SPACE_GENERIC);
	if (decoding->rc || decoding->unsupported)
		return false;
	instruction = emit_instruction(decoding, OP_MAP_FENCE);
	instruction->a = where.row;
	instruction->narrow_address = where.narrow;
	instruction->offset = where.offset;
	instruction->space = where.space;
	return false;
}

const struct statement_form tensor_forms[] = {
	{"cp.async.bulk.prefetch.tensor.", decode_tensor_prefetch, 0},
	{"cp.reduce.async.bulk.tensor.", decode_box_copy, 0},
	{"cp.async.bulk.tensor.", decode_box_copy, 0},
	{"fence.proxy.tensormap::generic.", decode_map_fence, 0},
	{"tensormap.replace.", decode_map_replace, 0},
	{"tensormap.cp_fenceproxy.", decode_map_copy, 0},
	{0},
};
