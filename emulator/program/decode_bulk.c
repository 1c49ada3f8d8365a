/*
 * Bulk copies: cp.async.bulk, cp.reduce.async.bulk, their groups and prefetches. The first of the
 * two spaces is the destination. A hint of a cache policy has no effect.
 */
#include "emulator/program/bulk_reductions.h"
#include "emulator/program/decode.h"

#include <string.h>

/* The modifiers of a bulk copy. */
struct bulk_words {
	enum bulk_space { BULK_NONE, BULK_GLOBAL, BULK_BLOCK, BULK_CLUSTER } to, from;
	bool by_mbarrier, by_group, hint, masked, noftz, multicast;
	int kind;         /* enum atomic_kind; -1: none */
	const char *type; /* NULL: none */
};

static enum bulk_space bulk_space_of(const char *word)
{
	return strcmp(word, "global") == 0            ? BULK_GLOBAL
	       : strcmp(word, "shared::cta") == 0     ? BULK_BLOCK
	       : strcmp(word, "shared::cluster") == 0 ? BULK_CLUSTER
						      : BULK_NONE;
}

int bulk_reduction_of(const char *word)
{
	static const struct {
		const char *word;
		enum atomic_kind kind;
	} kinds[] = {
		{"add", ATOMIC_ADD}, {"min", ATOMIC_MIN}, {"max", ATOMIC_MAX}, {"inc", ATOMIC_INC},
		{"dec", ATOMIC_DEC}, {"and", ATOMIC_AND}, {"or", ATOMIC_OR},   {"xor", ATOMIC_XOR},
	};

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (strcmp(kinds[i].word, word) == 0)
			return kinds[i].kind;
	return -1;
}

/* Reads the modifiers after cp.async.bulk or cp.reduce.async.bulk. Returns false if one is unknown
 * or comes twice. */
static bool read_bulk_words(const struct ptx_statement *at, size_t first, struct bulk_words *out)
{
	const struct {
		const char *word;
		bool *seen;
	} flags[] = {
		{"mbarrier::complete_tx::bytes", &out->by_mbarrier},
		{"bulk_group", &out->by_group},
		{"L2::cache_hint", &out->hint},
		{"cp_mask", &out->masked},
		{"noftz", &out->noftz},
		{"multicast::cluster", &out->multicast},
	};
	enum value_type type;

	*out = (struct bulk_words){.kind = -1};
	for (size_t i = first; i < at->modifier_count; i++) {
		const char *word = at->modifiers[i];
		enum bulk_space space = bulk_space_of(word);
		size_t flag = 0;

		while (flag < ARRAY_SIZE(flags) && strcmp(flags[flag].word, word) != 0)
			flag++;
		if (flag < ARRAY_SIZE(flags) && !*flags[flag].seen)
			*flags[flag].seen = true;
		else if (space && !out->to)
			out->to = space;
		else if (space && !out->from)
			out->from = space;
		else if (out->kind < 0 && bulk_reduction_of(word) >= 0)
			out->kind = bulk_reduction_of(word);
		else if (!out->type && type_of_name(word, &type))
			out->type = word;
		else
			return false;
	}
	return true;
}

/* Whether PTX has a copy between these spaces with that mechanism of completion. */
static bool spaces_fit(const struct bulk_words *words, bool reduces)
{
	if (words->masked && (words->to != BULK_GLOBAL || reduces))
		return false;
	if (words->multicast && (words->to != BULK_CLUSTER || words->from != BULK_GLOBAL))
		return false;
	if (words->to == BULK_GLOBAL)
		return words->from == BULK_BLOCK && words->by_group && !words->by_mbarrier;
	if (words->by_group || !words->by_mbarrier)
		return false;
	if (words->from == BULK_GLOBAL)
		return !reduces && words->to != BULK_NONE;
	return words->from == BULK_BLOCK && words->to == BULK_CLUSTER && !words->hint;
}

/* Returns false if PTX has no such reduction. */
static bool find_bulk_reduction(const struct bulk_words *words, struct program_bulk_copy *out)
{
	const struct bulk_reduction *found = NULL;

	if (words->type && words->kind >= 0)
		found = bulk_reduction_find((enum atomic_kind)words->kind, words->type);
	if (!found || found->noftz != words->noftz ||
	    (words->to != BULK_GLOBAL && !found->of_shared))
		return false;
	out->kind = (uint8_t)found->kind;
	out->type = (uint8_t)found->executed;
	return true;
}

/* ---- operands ---- */

struct bulk_address decode_bulk_address(struct function_decoding *decoding,
					const struct ptx_operand *operand, enum ptx_space space)
{
	struct decoded_address where = decode_address(decoding, operand, space);

	if (!decoding->rc && !decoding->unsupported)
		check_variable_space(decoding, &where, space);
	return (struct bulk_address){.row = where.value,
				     .narrow = where.narrow,
				     .space = (uint8_t)where.space,
				     .offset = where.offset};
}

