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

/* Returns the index of the word that is a modifier, or -1. The forms without .sync are for GPUs
 * before Volta and are not supported. */
static int exchange_kind(const struct ptx_statement *at, const char *const *words, size_t count)
{
	const size_t kind = find_modifier(at, words, count, sizeof(*words));

	return kind == count || at->modifier_count != 3 || !statement_has_modifier(at, "sync")
		       ? -1
		       : (int)kind;
}

static bool decode_shuffle(struct function_decoding *decoding)
{
	static const char *const kinds[] = {"up", "down", "bfly", "idx"};
	const struct ptx_statement *at = decoding->at;
	int kind = exchange_kind(at, kinds, ARRAY_SIZE(kinds));
	struct instruction *instruction;
	uint32_t value, lane, clamp, members, dst, dst2;

	if (kind < 0 || !statement_has_modifier(at, "b32"))
		return true;
	if (!require_operands(decoding, 5, 5))
		return false;
	value = decode_source(decoding, &at->operands[1], TYPE_b32);
	lane = decode_source(decoding, &at->operands[2], TYPE_u32);
	clamp = decode_source(decoding, &at->operands[3], TYPE_u32);
	members = decode_source(decoding, &at->operands[4], TYPE_u32);
	decode_result_pair(decoding, &at->operands[0], TYPE_b32, &dst, &dst2);
	instruction = emit_result(decoding, OP_SHUFFLE, dst, value, lane, clamp);
	instruction->kind = (uint8_t)kind;
	instruction->type = TYPE_b32;
	instruction->dst2 = dst2;
	instruction->d = members;
	emit_extensions(decoding);
	return false;
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
	instruction = emit_result(decoding, operation, dst, value, 0, 0);
	instruction->kind = (uint8_t)kind;
	instruction->type = (uint8_t)value_type;
	instruction->dst2 = dst2;
	instruction->d = members;
	emit_extensions(decoding);
}

static bool decode_vote(struct function_decoding *decoding)
{
	static const char *const kinds[] = {"all", "any", "uni", "ballot"};
	const struct ptx_statement *at = decoding->at;
	int kind = exchange_kind(at, kinds, ARRAY_SIZE(kinds));
	bool ballot = kind == VOTE_BALLOT;

	if (kind < 0 || !statement_has_modifier(at, ballot ? "b32" : "pred"))
		return true;
	emit_exchange(decoding, OP_VOTE, kind, TYPE_pred, ballot ? TYPE_b32 : TYPE_pred);
	return false;
}

static bool decode_match(struct function_decoding *decoding)
{
	static const char *const kinds[] = {"any", "all"};
	const struct ptx_statement *at = decoding->at;
	int kind = exchange_kind(at, kinds, ARRAY_SIZE(kinds));
	enum value_type type;

	if (kind < 0 || !statement_type(at, &type) || (type != TYPE_b32 && type != TYPE_b64))
		return true;
	emit_exchange(decoding, OP_MATCH, kind, type, TYPE_b32);
	return false;
}

static bool decode_redux(struct function_decoding *decoding)
{
	static const char *const kinds[] = {
		[ATOMIC_ADD] = "add", [ATOMIC_MIN] = "min", [ATOMIC_MAX] = "max",
		[ATOMIC_AND] = "and", [ATOMIC_OR] = "or",   [ATOMIC_XOR] = "xor",
	};
	const struct ptx_statement *at = decoding->at;
	int kind = exchange_kind(at, kinds, ARRAY_SIZE(kinds));
	enum value_type type;

	if (kind < 0 || !statement_type(at, &type))
		return true;
	if (kind <= ATOMIC_MAX ? type != TYPE_u32 && type != TYPE_s32 : type != TYPE_b32)
		return true;
	emit_exchange(decoding, OP_REDUX, kind, type, type);
	return false;
}

static bool decode_elect(struct function_decoding *decoding)
{
	const struct ptx_statement *at = decoding->at;
	struct instruction *instruction;
	uint32_t members, dst, dst2;

	if (!require_operands(decoding, 2, 2))
		return false;
	members = decode_source(decoding, &at->operands[1], TYPE_u32);
	decode_result_pair(decoding, &at->operands[0], TYPE_b32, &dst, &dst2);
	instruction = emit_instruction(decoding, OP_ELECT);
	instruction->dst = dst;
	instruction->dst2 = dst2;
	instruction->d = members;
	return false;
}

static bool decode_active_mask(struct function_decoding *decoding)
{
	struct instruction *instruction;
	uint32_t dst;

	if (!require_operands(decoding, 1, 1))
		return false;
	dst = decode_destination(decoding, &decoding->at->operands[0], TYPE_b32);
	instruction = emit_instruction(decoding, OP_ACTIVE_MASK);
	instruction->dst = dst;
	emit_extensions(decoding);
	return false;
}

const struct statement_form warp_forms[] = {
	{"activemask.b32", decode_active_mask, 0},
	{"shfl", decode_shuffle, 0},
	{"vote", decode_vote, 0},
	{"match", decode_match, 0},
	{"redux", decode_redux, 0},
	{"elect.sync", decode_elect, 0},
	{0},
};
