/*
 * Comparisons that need several operations: combined with a predicate (setp.lt.and), with two
 * results (p|q), of pairs of halves (setp.lt.f16x2 p|q), and set with a predicate. The others are
 * in alu.def.
 */
#include "emulator/program/decode.h"

#include <stdio.h>
#include <string.h>

/* Returns the modifier "and", "or" or "xor", or NULL. */
static const char *combining_modifier(const struct ptx_statement *at)
{
	static const char *const words[] = {"and", "or", "xor"};
	const size_t i = MODIFIER_INDEX(words, at);

	return i < ARRAY_SIZE(words) ? words[i] : NULL;
}

/* Finds the setp without the combination, without the first skip_types types, and with f16 for
 * f16x2. */
static enum operation find_plain_setp(const struct ptx_statement *at, size_t skip_types)
{
	struct text words = TEXT_INIT;
	enum operation operation;
	enum value_type type;
	const char *combined = combining_modifier(at);

	text_add(&words, "setp");
	for (size_t i = 0; i < at->modifier_count; i++) {
		const char *modifier = at->modifiers[i];
		size_t length = strlen(modifier);

		if (combined && strcmp(modifier, combined) == 0)
			continue;
		if (skip_types && type_of_name(modifier, &type)) {
			skip_types--;
			continue;
		}
		if (strcmp(modifier, "f16x2") == 0 || strcmp(modifier, "bf16x2") == 0)
			length -= 2;
		text_add_char(&words, '.');
		text_add_bytes(&words, modifier, length);
	}
	operation = alu_find(words.data);
	text_release(&words);
	return operation;
}

static bool compares_half_pairs(const struct ptx_statement *at)
{
	return at->modifier_count && strstr(at->modifiers[at->modifier_count - 1], "f16x2");
}

static bool compares_halves(const struct ptx_statement *at)
{
	const char *type = at->modifier_count ? at->modifiers[at->modifier_count - 1] : "";

	return strcmp(type, "f16") == 0 || strcmp(type, "bf16") == 0;
}

/* Emits the comparison into a temporary. Only the first comparison of a statement is counted. */
static uint32_t emit_comparison(struct function_decoding *decoding, enum operation operation,
				uint32_t a, uint32_t b, bool counted)
{
	uint32_t dst = new_temporary(decoding, 1);

	emit_result(decoding, operation, dst, a, b, 0)->auxiliary = !counted;
	return dst;
}

static uint32_t emit_combination(struct function_decoding *decoding, const char *word,
				 uint32_t compared, uint32_t with)
{
	char mnemonic[16];
	uint32_t dst;

	if (!word)
		return compared;
	snprintf(mnemonic, sizeof(mnemonic), "%s.pred", word);
	dst = new_temporary(decoding, 1);
	emit_step(decoding, require_operation(decoding, mnemonic), dst, compared, with, 0);
	return dst;
}

static void emit_predicate_result(struct function_decoding *decoding,
				  const struct ptx_operand *operand, uint32_t value)
{
	if (operand->kind != PTX_OPERAND_SINK)
		emit_step(decoding, ALU_MOV_PRED, decode_destination(decoding, operand, TYPE_pred),
			  value, 0, 0);
}

static uint32_t emit_half_of_pair(struct function_decoding *decoding, uint32_t pair, bool high)
{
	uint32_t half = new_temporary(decoding, 16);

	emit_step(decoding, high ? ALU_UNPACK_B16_1_OF_B32 : ALU_UNPACK_B16_0_OF_B32, half, pair, 0,
		  0);
	return half;
}

