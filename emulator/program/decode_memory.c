/*
 * Loads, stores and atomics (atom and red, also on vectors and on 128 bits). Cache operators,
 * eviction hints, memory orders and scopes have no effect on values: blocks run one after the
 * other, and every access is visible to all threads immediately.
 */
#include "emulator/program/decode.h"

#include <string.h>

static void set_access_order(struct instruction *instruction, const struct access_modifiers *access)
{
	instruction->strong = access->strong;
	instruction->is_volatile = access->is_volatile;
	instruction->of_block = access->of_block;
	instruction->of_cluster = access->of_cluster;
}

/* The hints that a load or store may have: only in global memory, and priorities of the L2 only for
 * 32 bytes. */
static unsigned access_hints(const struct access_modifiers *access, bool load)
{
	unsigned hints = HINT_L1_PRIORITY | HINT_POLICY;

	if ((access->space != PTX_SPACE_GLOBAL && access->space != PTX_SPACE_GENERIC))
		return 0;
	if (load)
		hints |= HINT_PREFETCH;
	if (access->vector * type_bits(access->type) == 256)
		hints |= HINT_L2_PRIORITY;
	return hints;
}

/* ld.param of an entry becomes moves, since parameters are rows already. */
static void emit_parameter_moves(struct function_decoding *decoding,
				 const struct decoded_address *where,
				 const struct access_modifiers *access,
				 const struct ptx_operand *registers)
{
	int width = type_bits(access->type) / 8;
	int64_t offset = where->offset;

	if (offset < 0 || width * access->vector > where->parameter->bytes - offset) {
		decode_invalid(decoding, "%d bytes at offset %lld of %.60s, which has %lld bytes",
			       width * access->vector, (long long)offset, where->parameter->name,
			       (long long)where->parameter->bytes);
		return;
	}
	for (int i = 0; i < access->vector; i++) {
		enum extension extension;
		uint32_t dst = decode_load_destination(decoding, &registers[i], width,
						       access->is_signed, &extension);
		uint32_t from = value_constant(
			decoding, (struct program_constant){
					  .kind = CONSTANT_PARAMETER,
					  .wide = width == 8,
					  .bytes = (uint8_t)width,
					  .extension = (uint8_t)extension,
					  .bits = (uint64_t)(where->parameter_offset + offset) +
						  (uint64_t)(i * width),
				  });

		emit_result(decoding, width == 8 ? ALU_MOV_B64 : ALU_MOV_B32, dst, from, 0, 0)
			->auxiliary = i > 0;
	}
	emit_extensions(decoding);
}

static bool decode_load(struct function_decoding *decoding)
{
	const struct ptx_statement *at = decoding->at;
	struct access_modifiers access;
	struct decoded_address where;
	const struct ptx_operand *registers;
	struct instruction load = {0}, *instruction;
	enum extension extension = EXTEND_ZERO;
	int width;

	if (!read_access_modifiers(at, &access) || access.kind >= 0)
		return true;
	if (!decode_cache_hints(
		    decoding, strcmp(at->base, "ldu") == 0 ? 0 : access_hints(&access, true), 2, 2))
		return false;
	registers = access.whole
			    ? decode_whole(decoding, &at->operands[0])
			    : operand_registers(decoding, &at->operands[0], (size_t)access.vector);
	where = decode_address(decoding, &at->operands[1], access.space);
	if (!registers || decoding->rc || decoding->unsupported ||
	    !check_variable_space(decoding, &where, access.space))
		return false;
	if (where.parameter) {
		emit_parameter_moves(decoding, &where, &access, registers);
		return false;
	}
	width = type_bits(access.type) / 8;
	for (int i = 0; i < access.vector; i++)
		load.rows[i] = decode_load_destination(decoding, &registers[i], width,
						       access.is_signed, &extension);
	instruction = emit_instruction(decoding, OP_LOAD);
	memcpy(instruction->rows, load.rows, sizeof(load.rows));
	set_access_address(instruction, &where);
	instruction->width = (uint8_t)width;
	instruction->vector = (uint8_t)access.vector;
	instruction->extension = (uint8_t)extension;
	instruction->type = (uint8_t)access.type;
	set_access_order(instruction, &access);
	emit_extensions(decoding);
	if (access.acquires)
		emit_order(decoding, FENCE_ACQUIRE);
	return false;
}

