/*
 * Arithmetic of alu.def, and statements that become several of its operations: mov with a vector of
 * registers, other names of address conversions, and carry chains. The carry flag CC has no name in
 * PTX. The decoder keeps it in a predicate.
 */
#include "emulator/program/decode.h"

#include <stdio.h>
#include <string.h>

#define MOST_MOVED 8 /* elements of a vector */

void decode_alu(struct function_decoding *decoding, enum operation operation)
{
	const struct alu_row *row = alu_row_of(operation);
	const struct ptx_operand *operands = decoding->at->operands;
	uint32_t sources[4] = {0}, dst;

	if (!require_operands(decoding, (size_t)row->operands + 1, (size_t)row->operands + 1))
		return;
	for (int i = 0; i < row->operands; i++)
		sources[i] = decode_source(decoding, &operands[i + 1], row->types[i + 1]);
	dst = decode_destination(decoding, &operands[0], row->types[0]);
	emit_result(decoding, operation, dst, sources[0], sources[1], sources[2])->d = sources[3];
	emit_extensions(decoding);
}

/* ---- mov with {} ---- */

/* How a value of `bits` bits is split into `count` parts. */
static const struct split {
	int bits;
	size_t count;
	enum value_type part;
	enum operation pack, unpack[4];
} splits[] = {
	{64, 2, TYPE_b32, ALU_PACK_B64_B32, {ALU_UNPACK_B32_0_OF_B64, ALU_UNPACK_B32_1_OF_B64}},
	{64,
	 4,
	 TYPE_b16,
	 ALU_PACK_B64_B16,
	 {ALU_UNPACK_B16_0_OF_B64, ALU_UNPACK_B16_1_OF_B64, ALU_UNPACK_B16_2_OF_B64,
	  ALU_UNPACK_B16_3_OF_B64}},
	{32, 2, TYPE_b16, ALU_PACK_B32_B16, {ALU_UNPACK_B16_0_OF_B32, ALU_UNPACK_B16_1_OF_B32}},
	{32,
	 4,
	 TYPE_u8,
	 ALU_PACK_B32_B8,
	 {ALU_UNPACK_B8_0_OF_B32, ALU_UNPACK_B8_1_OF_B32, ALU_UNPACK_B8_2_OF_B32,
	  ALU_UNPACK_B8_3_OF_B32}},
	{16, 2, TYPE_u8, ALU_PACK_B16_B8, {ALU_UNPACK_B8_0_OF_B16, ALU_UNPACK_B8_1_OF_B16}},
};

/* Returns NULL if a value of this type cannot be split so. */
static const struct split *find_split(enum value_type whole, size_t count)
{
	for (size_t i = 0; i < ARRAY_SIZE(splits); i++)
		if (splits[i].bits == type_bits(whole) && splits[i].count == count)
			return &splits[i];
	return NULL;
}

static void decode_pack(struct function_decoding *decoding, const struct split *split,
			enum value_type whole)
{
	const struct ptx_operand *vector = &decoding->at->operands[1];
	uint32_t parts[4] = {0}, dst;

	for (size_t i = 0; i < split->count; i++)
		parts[i] = decode_source(decoding, &vector->elements[i], split->part);
	dst = decode_destination(decoding, &decoding->at->operands[0], whole);
	emit_result(decoding, split->pack, dst, parts[0], parts[1], parts[2])->d = parts[3];
	emit_extensions(decoding);
}

static void decode_unpack(struct function_decoding *decoding, const struct split *split,
			  enum value_type whole)
{
	const struct ptx_operand *vector = &decoding->at->operands[0];
	uint32_t from = decode_source(decoding, &decoding->at->operands[1], whole);
	bool counted = false;

	for (size_t i = 0; i < split->count; i++) {
		uint32_t dst;

		if (vector->elements[i].kind == PTX_OPERAND_SINK &&
		    (counted || i + 1 < split->count))
			continue;
		dst = decode_destination(decoding, &vector->elements[i], split->part);
		emit_result(decoding, split->unpack[i], dst, from, 0, 0)->auxiliary = counted;
		counted = true;
	}
	emit_extensions(decoding);
}

/* mov.v4.u32 {…}, %tid, or another special register of three numbers. Returns false if the
 * statement is none. */