static bool decode_setp(struct function_decoding *decoding)
{
	const struct ptx_statement *at = decoding->at;
	const char *word = combining_modifier(at);
	bool pairs = compares_half_pairs(at);
	enum operation operation;
	const struct ptx_operand *p, *q = NULL;
	uint32_t a, b, with = 0, first, second = 0;
	enum value_type type;

	if (!word && !pairs && (!at->operand_count || at->operands[0].kind != PTX_OPERAND_PAIR))
		return true;
	operation = find_plain_setp(at, 0);
	if (operation == OPERATION_COUNT)
		return true;
	if (!require_operands(decoding, word ? 4 : 3, word ? 4 : 3))
		return false;
	p = &at->operands[0];
	if (p->kind == PTX_OPERAND_PAIR && p->element_count == 2) {
		q = &p->elements[1];
		p = &p->elements[0];
	}
	if (q && compares_halves(at))
		return decode_invalid(decoding, "a comparison of halves has one result");
	type = pairs ? TYPE_b32 : (enum value_type)alu_row_of(operation)->types[1];
	a = decode_source(decoding, &at->operands[1], type);
	b = decode_source(decoding, &at->operands[2], type);
	if (word)
		with = decode_source(decoding, &at->operands[3], TYPE_pred);
	if (pairs) {
		uint32_t low_a = emit_half_of_pair(decoding, a, false),
			 low_b = emit_half_of_pair(decoding, b, false);

		first = emit_comparison(decoding, operation, low_a, low_b, true);
		low_a = emit_half_of_pair(decoding, a, true);
		low_b = emit_half_of_pair(decoding, b, true);
		second = emit_comparison(decoding, operation, low_a, low_b, false);
	} else {
		first = emit_comparison(decoding, operation, a, b, true);
		if (q) {
			second = new_temporary(decoding, 1);
			emit_step(decoding, require_operation(decoding, "not.pred"), second, first,
				  0, 0);
		}
	}
	/* Both combinations come before the results: a result may be the predicate that is
	 * combined. */
	first = emit_combination(decoding, word, first, with);
	if (q)
		second = emit_combination(decoding, word, second, with);
	emit_predicate_result(decoding, p, first);
	if (q)
		emit_predicate_result(decoding, q, second);
	return false;
}

/* Finds what set writes where the comparison is true: all ones, or 1.0. */
static bool set_result(const char *name, enum value_type *type, uint32_t *ones)
{
	static const struct {
		const char *name;
		uint32_t ones;
	} results[] = {
		{"u32", UINT32_MAX}, {"s32", UINT32_MAX}, {"f32", 0x3f800000}, {"u16", 0xffff},
		{"s16", 0xffff},     {"f16", 0x3c00},     {"bf16", 0x3f80},
	};

	const size_t i = WORD_INDEX(results, name);

	if (i == ARRAY_SIZE(results))
		return false;
	*ones = results[i].ones;
	return type_of_name(name, type);
}

/* Only comparisons of halves give 16-bit integers. They do not give f32, and those of bf16 do not
 * give f16. */
static bool set_exists(const struct ptx_statement *at, const char *result)
{
	if (compares_half_pairs(at))
		return false;
	if (strcmp(result, "u16") == 0 || strcmp(result, "s16") == 0)
		return compares_halves(at);
	if (strcmp(result, "f32") == 0)
		return !compares_halves(at);
	return strcmp(result, "f16") != 0 ||
	       strcmp(at->modifiers[at->modifier_count - 1], "bf16") != 0;
}

/* Decodes set.lt.and.u32.f32 and the forms of set that are not in alu.def. */
static bool decode_set(struct function_decoding *decoding)
{
	const struct ptx_statement *at = decoding->at;
	enum operation operation = find_plain_setp(at, 1);
	enum value_type type, result = TYPE_pred;
	const char *word = combining_modifier(at), *name = "";
	uint32_t a, b, with = 0, holds, dst, ones;

	for (size_t i = 0; i < at->modifier_count && result == TYPE_pred; i++) {
		if (type_of_name(at->modifiers[i], &result))
			name = at->modifiers[i];
	}
	if (alu_find(at->mnemonic) != OPERATION_COUNT || operation == OPERATION_COUNT ||
	    !set_exists(at, name) || !set_result(name, &result, &ones))
		return true;
	if (!require_operands(decoding, word ? 4 : 3, word ? 4 : 3))
		return false;
	type = (enum value_type)alu_row_of(operation)->types[1];
	a = decode_source(decoding, &at->operands[1], type);
	b = decode_source(decoding, &at->operands[2], type);
	if (word)
		with = decode_source(decoding, &at->operands[3], TYPE_pred);
	holds = emit_comparison(decoding, operation, a, b, true);
	holds = emit_combination(decoding, word, holds, with);
	dst = decode_destination(decoding, &at->operands[0], result);
	emit_step(decoding, type_bits(result) == 32 ? ALU_SELP_B32 : ALU_SELP_B16, dst,
		  value_bits(decoding, ones, false), value_bits(decoding, 0, false), holds);
	emit_extensions(decoding);
	return false;
}

const struct statement_form compare_forms[] = {
	{"setp", decode_setp, 0},
	{"set", decode_set, 0},
	{0},
};
