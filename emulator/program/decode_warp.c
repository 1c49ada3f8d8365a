/* Operations among the lanes of a warp: shuffles, votes, matches, reductions. */
#include "emulator/program/decode.h"

#include <string.h>

/* Decodes a result d or d|p. */
static void decode_result_pair(struct function_decoding *decoding,
			       const struct ptx_operand *operand, enum value_type type,
			       uint32_t *dst, uint32_t *dst2)
{
	*dst2 = 0;
	if (operand->kind != PTX_OPERAND_PAIR || operand->element_count != 2) {
		*dst = decode_destination(decoding, operand, type);
		return;
	}
	*dst = decode_destination(decoding, &operand->elements[0], type);
	if (operand->elements[1].kind != PTX_OPERAND_SINK)
		*dst2 = decode_destination(decoding, &operand->elements[1], TYPE_pred);
}

/* Returns the index of the word that is a modifier, or -1. */
static int find_modifier(const struct ptx_statement *at, const char *const *words, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (statement_has_modifier(at, words[i]))
			return (int)i;
	}
	return -1;
}

static bool decode_shuffle(struct function_decoding *decoding)
{
	static const char *const kinds[] = {"up", "down", "bfly", "idx"};
	const struct ptx_statement *at = decoding->at;
	int kind = find_modifier(at, kinds, ARRAY_SIZE(kinds));
	struct instruction *instruction;
	uint32_t value, lane, clamp, members, dst, dst2;

	if (kind < 0 || at->modifier_count != 3 || !statement_has_modifier(at, "b32"))
		return false;
	if (!require_operands(decoding, 5, 5))
		return true;
	value = decode_source(decoding, &at->operands[1], TYPE_b32);
	lane = decode_source(decoding, &at->operands[2], TYPE_u32);
	clamp = decode_source(decoding, &at->operands[3], TYPE_u32);
	members = decode_source(decoding, &at->operands[4], TYPE_u32);
	decode_result_pair(decoding, &at->operands[0], TYPE_b32, &dst, &dst2);
	instruction = emit_instruction(decoding, OP_SHUFFLE);
	instruction->kind = (uint8_t)kind;
	instruction->type = TYPE_b32;
	instruction->dst = dst;
	instruction->dst2 = dst2;
	instruction->a = value;
	instruction->b = lane;
	instruction->c = clamp;
	instruction->d = members;
	emit_extensions(decoding);
	return true;
}

/* Emits an operation on a value (a) and a member mask (d). */
static void emit_exchange(struct function_decoding *decoding, enum operation operation, int kind,
			  enum value_type value_type, enum value_type result_type)
{
	const struct ptx_statement *at = decoding->at;
	struct instruction *instruction;
	uint32_t value, members, dst, dst2;

	if (!require_operands(decoding, 3, 3))
		return;
	value = decode_source(decoding, &at->operands[1], value_type);
	members = decode_source(decoding, &at->operands[2], TYPE_u32);
	decode_result_pair(decoding, &at->operands[0], result_type, &dst, &dst2);
	instruction = emit_instruction(decoding, operation);
	instruction->kind = (uint8_t)kind;
	instruction->type = (uint8_t)value_type;
	instruction->dst = dst;
	instruction->dst2 = dst2;
	instruction->a = value;
	instruction->d = members;
	emit_extensions(decoding);
}

static bool decode_vote(struct function_decoding *decoding)
{
	static const char *const kinds[] = {"all", "any", "uni", "ballot"};
	const struct ptx_statement *at = decoding->at;
	int kind = find_modifier(at, kinds, ARRAY_SIZE(kinds));
	bool ballot = kind == VOTE_BALLOT;

	if (kind < 0 || at->modifier_count != 3 ||
	    !statement_has_modifier(at, ballot ? "b32" : "pred"))
		return false;
	emit_exchange(decoding, OP_VOTE, kind, TYPE_pred, ballot ? TYPE_b32 : TYPE_pred);
	return true;
}

static bool decode_match(struct function_decoding *decoding)
{
	static const char *const kinds[] = {"any", "all"};
	const struct ptx_statement *at = decoding->at;
	int kind = find_modifier(at, kinds, ARRAY_SIZE(kinds));
	enum value_type type;

	if (kind < 0 || at->modifier_count != 3 || !statement_type(at, &type) ||
	    (type != TYPE_b32 && type != TYPE_b64))
		return false;
	emit_exchange(decoding, OP_MATCH, kind, type, TYPE_b32);
	return true;
}

static bool decode_redux(struct function_decoding *decoding)
{
	static const char *const kinds[] = {
		[ATOMIC_ADD] = "add", [ATOMIC_MIN] = "min", [ATOMIC_MAX] = "max",
		[ATOMIC_AND] = "and", [ATOMIC_OR] = "or",   [ATOMIC_XOR] = "xor",
	};
	const struct ptx_statement *at = decoding->at;
	int kind = find_modifier(at, kinds, ARRAY_SIZE(kinds));
	enum value_type type;

	if (kind < 0 || at->modifier_count != 3 || !statement_type(at, &type))
		return false;
	if (kind <= ATOMIC_MAX ? type != TYPE_u32 && type != TYPE_s32 : type != TYPE_b32)
		return false;
	emit_exchange(decoding, OP_REDUX, kind, type, type);
	return true;
}

static bool decode_elect(struct function_decoding *decoding)
{
	const struct ptx_statement *at = decoding->at;
	struct instruction *instruction;
	uint32_t members, dst, dst2;

	if (!require_operands(decoding, 2, 2))
		return true;
	members = decode_source(decoding, &at->operands[1], TYPE_u32);
	decode_result_pair(decoding, &at->operands[0], TYPE_b32, &dst, &dst2);
	instruction = emit_instruction(decoding, OP_ELECT);
	instruction->dst = dst;
	instruction->dst2 = dst2;
	instruction->d = members;
	return true;
}

static bool decode_active_mask(struct function_decoding *decoding)
{
	struct instruction *instruction;
	uint32_t dst;

	if (!require_operands(decoding, 1, 1))
		return true;
	dst = decode_destination(decoding, &decoding->at->operands[0], TYPE_b32);
	instruction = emit_instruction(decoding, OP_ACTIVE_MASK);
	instruction->dst = dst;
	emit_extensions(decoding);
	return true;
}

bool decode_warp(struct function_decoding *decoding)
{
	const struct ptx_statement *at = decoding->at;

	if (strcmp(at->mnemonic, "activemask.b32") == 0)
		return decode_active_mask(decoding);
	/* The forms without .sync are for GPUs before Volta and are not supported. */
	if (!statement_has_modifier(at, "sync"))
		return false;
	if (strcmp(at->base, "shfl") == 0)
		return decode_shuffle(decoding);
	if (strcmp(at->base, "vote") == 0)
		return decode_vote(decoding);
	if (strcmp(at->base, "match") == 0)
		return decode_match(decoding);
	if (strcmp(at->base, "redux") == 0)
		return decode_redux(decoding);
	if (strcmp(at->mnemonic, "elect.sync") == 0)
		return decode_elect(decoding);
	return false;
}