static bool decode_special_vector(struct function_decoding *decoding)
{
	static const char *const vectors[] = {"%tid",           "%ntid",          "%ctaid",
					      "%nctaid",        "%clusterid",     "%nclusterid",
					      "%cluster_ctaid", "%cluster_nctaid"};
	const struct ptx_statement *at = decoding->at;
	const struct ptx_operand *results = at->operands, *from = at->operands + 1;

	if (!statement_has_modifier(at, "v4") || !statement_has_modifier(at, "u32") ||
	    at->modifier_count != 2 || results->element_count != 4 ||
	    from->kind != PTX_OPERAND_SPECIAL ||
	    WORD_INDEX(vectors, from->name) == ARRAY_SIZE(vectors))
		return false;
	for (size_t i = 0; i < 4; i++) {
		char name[32];
		uint32_t dst = decode_destination(decoding, &results->elements[i], TYPE_u32);
		struct instruction *move;

		snprintf(name, sizeof(name), "%s.%c", from->name, "xyz"[i % 3]);
		move = emit_instruction(decoding, ALU_MOV_B32);
		move->auxiliary = i > 0;
		move->dst = dst;
		/* The fourth element is always 0. */
		move->a = i < 3 ? decode_special_source(decoding, name, TYPE_u32)
				: value_bits(decoding, 0, false);
	}
	emit_extensions(decoding);
	return true;
}

/* Moves elements of one type. All are read before one is written. */
static void emit_element_moves(struct function_decoding *decoding, const struct ptx_operand *to,
			       const struct ptx_operand *from, enum value_type type)
{
	const enum operation move = type_bits(type) == 64 ? ALU_MOV_B64 : ALU_MOV_B32;
	uint32_t values[MOST_MOVED];

	for (size_t i = 0; i < to->element_count; i++) {
		uint32_t source = decode_source(decoding, &from->elements[i], type);

		values[i] = new_temporary(decoding, type_bits(type) < 16 ? 16 : type_bits(type));
		emit_step(decoding, move, values[i], source, 0, 0);
	}
	for (size_t i = 0; i < to->element_count; i++) {
		uint32_t dst = decode_destination(decoding, &to->elements[i], type);

		emit_result(decoding, move, dst, values[i], 0, 0)->auxiliary = i > 0;
	}
	emit_extensions(decoding);
}

/* mov.v4.u16 {a, b, c, d}, {e, f, g, h}. Returns false if the statement is none. */
static bool decode_element_moves(struct function_decoding *decoding)
{
	const struct ptx_statement *at = decoding->at;
	const struct ptx_operand *to = at->operands, *from = at->operands + 1;
	enum value_type type;
	char vector[4];

	snprintf(vector, sizeof(vector), "v%zu", to->element_count % 10);
	if (at->modifier_count != 2 || !statement_has_modifier(at, vector) ||
	    to->kind != PTX_OPERAND_VECTOR || from->kind != PTX_OPERAND_VECTOR ||
	    to->element_count != from->element_count || to->element_count > MOST_MOVED ||
	    !statement_type(at, &type) || type == TYPE_pred)
		return false;
	emit_element_moves(decoding, to, from, type);
	return true;
}

/* mov.b128: a register has two halves, and is made of two parts or parted into them. */
static bool decode_whole_move(struct function_decoding *decoding)
{
	const struct ptx_operand *to = decoding->at->operands, *from;
	bool immediate;

	if (!require_operands(decoding, 2, 2))
		return false;
	from = to + 1;
	immediate = from->kind == PTX_OPERAND_INTEGER || from->kind == PTX_OPERAND_SYMBOL;
	if ((to->whole && (immediate || from->element_count == 4)) ||
	    (from->whole && to->element_count == 4))
		return decode_unsupported(decoding, "",
					  "a mov.b128 with four parts or an immediate value");
	if (!((to->whole || from->whole) && to->kind == PTX_OPERAND_VECTOR &&
	      from->kind == PTX_OPERAND_VECTOR && to->element_count == 2 &&
	      from->element_count == 2))
		return decode_invalid(decoding,
				      "expected a register of 128 bits and another one, or its "
				      "parts");
	emit_element_moves(decoding, to, from, TYPE_b64);
	return false;
}

