/*
 * Asynchronous copies: cp.async from global to shared memory, and bulk copies (cp.async.bulk,
 * cp.reduce.async.bulk), with their groups, waits and prefetches. Of the two spaces of a bulk copy,
 * the first is the destination. A hint of a cache policy has no effect.
 */
#include "emulator/program/decode.h"

#include <string.h>

/* ---- cp.async ---- */

/* Reads the modifiers of a copy. Returns false if one is not supported. */
static bool read_copy_modifiers(const struct ptx_statement *at, bool *past_l1)
{
	bool cached = false, shared = false, global = false;

	*past_l1 = false;
	for (size_t i = 0; i < at->modifier_count; i++) {
		const char *word = at->modifiers[i];

		if (strcmp(word, "ca") == 0)
			cached = true;
		else if (strcmp(word, "cg") == 0)
			*past_l1 = true;
		else if (strcmp(word, "shared") == 0 || strcmp(word, "shared::cta") == 0)
			shared = true;
		else if (strcmp(word, "global") == 0)
			global = true;
		else if (strcmp(word, "async") != 0 && !modifier_is_cache_hint(word))
			return false;
	}
	return cached != *past_l1 && shared && global;
}

/* Returns the size of the copy: 4, 8 or 16 bytes, only 16 if it bypasses the L1. 0: invalid. */
static unsigned copy_bytes(struct function_decoding *decoding, bool past_l1)
{
	const struct ptx_operand *size = &decoding->at->operands[2];
	uint64_t bytes = size->kind == PTX_OPERAND_INTEGER ? size->bits : 0;

	if (bytes == 16 || (!past_l1 && (bytes == 4 || bytes == 8)))
		return (unsigned)bytes;
	return decode_invalid(decoding, past_l1 ? "a copy that bypasses the L1 must have 16 bytes"
						: "a copy must have 4, 8 or 16 bytes");
}

/* Decodes how much of the source is read: a size, or a predicate that ignores the source. */
static void decode_copy_amount(struct function_decoding *decoding, unsigned bytes, uint32_t *size,
			       uint32_t *ignore)
{
	const struct ptx_operand *amount = &decoding->at->operands[3];

	if (amount->kind == PTX_OPERAND_REGISTER && value_width(decoding, amount->index + 1) == 1) {
		*ignore = decode_source(decoding, amount, TYPE_pred);
		return;
	}
	if (amount->kind == PTX_OPERAND_REGISTER && value_width(decoding, amount->index + 1) > 32) {
		decode_invalid(decoding, "the source size must have 32 bits");
		return;
	}
	if (amount->kind == PTX_OPERAND_INTEGER && amount->bits > bytes) {
		decode_invalid(decoding, "the source size is greater than the %u bytes of the copy",
			       bytes);
		return;
	}
	*size = decode_source(decoding, amount, TYPE_u32);
}

static bool decode_copy(struct function_decoding *decoding)
{
	const struct ptx_statement *at = decoding->at;
	struct decoded_address to, from;
	struct instruction *instruction;
	uint32_t size = 0, ignore = 0;
	unsigned bytes;
	size_t operands; /* without the cache policy */
	bool past_l1;

	if (!read_copy_modifiers(at, &past_l1))
		return true;
	if (!decode_cache_hints(decoding, HINT_POLICY | HINT_PREFETCH, 3, 4))
		return false;
	operands = at->operand_count - statement_has_modifier(at, "L2::cache_hint");
	to = decode_address(decoding, &at->operands[0], PTX_SPACE_SHARED);
	from = decode_address(decoding, &at->operands[1], PTX_SPACE_GLOBAL);
	bytes = copy_bytes(decoding, past_l1);
	if (bytes && operands == 4)
		decode_copy_amount(decoding, bytes, &size, &ignore);
	if (decoding->rc || decoding->unsupported ||
	    !check_variable_space(decoding, &to, PTX_SPACE_SHARED) ||
	    !check_variable_space(decoding, &from, PTX_SPACE_GLOBAL))
		return false;
	to.space = PTX_SPACE_SHARED;
	instruction = emit_instruction(decoding, OP_COPY);
	set_access_address(instruction, &to);
	instruction->b = from.value;
	instruction->from_offset = from.offset;
	instruction->kind = past_l1 ? COPY_PAST_L1 : COPY_THROUGH_L1;
	instruction->c = size;
	instruction->d = ignore;
	instruction->width = bytes == 4 ? 4 : 8;
	instruction->vector = bytes == 16 ? 2 : 1;
	return false;
}

static bool decode_copy_wait_all(struct function_decoding *decoding)
{
	if (require_operands(decoding, 0, 0))
		emit_instruction(decoding, OP_COPY_WAIT)->offset = -1;
	return false;
}

/* ---- reductions of bulk copies ---- */

