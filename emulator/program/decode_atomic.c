/* Atomics: atom and red, also on vectors and on 128 bits. */
#include <string.h>

#include "emulator/program/decode_access.h"

static bool atomic_exists(int kind, enum value_type type)
{
	switch (kind) {
	case ATOMIC_ADD:
		return type == TYPE_u32 || type == TYPE_s32 || type == TYPE_u64 ||
		       type == TYPE_f32 || type == TYPE_f64;
	case ATOMIC_MIN:
	case ATOMIC_MAX:
		return type == TYPE_u32 || type == TYPE_s32 || type == TYPE_u64 || type == TYPE_s64;
	case ATOMIC_INC:
	case ATOMIC_DEC:
		return type == TYPE_u32;
	case ATOMIC_ADD_F16:
	case ATOMIC_ADD_BF16:
	case ATOMIC_MIN_F16:
	case ATOMIC_MIN_BF16:
	case ATOMIC_MAX_F16:
	case ATOMIC_MAX_BF16:
		return type == TYPE_b16 || type == TYPE_b32;
	case ATOMIC_CAS:
		return type == TYPE_b16 || type == TYPE_b32 || type == TYPE_b64;
	default:
		return type == TYPE_b32 || type == TYPE_b64;
	}
}

/* exch and cas exist only as atom, in PTX and in machine code. */
static bool atomic_reduces(int kind)
{
	return kind >= 0 && kind != ATOMIC_EXCH && kind != ATOMIC_CAS;
}

/* read_access_modifiers() reads f16 and bf16 as types of bits. What an atomic does to halves is a
 * kind of its own; only vectors have the least and the greatest. Returns false for another atomic
 * on halves, or one without .noftz. */
static bool resolve_half_atomic(const struct ptx_statement *at, struct access_modifiers *access)
{
	const char *type = NULL;
	bool brain;

	for (size_t i = 0; i < at->modifier_count && !type; i++)
		type = strstr(at->modifiers[i], "f16") ? at->modifiers[i] : NULL;
	if (!type)
		return true;
	brain = *type == 'b';
	if (!statement_has_modifier(at, "noftz"))
		return false;
	if (access->kind == ATOMIC_ADD)
		access->kind = brain ? ATOMIC_ADD_BF16 : ATOMIC_ADD_F16;
	else if (access->kind == ATOMIC_MIN && access->vector > 1)
		access->kind = brain ? ATOMIC_MIN_BF16 : ATOMIC_MIN_F16;
	else if (access->kind == ATOMIC_MAX && access->vector > 1)
		access->kind = brain ? ATOMIC_MAX_BF16 : ATOMIC_MAX_F16;
	else
		return false;
	return true;
}

/* Vectors are sums of f32, or halves, of at most 16 bytes, in global memory. */
static bool atomic_vector_exists(const struct access_modifiers *access)
{
	bool halves = access->kind > ATOMIC_DEC;

	if (access->whole)
		return access->kind == ATOMIC_EXCH || access->kind == ATOMIC_CAS;
	if (access->vector == 1)
		return true;
	return (halves || (access->kind == ATOMIC_ADD && access->type == TYPE_f32)) &&
	       access->vector * type_bits(access->type) <= 128 &&
	       (access->space == PTX_SPACE_GLOBAL || access->space == PTX_SPACE_GENERIC);
}

/* Reads the vectors of an atomic into the rows of *out, halves as words of two. */
static void decode_atomic_vectors(struct function_decoding *decoding,
				  const struct access_modifiers *access,
				  const struct ptx_operand *results,
				  const struct ptx_operand *sources, struct instruction *out)
{
	const struct ptx_operand *from = access_registers(decoding, sources, access->vector);
	const struct ptx_operand *to =
		results ? access_registers(decoding, results, access->vector) : NULL;
	bool halves = access->type == TYPE_b16;
	int words = halves ? access->vector / 2 : access->vector;

	out->vector = (uint8_t)words;
	out->width = 4;
	if (!from || (results && !to))
		return;
	for (int i = 0; i < words; i++) {
		uint32_t low, high;

		if (!halves) {
			out->rows[i] = decode_source(decoding, &from[i], access->type);
			continue;
		}
		low = decode_source(decoding, &from[2 * i], TYPE_b16);
		high = decode_source(decoding, &from[2 * i + 1], TYPE_b16);
		out->rows[i] = new_temporary(decoding, 32);
		emit_step(decoding, ALU_PACK_B32_B16, out->rows[i], low, high, 0);
	}
	for (int i = 0; to && i < words; i++)
		out->rows[ATOMIC_RESULTS + i] =
			halves ? new_temporary(decoding, 32)
			       : decode_destination(decoding, &to[i], access->type);
	if (words == 1) { /* as an atomic on a pair of halves */
		out->b = out->rows[0];
		out->dst = out->rows[ATOMIC_RESULTS];
		out->rows[0] = out->rows[ATOMIC_RESULTS] = 0;
	}
}