/* A plain move is in alu.def. */
static bool decode_vector_mov(struct function_decoding *decoding)
{
	const struct ptx_statement *at = decoding->at;
	bool packs = at->operand_count == 2 && at->operands[1].kind == PTX_OPERAND_VECTOR;
	bool unpacks = at->operand_count == 2 && at->operands[0].kind == PTX_OPERAND_VECTOR;
	const struct split *split;
	enum value_type type;

	if (strcmp(at->mnemonic, "mov.b128") == 0)
		return decode_whole_move(decoding);
	if (unpacks && (decode_special_vector(decoding) || decode_element_moves(decoding)))
		return false;
	if ((!packs && !unpacks) || at->modifier_count != 1 || !statement_type(at, &type))
		return true;
	split = find_split(type, at->operands[packs].element_count);
	if (!split)
		return decode_unsupported(decoding, "", "a mov with this kind of vector");
	if (packs)
		decode_pack(decoding, split, type);
	else
		decode_unpack(decoding, split, type);
	return false;
}

/* ---- carry chains ---- */

/* Emits d = a + b or d = a - b, with carry in and carry out. */
static void emit_carry(struct function_decoding *decoding, bool subtracts, bool carry_in,
		       bool carry_out, bool wide, uint32_t dst, uint32_t a, uint32_t b)
{
	static const enum operation carries[2][2][2] = {
		{{ALU_ADD_CARRY_U32, ALU_ADD_CARRY_U64}, {ALU_ADDC_CARRY_U32, ALU_ADDC_CARRY_U64}},
		{{ALU_SUB_CARRY_U32, ALU_SUB_CARRY_U64}, {ALU_SUBC_CARRY_U32, ALU_SUBC_CARRY_U64}},
	};
	static const enum operation sums[2][2][2] = {
		{{ALU_ADD_U32, ALU_ADD_U64}, {ALU_ADDC_U32, ALU_ADDC_U64}},
		{{ALU_SUB_U32, ALU_SUB_U64}, {ALU_SUBC_U32, ALU_SUBC_U64}},
	};
	uint32_t carry, next = 0;

	/* The carry flag has no value then: on an H200 it has what other instructions left in it.
	 */
	if (carry_in && !decoding->carry)
		decode_unsupported(decoding, "", "a carry flag that nothing has set");
	if (!decoding->carry)
		decoding->carry = new_temporary(decoding, 1);
	carry = decoding->carry;

	/* The carry is computed first, since the result may overwrite an operand. It goes to a
	 * temporary, since the sum still needs the old carry. */
	if (carry_out) {
		next = new_temporary(decoding, 1);
		emit_step(decoding, carries[subtracts][carry_in][wide], next, a, b,
			  carry_in ? carry : 0);
	}
	emit_result(decoding, sums[subtracts][carry_in][wide], dst, a, b, carry_in ? carry : 0);
	if (carry_out)
		emit_result(decoding, ALU_MOV_PRED, carry, next, 0, 0)->auxiliary = true;
}

/* add.cc, addc, addc.cc, sub…, mad.lo.cc, madc.hi.cc and so on. */
static bool decode_carry_chain(struct function_decoding *decoding)
{
	static const struct {
		const char *base;
		bool multiplies, subtracts, carry_in;
	} chains[] = {
		{"add", false, false, false}, {"addc", false, false, true},
		{"sub", false, true, false},  {"subc", false, true, true},
		{"mad", true, false, false},  {"madc", true, false, true},
	};
	const struct ptx_statement *at = decoding->at;
	bool carry_out = statement_has_modifier(at, "cc");
	enum value_type type;
	char product[32];
	uint32_t a, b, dst;
	const size_t i = WORD_INDEX(chains, at->base);

	if ((!carry_out && !chains[i].carry_in) || !statement_type(at, &type) ||
	    type_bits(type) < 32 || type == TYPE_f32 || type == TYPE_f64 ||
	    at->modifier_count != (size_t)1 + carry_out + chains[i].multiplies ||
	    (chains[i].multiplies && !statement_has_modifier(at, "lo") &&
	     !statement_has_modifier(at, "hi")))
		return true;
	if (!require_operands(decoding, chains[i].multiplies ? 4 : 3, chains[i].multiplies ? 4 : 3))
		return false;
	a = decode_source(decoding, &at->operands[1], type);
	b = decode_source(decoding, &at->operands[2], type);
	if (chains[i].multiplies) {
		uint32_t value = new_temporary(decoding, type_bits(type));

		snprintf(product, sizeof(product), "mul.%s.%s",
			 statement_has_modifier(at, "lo") ? "lo" : "hi",
			 at->modifiers[at->modifier_count - 1]);
		emit_step(decoding, require_operation(decoding, product), value, a, b, 0);
		a = value;
		b = decode_source(decoding, &at->operands[3], type);
	}
	dst = decode_destination(decoding, &at->operands[0], type);
	emit_carry(decoding, chains[i].subtracts, chains[i].carry_in, carry_out,
		   type_bits(type) == 64, dst, a, b);
	emit_extensions(decoding);
	return false;
}