static bool decode_store(struct function_decoding *decoding)
{
	const struct ptx_statement *at = decoding->at;
	struct access_modifiers access;
	struct decoded_address where;
	const struct ptx_operand *registers;
	struct instruction store = {0}, *instruction;
	int width;

	if (!read_access_modifiers(at, &access) || access.kind >= 0)
		return true;
	if (!decode_cache_hints(decoding, access_hints(&access, false), 2, 2))
		return false;
	where = decode_address(decoding, &at->operands[0], access.space);
	registers = access.whole
			    ? decode_whole(decoding, &at->operands[1])
			    : operand_registers(decoding, &at->operands[1], (size_t)access.vector);
	if (!registers || decoding->rc || decoding->unsupported ||
	    !check_variable_space(decoding, &where, access.space))
		return false;
	if (where.parameter || where.space == PTX_SPACE_CONST)
		return decode_invalid(decoding, "%s memory cannot be written",
				      ptx_space_name(where.space));
	width = type_bits(access.type) / 8;
	if (access.releases)
		emit_order(decoding, access.of_block ? FENCE_BLOCK : FENCE_DEVICE);
	for (int i = 0; i < access.vector; i++)
		store.rows[i] = decode_store_source(decoding, &registers[i], width);
	instruction = emit_instruction(decoding, OP_STORE);
	memcpy(instruction->rows, store.rows, sizeof(store.rows));
	set_access_address(instruction, &where);
	instruction->width = (uint8_t)width;
	instruction->vector = (uint8_t)access.vector;
	instruction->type = (uint8_t)access.type;
	set_access_order(instruction, &access);
	return false;
}

/* ---- copies of an entry's parameters in memory ---- */

void decode_parameter_copies(struct function_decoding *decoding)
{
	const struct ptx_function *source = decoding->source;

	for (size_t i = 0; source->entry && i < source->parameter_count; i++) {
		int64_t bytes = source->parameters[i].bytes;
		int64_t base = decoding->out->parameter_offsets[i];

		if (decoding->parameter_copy_offsets[i] < 0)
			continue;
		for (int64_t at = 0; at < bytes;) {
			int width = 8;
			uint32_t from;

			while (width > bytes - at || (base + at) % width)
				width /= 2;
			from = value_constant(decoding, (struct program_constant){
								.kind = CONSTANT_PARAMETER,
								.wide = width == 8,
								.bytes = (uint8_t)width,
								.extension = EXTEND_ZERO,
								.bits = (uint64_t)(base + at),
							});
			emit_frame_access(decoding, OP_STORE, decoding->parameter_copy_offsets[i],
					  width, from)
				->offset = at;
			at += width;
		}
	}
}

/* ---- atomics ---- */

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
	static const int of_halves[][2] = {
		[ATOMIC_ADD] = {ATOMIC_ADD_F16, ATOMIC_ADD_BF16},
		[ATOMIC_MIN] = {ATOMIC_MIN_F16, ATOMIC_MIN_BF16},
		[ATOMIC_MAX] = {ATOMIC_MAX_F16, ATOMIC_MAX_BF16},
	};
	const char *type = NULL;

	for (size_t i = 0; i < at->modifier_count && !type; i++)
		type = strstr(at->modifiers[i], "f16") ? at->modifiers[i] : NULL;
	if (!type)
		return true;
	if (!statement_has_modifier(at, "noftz"))
		return false;
	if (access->kind != ATOMIC_ADD &&
	    ((access->kind != ATOMIC_MIN && access->kind != ATOMIC_MAX) || access->vector == 1))
		return false;
	access->kind = of_halves[access->kind][*type == 'b'];
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
	const struct ptx_operand *from =
		operand_registers(decoding, sources, (size_t)access->vector);
	const struct ptx_operand *to =
		results ? operand_registers(decoding, results, (size_t)access->vector) : NULL;
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

static bool decode_atom(struct function_decoding *decoding)
{
	const struct ptx_statement *at = decoding->at;
	bool reduces = strcmp(at->base, "red") == 0;
	const struct ptx_operand *operands = at->operands;
	struct access_modifiers access;
	struct decoded_address where;
	struct instruction fields = {0}, *instruction;
	unsigned hints = 0;
	size_t wanted;

	if (!read_access_modifiers(at, &access) || access.kind < 0 ||
	    !resolve_half_atomic(at, &access) || !atomic_exists(access.kind, access.type) ||
	    !atomic_vector_exists(&access) || (reduces && !atomic_reduces(access.kind)))
		return true;
	wanted = 3 - (size_t)reduces + (access.kind == ATOMIC_CAS);
	/* A cas has no hint, and shared memory has none. */
	if (access.kind != ATOMIC_CAS && access.space != PTX_SPACE_SHARED)
		hints = HINT_POLICY;
	if (!decode_cache_hints(decoding, hints, wanted, wanted))
		return false;
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
		return false;
	if (where.space != PTX_SPACE_GLOBAL && where.space != PTX_SPACE_GENERIC &&
	    (where.space != PTX_SPACE_SHARED || (access.vector > 1 && !access.whole)))
		return decode_invalid(decoding, "%s cannot access %s memory",
				      access.vector > 1 && !access.whole ? "atomics on vectors"
									 : "atomics",
				      ptx_space_name(where.space));
	/* A release is a fence and then a relaxed access; an acquire is one and then a fence, which
	 * orders only what comes after it. */
	if (access.releases)
		emit_order(decoding, access.of_block ? FENCE_BLOCK : FENCE_DEVICE);
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
	if (access.acquires)
		emit_order(decoding, FENCE_ACQUIRE);
	return false;
}

const struct statement_form memory_forms[] = {
	{"ld", decode_load, 0},   {"ldu", decode_load, 0}, {"st", decode_store, 0},
	{"atom", decode_atom, 0}, {"red", decode_atom, 0}, {0},
};
