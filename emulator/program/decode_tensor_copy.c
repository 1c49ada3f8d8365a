/*
 * Tensor copies: cp.async.bulk.tensor in the tile and im2col modes, their reductions and
 * prefetches. The operand [map, {c0, c1}] has the generic address of a tensor map and the
 * coordinates of a box. Loads of the im2col mode have offsets in the dimensions of an image, too. A
 * hint of a cache policy has no effect.
 */
#include "base/tensor_map.h"
#include "emulator/program/decode.h"

#include <string.h>

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
	const struct {
		const char *word;
		bool *seen;
	} flags[] = {
		{"mbarrier::complete_tx::bytes", &out->by_mbarrier},
		{"bulk_group", &out->by_group},
		{"L2::cache_hint", &out->hint},
		{"tile", &out->tile},
		{"im2col", &out->im2col},
		{"im2col_no_offs", &out->no_offsets},
		{"multicast::cluster", &out->multicast},
	};

	for (size_t i = first; i < at->modifier_count; i++) {
		size_t flag = 0;

		while (flag < ARRAY_SIZE(flags) && strcmp(flags[flag].word, at->modifiers[i]) != 0)
			flag++;
		if (flag < ARRAY_SIZE(flags) && !*flags[flag].seen)
			*flags[flag].seen = true;
		else if (out->kind < 0 && bulk_reduction_of(at->modifiers[i]) >= 0)
			out->kind = bulk_reduction_of(at->modifiers[i]);
		else
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
		return false;
	words.rank = rank_of(at->modifiers[4]);
	if (!words.rank || strcmp(at->modifiers[5], "L2") != 0 ||
	    strcmp(at->modifiers[6], "global") != 0 || !read_tensor_words(at, 7, &words) ||
	    !mode_fits(&words) || words.by_mbarrier || words.by_group || words.multicast ||
	    words.kind >= 0)
		return false;
	wanted = 1 + (size_t)words.im2col + (size_t)words.hint;
	if (!require_operands(decoding, wanted, wanted))
		return true;
	decode_box(decoding, &at->operands[0], words.rank, coordinates);
	if (words.im2col)
		decode_offsets(decoding, &at->operands[1], words.rank, offsets);
	if (words.hint)
		decode_source(decoding, &at->operands[wanted - 1], TYPE_b64);
	if (!decoding->rc && !decoding->unsupported)
		emit_instruction(decoding, OP_NOTHING);
	return true;
}

static bool decode_box_copy(struct function_decoding *decoding, bool reduces)
{
	const struct ptx_statement *at = decoding->at;
	const struct ptx_operand *operands = at->operands;
	/* After async, bulk and tensor, or reduce, async, bulk and tensor. */
	const size_t first = 3 + (size_t)reduces;
	struct tensor_words words = {.kind = -1};
	struct program_bulk_copy copy = {0};
	size_t wanted;

	if (at->modifier_count <= first)
		return false;
	words.rank = rank_of(at->modifiers[first]);
	if (!words.rank || !read_spaces(at, first + 1, &words) ||
	    !read_tensor_words(at, first + 3, &words) || !mode_fits(&words) ||
	    reduces != (words.kind >= 0) || words.by_mbarrier == words.stores ||
	    words.by_group != words.stores || (reduces && !words.stores) ||
	    (words.multicast && !words.of_cluster))
		return false;
	wanted = 2 + (size_t)words.by_mbarrier + (size_t)words.im2col + (size_t)words.multicast +
		 (size_t)words.hint;
	if (!require_operands(decoding, wanted, wanted))
		return true;
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
	return true;
}

bool decode_tensor_copy(struct function_decoding *decoding)
{
	const char *mnemonic = decoding->at->mnemonic;

	if (strncmp(mnemonic, "cp.async.bulk.prefetch.tensor.", 30) == 0)
		return decode_tensor_prefetch(decoding);
	if (strncmp(mnemonic, "cp.reduce.async.bulk.tensor.", 28) == 0)
		return decode_box_copy(decoding, true);
	return strncmp(mnemonic, "cp.async.bulk.tensor.", 21) == 0 &&
	       decode_box_copy(decoding, false);
}