/* Splits the words that an atomic on halves returned. */
static void emit_half_results(struct function_decoding *decoding, const struct ptx_operand *results,
			      const struct instruction *atomic)
{
	static const enum operation parts[] = {ALU_UNPACK_B16_0_OF_B32, ALU_UNPACK_B16_1_OF_B32};

	for (size_t i = 0; i < results->element_count; i++)
		emit_step(decoding, parts[i % 2],
			  decode_destination(decoding, &results->elements[i], TYPE_b16),
			  atomic->vector > 1 ? atomic->rows[ATOMIC_RESULTS + i / 2] : atomic->dst,
			  0, 0);
}

/* Reads the halves of an exchange of 128 bits into the rows of *out. Those of the new value of a
 * cas follow those of the value that it compares. */
static void decode_atomic_whole(struct function_decoding *decoding,
				const struct access_modifiers *access, struct instruction *out)
{
	const struct ptx_operand *operands = decoding->at->operands;
	const struct ptx_operand *halves;
	const size_t sources = access->kind == ATOMIC_CAS ? 2 : 1;

	out->vector = 2;
	out->width = 8;
	for (size_t i = 0; i < 2 * sources; i++) {
		halves = decode_whole(decoding, &operands[2 + i / 2]);
		if (halves)
			out->rows[i] = decode_source(decoding, &halves[i % 2], TYPE_b64);
	}
	if (operands[0].kind == PTX_OPERAND_SINK)
		return;
	halves = decode_whole(decoding, &operands[0]);
	for (size_t i = 0; halves && i < 2; i++)
		out->rows[ATOMIC_RESULTS + i] = decode_destination(decoding, &halves[i], TYPE_b64);
}

/* A cas has none, and shared memory has none. */
static unsigned atomic_hints(const struct access_modifiers *access)
{
	return access->kind != ATOMIC_CAS && access->space != PTX_SPACE_SHARED ? HINT_POLICY : 0;
}

static void decode_atom(struct function_decoding *decoding)
{
	const struct ptx_statement *at = decoding->at;
	bool reduces = strcmp(at->base, "red") == 0;
	const struct ptx_operand *operands = at->operands;
	struct access_modifiers access;
	struct decoded_address where;
	struct instruction fields = {0}, *instruction;
	size_t wanted;

	if (!read_access_modifiers(at, &access) || access.kind < 0 ||
	    !resolve_half_atomic(at, &access) || !atomic_exists(access.kind, access.type) ||
	    !atomic_vector_exists(&access) || (reduces && !atomic_reduces(access.kind))) {
		decode_unsupported(decoding, "opcode", at->mnemonic);
		return;
	}
	wanted = 3 - (size_t)reduces + (access.kind == ATOMIC_CAS);
	if (!decode_cache_hints(decoding, atomic_hints(&access), wanted, wanted))
		return;
	operands += !reduces;
	if (access.whole) {
		decode_atomic_whole(decoding, &access, &fields);
	} else if (access.vector > 1) {
		decode_atomic_vectors(decoding, &access, reduces ? NULL : at->operands,
				      &operands[1], &fields);
	} else {
		if (!reduces)
			fields.dst = decode_destination(decoding, at->operands, access.type);
		fields.b = decode_source(decoding, &operands[1], access.type);
		if (access.kind == ATOMIC_CAS)
			fields.c = decode_source(decoding, &operands[2], access.type);
		fields.vector = 1;
		fields.width = (uint8_t)(type_bits(access.type) / 8);
	}
	where = decode_address(decoding, operands, access.space);
	if (decoding->rc || decoding->unsupported ||
	    !check_variable_space(decoding, &where, access.space))
		return;
	if (where.space != PTX_SPACE_GLOBAL && where.space != PTX_SPACE_GENERIC &&
	    (where.space != PTX_SPACE_SHARED || (access.vector > 1 && !access.whole))) {
		decode_invalid(decoding, "%s cannot access %s memory",
			       access.vector > 1 && !access.whole ? "atomics on vectors"
								  : "atomics",
			       ptx_space_name(where.space));
		return;
	}
	emit_release(decoding, &access);
	instruction = emit_instruction(decoding, OP_ATOMIC);
	set_access_address(instruction, &where);
	instruction->of_block = access.of_block;
	instruction->of_cluster = access.of_cluster;
	instruction->kind = (uint8_t)access.kind;
	instruction->type =
		(uint8_t)(access.type == TYPE_b16 && fields.width == 4 ? TYPE_b32 : access.type);
	instruction->width = fields.width;
	instruction->vector = fields.vector;
	instruction->dst = fields.dst;
	instruction->b = fields.b;
	instruction->c = fields.c;
	memcpy(instruction->rows, fields.rows, sizeof(fields.rows));
	/* analyse_liveness() finds out whether the result of an atom is read. */
	instruction->result_unused = reduces;
	if (access.vector > 1 && access.type == TYPE_b16 && !reduces)
		emit_half_results(decoding, at->operands, &fields);
	emit_extensions(decoding);
	emit_acquire(decoding, &access);
}

bool decode_atomic(struct function_decoding *decoding)
{
	const char *base = decoding->at->base;

	if (strcmp(base, "atom") != 0 && strcmp(base, "red") != 0)
		return false;
	decode_atom(decoding);
	return true;
}