/* ---- lop3 with a predicate ---- */

/* lop3.or and lop3.and: d|p = lop3(a, b, c), p = d != 0 or/and q. */
static bool decode_lookup_with_predicate(struct function_decoding *decoding)
{
	const struct ptx_statement *at = decoding->at;
	bool any = strcmp(at->mnemonic, "lop3.or.b32") == 0;
	const struct ptx_operand *results = at->operands;
	uint32_t sources[5] = {0}, dst, compared, combined, predicate;

	if (!require_operands(decoding, 6, 6))
		return false;
	if (results->kind != PTX_OPERAND_PAIR || results->element_count != 2)
		return decode_invalid(decoding, "the result must be d|p");
	for (size_t i = 0; i < 4; i++)
		sources[i] = decode_source(decoding, &at->operands[i + 1], TYPE_b32);
	sources[4] = decode_source(decoding, &at->operands[5], TYPE_pred);
	/* The result may be an operand of the combination. */
	dst = new_temporary(decoding, 32);
	compared = new_temporary(decoding, 1);
	combined = new_temporary(decoding, 1);
	emit_result(decoding, ALU_LOP3_B32, dst, sources[0], sources[1], sources[2])->d =
		sources[3];
	emit_step(decoding, ALU_SETP_NE_B32, compared, dst, value_bits(decoding, 0, false), 0);
	emit_step(decoding, any ? ALU_OR_PRED : ALU_AND_PRED, combined, compared, sources[4], 0);
	predicate = decode_destination(decoding, &results->elements[1], TYPE_pred);
	emit_step(decoding, ALU_MOV_PRED, predicate, combined, 0, 0);
	if (results->elements[0].kind != PTX_OPERAND_SINK)
		emit_step(decoding, ALU_MOV_B32,
			  decode_destination(decoding, &results->elements[0], TYPE_b32), dst, 0, 0);
	emit_extensions(decoding);
	return false;
}

/* Address conversions with another name in alu.def. */
static bool decode_address_conversion(struct function_decoding *decoding)
{
	static const char *const names[][2] = {
		/* Parameters whose address is taken are copied to local memory. */
		{"cvta.param.u64", "cvta.local.u64"},
		{"cvta.to.param.u64", "cvta.to.local.u64"},
		{"cvta.shared::cta.u64", "cvta.shared.u64"},
		{"cvta.to.shared::cta.u64", "cvta.to.shared.u64"},
		{"cvta.shared::cluster.u64", "cvta.shared.u64"},
		{"cvta.to.shared::cluster.u64", "cvta.to.shared.u64"},
	};
	const size_t i = WORD_INDEX(names, decoding->at->mnemonic);

	if (i == ARRAY_SIZE(names))
		return true;
	decode_alu(decoding, alu_find(names[i][1]));
	return false;
}

const struct statement_form alu_forms[] = {
	{"mov", decode_vector_mov, 0},
	{"lop3.or.b32", decode_lookup_with_predicate, 0},
	{"lop3.and.b32", decode_lookup_with_predicate, 0},
	{"cvta", decode_address_conversion, 0},
	{"add", decode_carry_chain, 0},
	{"addc", decode_carry_chain, 0},
	{"sub", decode_carry_chain, 0},
	{"subc", decode_carry_chain, 0},
	{"mad", decode_carry_chain, 0},
	{"madc", decode_carry_chain, 0},
	{0},
};