static const struct bulk_reduction reductions[] = {
	{ATOMIC_ADD, "u32", true, false, ATOMIC_ADD, TYPE_u32},
	{ATOMIC_ADD, "s32", true, false, ATOMIC_ADD, TYPE_s32},
	{ATOMIC_ADD, "u64", true, false, ATOMIC_ADD, TYPE_u64},
	{ATOMIC_ADD, "f32", false, false, ATOMIC_ADD, TYPE_f32},
	{ATOMIC_ADD, "f64", false, false, ATOMIC_ADD, TYPE_f64},
	{ATOMIC_ADD, "f16", false, true, ATOMIC_ADD_F16, TYPE_b16},
	{ATOMIC_ADD, "bf16", false, true, ATOMIC_ADD_BF16, TYPE_b16},
	{ATOMIC_MIN, "u32", true, false, ATOMIC_MIN, TYPE_u32},
	{ATOMIC_MIN, "s32", true, false, ATOMIC_MIN, TYPE_s32},
	{ATOMIC_MIN, "u64", false, false, ATOMIC_MIN, TYPE_u64},
	{ATOMIC_MIN, "s64", false, false, ATOMIC_MIN, TYPE_s64},
	{ATOMIC_MIN, "f16", false, false, ATOMIC_MIN_F16, TYPE_b16},
	{ATOMIC_MIN, "bf16", false, false, ATOMIC_MIN_BF16, TYPE_b16},
	{ATOMIC_MAX, "u32", true, false, ATOMIC_MAX, TYPE_u32},
	{ATOMIC_MAX, "s32", true, false, ATOMIC_MAX, TYPE_s32},
	{ATOMIC_MAX, "u64", false, false, ATOMIC_MAX, TYPE_u64},
	{ATOMIC_MAX, "s64", false, false, ATOMIC_MAX, TYPE_s64},
	{ATOMIC_MAX, "f16", false, false, ATOMIC_MAX_F16, TYPE_b16},
	{ATOMIC_MAX, "bf16", false, false, ATOMIC_MAX_BF16, TYPE_b16},
	{ATOMIC_INC, "u32", true, false, ATOMIC_INC, TYPE_u32},
	{ATOMIC_DEC, "u32", true, false, ATOMIC_DEC, TYPE_u32},
	{ATOMIC_AND, "b32", true, false, ATOMIC_AND, TYPE_b32},
	{ATOMIC_AND, "b64", false, false, ATOMIC_AND, TYPE_b64},
	{ATOMIC_OR, "b32", true, false, ATOMIC_OR, TYPE_b32},
	{ATOMIC_OR, "b64", false, false, ATOMIC_OR, TYPE_b64},
	{ATOMIC_XOR, "b32", true, false, ATOMIC_XOR, TYPE_b32},
	{ATOMIC_XOR, "b64", false, false, ATOMIC_XOR, TYPE_b64},
};

const struct bulk_reduction *bulk_reduction_find(enum atomic_kind asked, const char *type)
{
	for (size_t i = 0; i < ARRAY_SIZE(reductions); i++)
		if (reductions[i].asked == asked && strcmp(reductions[i].type, type) == 0)
			return &reductions[i];
	return NULL;
}

/* ---- bulk copies ---- */

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
	const size_t i = WORD_INDEX(kinds, word);

	return i == ARRAY_SIZE(kinds) ? -1 : (int)kinds[i].kind;
}

/* Reads the modifiers after cp.async.bulk or cp.reduce.async.bulk. Returns false if one is unknown
 * or comes twice. */
static bool read_bulk_words(const struct ptx_statement *at, size_t first, struct bulk_words *out)
{
	const struct word_flag flags[] = {
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

		if (see_flag(flags, ARRAY_SIZE(flags), word))
			continue;
		if (space && !out->to)
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

static bool decode_copy_of_bytes(struct function_decoding *decoding)
{
	const struct ptx_statement *at = decoding->at;
	const bool reduces = strcmp(at->modifiers[0], "reduce") == 0;
	const struct ptx_operand *operands = at->operands;
	struct program_bulk_copy copy = {0};
	struct bulk_words words;
	size_t wanted, next = 3;

	/* After async and bulk, or reduce, async and bulk. */
	if (!read_bulk_words(at, reduces ? 3 : 2, &words) || !spaces_fit(&words, reduces))
		return true;
	if (reduces ? !find_bulk_reduction(&words, &copy)
		    : words.kind >= 0 || words.type || words.noftz)
		return true;
	wanted = 3 + (size_t)words.by_mbarrier + (size_t)words.masked + (size_t)words.multicast +
		 (size_t)words.hint;
	if (!require_operands(decoding, wanted, wanted))
		return false;
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
	return false;
}

/* A prefetch has no effect on values. */
static bool decode_bulk_prefetch(struct function_decoding *decoding)
{
	const struct ptx_statement *at = decoding->at;
	bool hint = at->modifier_count == 6 && strcmp(at->modifiers[5], "L2::cache_hint") == 0;

	if (at->modifier_count != 5 + (size_t)hint || strcmp(at->modifiers[3], "L2") != 0 ||
	    strcmp(at->modifiers[4], "global") != 0)
		return true;
	if (!require_operands(decoding, 2 + (size_t)hint, 2 + (size_t)hint))
		return false;
	decode_bulk_address(decoding, &at->operands[0], PTX_SPACE_GLOBAL);
	decode_source(decoding, &at->operands[1], TYPE_u32);
	if (hint)
		decode_source(decoding, &at->operands[2], TYPE_b64);
	if (!decoding->rc && !decoding->unsupported)
		emit_instruction(decoding, OP_NOTHING);
	return false;
}

const struct statement_form copy_forms[] = {
	{"cp.async.commit_group", decode_without_operands, OP_COPY_COMMIT},
	{"cp.async.wait_all", decode_copy_wait_all, 0},
	{"cp.async.wait_group", decode_group_wait, OP_COPY_WAIT},
	{"cp.async.ca.", decode_copy, 0},
	{"cp.async.cg.", decode_copy, 0},
	{"cp.async.bulk.commit_group", decode_without_operands, OP_BULK_COMMIT},
	{"cp.async.bulk.wait_group", decode_group_wait, OP_BULK_WAIT},
	{"cp.async.bulk.wait_group.read", decode_group_wait, OP_BULK_WAIT},
	{"cp.async.bulk.prefetch.L2.", decode_bulk_prefetch, 0},
	{"cp.reduce.async.bulk.", decode_copy_of_bytes, 0},
	{"cp.async.bulk.", decode_copy_of_bytes, 0},
	{0},
};