void emit_bulk_copy(struct function_decoding *decoding, const struct program_bulk_copy *copy,
		    bool reduces)
{
	struct program_function *out = decoding->out;
	struct instruction *instruction;

	if (decoding->rc || decoding->unsupported)
		return;
	out->bulk_copies = xgrow(out->bulk_copies, &decoding->bulk_copy_capacity,
				 out->bulk_copy_count + 1, sizeof(*out->bulk_copies));
	out->bulk_copies[out->bulk_copy_count] = *copy;
	instruction = emit_instruction(decoding, reduces ? OP_BULK_REDUCE : OP_BULK_COPY);
	instruction->target = (uint32_t)out->bulk_copy_count++;
	instruction->space = copy->to.space;
	/* Each element of a reduction is changed by one atomic operation. */
	instruction->strong = reduces;
}

static enum ptx_space ptx_space_of(enum bulk_space space)
{
	return space == BULK_GLOBAL ? PTX_SPACE_GLOBAL : PTX_SPACE_SHARED;
}

static bool decode_copy_of_bytes(struct function_decoding *decoding, bool reduces)
{
	const struct ptx_statement *at = decoding->at;
	const struct ptx_operand *operands = at->operands;
	struct program_bulk_copy copy = {0};
	struct bulk_words words;
	size_t wanted, next = 3;

	/* After async and bulk, or reduce, async and bulk. */
	if (!read_bulk_words(at, reduces ? 3 : 2, &words) || !spaces_fit(&words, reduces))
		return false;
	if (reduces ? !find_bulk_reduction(&words, &copy)
		    : words.kind >= 0 || words.type || words.noftz)
		return false;
	wanted = 3 + (size_t)words.by_mbarrier + (size_t)words.masked + (size_t)words.multicast +
		 (size_t)words.hint;
	if (!require_operands(decoding, wanted, wanted))
		return true;
	copy.to = decode_bulk_address(decoding, &operands[0], ptx_space_of(words.to));
	copy.from = decode_bulk_address(decoding, &operands[1], ptx_space_of(words.from));
	copy.bytes = decode_source(decoding, &operands[2], TYPE_u32);
	if (words.by_mbarrier)
		copy.mbarrier = decode_bulk_address(decoding, &operands[next++], PTX_SPACE_SHARED);
	copy.of_cluster = words.to == BULK_CLUSTER;
	if (words.multicast)
		copy.multicast = decode_source(decoding, &operands[next++], TYPE_b16);
	if (words.hint)
		decode_source(decoding, &operands[next++], TYPE_b64);
	if (words.masked)
		copy.byte_mask = decode_source(decoding, &operands[next], TYPE_b16);
	emit_bulk_copy(decoding, &copy, reduces);
	return true;
}

/* ---- groups, prefetches ---- */

static void decode_bulk_wait(struct function_decoding *decoding)
{
	const struct ptx_operand *left = decoding->at->operands;

	if (!require_operands(decoding, 1, 1))
		return;
	if (left->kind != PTX_OPERAND_INTEGER || left->bits > INT32_MAX) {
		decode_invalid(decoding, "cp.async.bulk.wait_group needs a number of groups");
		return;
	}
	emit_instruction(decoding, OP_BULK_WAIT)->offset = (int64_t)left->bits;
}

/* A prefetch has no effect on values. */
static bool decode_bulk_prefetch(struct function_decoding *decoding)
{
	const struct ptx_statement *at = decoding->at;
	bool hint = at->modifier_count == 6 && strcmp(at->modifiers[5], "L2::cache_hint") == 0;

	if (at->modifier_count != 5 + (size_t)hint || strcmp(at->modifiers[3], "L2") != 0 ||
	    strcmp(at->modifiers[4], "global") != 0)
		return false;
	if (!require_operands(decoding, 2 + (size_t)hint, 2 + (size_t)hint))
		return true;
	decode_bulk_address(decoding, &at->operands[0], PTX_SPACE_GLOBAL);
	decode_source(decoding, &at->operands[1], TYPE_u32);
	if (hint)
		decode_source(decoding, &at->operands[2], TYPE_b64);
	if (!decoding->rc && !decoding->unsupported)
		emit_instruction(decoding, OP_NOTHING);
	return true;
}

bool decode_bulk_copy(struct function_decoding *decoding)
{
	const char *mnemonic = decoding->at->mnemonic;

	if (strcmp(decoding->at->base, "cp") != 0)
		return false;
	if (strcmp(mnemonic, "cp.async.bulk.commit_group") == 0) {
		if (require_operands(decoding, 0, 0))
			emit_instruction(decoding, OP_BULK_COMMIT);
		return true;
	}
	if (strcmp(mnemonic, "cp.async.bulk.wait_group") == 0 ||
	    strcmp(mnemonic, "cp.async.bulk.wait_group.read") == 0) {
		decode_bulk_wait(decoding);
		return true;
	}
	if (strncmp(mnemonic, "cp.async.bulk.prefetch.L2.", 26) == 0)
		return decode_bulk_prefetch(decoding);
	if (strncmp(mnemonic, "cp.reduce.async.bulk.", 21) == 0)
		return decode_copy_of_bytes(decoding, true);
	return strncmp(mnemonic, "cp.async.bulk.", 14) == 0 &&
	       decode_copy_of_bytes(decoding, false);
}
