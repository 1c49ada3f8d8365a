/*
 * Loads and stores. Cache operators, eviction hints, memory orders and scopes have no
 * effect on values: blocks run one after the other, and every access is visible to all threads
 * immediately.
 */
#include "emulator/program/decode_access.h"

#include <stdlib.h>
#include <string.h>

static bool space_of_modifier(const char *word, enum ptx_space *space)
{
	static const struct {
		const char *word;
		enum ptx_space space;
	} spaces[] = {
		{"global", PTX_SPACE_GLOBAL},      {"shared", PTX_SPACE_SHARED},
		{"shared::cta", PTX_SPACE_SHARED}, {"shared::cluster", PTX_SPACE_SHARED},
		{"local", PTX_SPACE_LOCAL},        {"const", PTX_SPACE_CONST},
		{"param", PTX_SPACE_PARAM},        {"param::entry", PTX_SPACE_PARAM},
		{"param::func", PTX_SPACE_PARAM},
	};

	for (size_t i = 0; i < ARRAY_SIZE(spaces); i++) {
		if (strcmp(spaces[i].word, word) == 0) {
			*space = spaces[i].space;
			return true;
		}
	}
	return false;
}

/* Modifiers that have no effect in the emulator. */
static bool modifier_is_hint(const char *word)
{
	static const char *const hints[] = {
		"weak", "volatile", "sc", "mmio", "cta", "cluster", "gpu", "sys", "gl",
		"nc",   "ca",       "cg", "cs",   "lu",  "cv",      "wb",  "wt",  "noftz",
	};

	for (size_t i = 0; i < ARRAY_SIZE(hints); i++) {
		if (strcmp(hints[i], word) == 0)
			return true;
	}
	return modifier_is_cache_hint(word);
}

/* Whether an access has a memory order. Such a load or store is atomic. volatile is not an order:
 * code that relies on it to order the lanes of a warp is a finding. */
static bool modifier_is_order(const char *word)
{
	static const char *const orders[] = {"relaxed", "acquire", "release", "acq_rel"};

	for (size_t i = 0; i < ARRAY_SIZE(orders); i++) {
		if (strcmp(orders[i], word) == 0)
			return true;
	}
	return false;
}

static const char *const atomic_kinds[] = {
	[ATOMIC_ADD] = "add", [ATOMIC_MIN] = "min", [ATOMIC_MAX] = "max",   [ATOMIC_AND] = "and",
	[ATOMIC_OR] = "or",   [ATOMIC_XOR] = "xor", [ATOMIC_EXCH] = "exch", [ATOMIC_CAS] = "cas",
	[ATOMIC_INC] = "inc", [ATOMIC_DEC] = "dec",
};

bool read_access_modifiers(const struct ptx_statement *at, struct access_modifiers *out)
{
	bool typed = false;

	*out = (struct access_modifiers){.space = PTX_SPACE_GENERIC, .vector = 1, .kind = -1};
	for (size_t i = 0; i < at->modifier_count; i++) {
		const char *word = at->modifiers[i];
		size_t kind = 0;

		if (modifier_is_order(word)) {
			out->strong = true;
			out->releases |=
				strcmp(word, "release") == 0 || strcmp(word, "acq_rel") == 0;
			out->acquires |=
				strcmp(word, "acquire") == 0 || strcmp(word, "acq_rel") == 0;
			continue;
		}
		out->is_volatile |= strcmp(word, "volatile") == 0 || strcmp(word, "mmio") == 0;
		out->of_block |= strcmp(word, "cta") == 0;
		out->of_cluster |= strcmp(word, "shared::cluster") == 0;
		if (space_of_modifier(word, &out->space) || modifier_is_hint(word))
			continue;
		if (word[0] == 'v' && (word[1] == '2' || word[1] == '4' || word[1] == '8') &&
		    !word[2]) {
			out->vector = word[1] - '0';
			continue;
		}
		while (kind < ARRAY_SIZE(atomic_kinds) && strcmp(atomic_kinds[kind], word) != 0)
			kind++;
		if (kind < ARRAY_SIZE(atomic_kinds) && out->kind < 0) {
			out->kind = (int)kind;
			continue;
		}
		if (!typed && out->vector == 1 && strcmp(word, "b128") == 0) {
			out->type = TYPE_b64;
			out->vector = 2;
			out->whole = typed = true;
			continue;
		}
		if (typed || !type_of_name(word, &out->type) || out->type == TYPE_pred)
			return false;
		typed = true;
		out->is_signed = word[0] == 's';
	}
	if (out->whole && out->vector != 2)
		return false;
	/* v8 takes 32-bit values, or halves of an atomic; 64-bit values are at most v4. */
	return typed && (out->vector < 8 || type_bits(out->type) == 32 ||
			 (out->kind >= 0 && type_bits(out->type) == 16));
}

void emit_release(struct function_decoding *decoding, const struct access_modifiers *access)
{
	struct instruction *fence;

	if (!access->releases)
		return;
	fence = emit_instruction(decoding, OP_FENCE);
	fence->auxiliary = true;
	fence->kind = access->of_block ? FENCE_BLOCK : FENCE_DEVICE;
}

void emit_acquire(struct function_decoding *decoding, const struct access_modifiers *access)
{
	struct instruction *fence;

	if (!access->acquires)
		return;
	fence = emit_instruction(decoding, OP_FENCE);
	fence->auxiliary = true;
	fence->kind = FENCE_ACQUIRE;
}

static void set_access_order(struct instruction *instruction, const struct access_modifiers *access)
{
	instruction->strong = access->strong;
	instruction->is_volatile = access->is_volatile;
	instruction->of_block = access->of_block;
	instruction->of_cluster = access->of_cluster;
}

void set_access_address(struct instruction *instruction, const struct decoded_address *where)
{
	instruction->space = (uint8_t)where->space;
	instruction->a = where->value;
	instruction->narrow_address = where->narrow;
	instruction->offset = where->offset;
}

bool check_variable_space(struct function_decoding *decoding, const struct decoded_address *where,
			  enum ptx_space said)
{
	bool frame = where->space == PTX_SPACE_PARAM || where->space == PTX_SPACE_LOCAL;

	if (!where->symbolic || said == PTX_SPACE_GENERIC || said == where->space ||
	    (frame && (said == PTX_SPACE_PARAM || said == PTX_SPACE_LOCAL)))
		return true;
	decode_invalid(decoding, "a %s variable accessed as %s", ptx_space_name(where->space),
		       ptx_space_name(said));
	return false;
}

const struct ptx_operand *access_registers(struct function_decoding *decoding,
					   const struct ptx_operand *operand, int vector)
{
	if (vector == 1 && operand->kind != PTX_OPERAND_VECTOR)
		return operand;
	if (operand->kind == PTX_OPERAND_VECTOR && operand->element_count == (size_t)vector)
		return operand->elements;
	decode_invalid(decoding, "expected %d registers", vector);
	return NULL;
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
		struct instruction *instruction =
			emit_instruction(decoding, width == 8 ? ALU_MOV_B64 : ALU_MOV_B32);

		instruction->auxiliary = i > 0;
		instruction->dst = dst;
		instruction->a = from;
	}
	emit_extensions(decoding);
}

static void decode_load(struct function_decoding *decoding)
{
	const struct ptx_statement *at = decoding->at;
	struct access_modifiers access;
	struct decoded_address where;
	const struct ptx_operand *registers;
	struct instruction load = {0}, *instruction;
	enum extension extension = EXTEND_ZERO;
	int width;

	if (!read_access_modifiers(at, &access) || access.kind >= 0) {
		decode_unsupported(decoding, "opcode", at->mnemonic);
		return;
	}
	if (!decode_cache_hints(
		    decoding, strcmp(at->base, "ldu") == 0 ? 0 : access_hints(&access, true), 2, 2))
		return;
	registers = access.whole ? decode_whole(decoding, &at->operands[0])
				 : access_registers(decoding, &at->operands[0], access.vector);
	where = decode_address(decoding, &at->operands[1], access.space);
	if (!registers || decoding->rc || decoding->unsupported ||
	    !check_variable_space(decoding, &where, access.space))
		return;
	if (where.parameter) {
		emit_parameter_moves(decoding, &where, &access, registers);
		return;
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
	emit_acquire(decoding, &access);
}

static void decode_store(struct function_decoding *decoding)
{
	const struct ptx_statement *at = decoding->at;
	struct access_modifiers access;
	struct decoded_address where;
	const struct ptx_operand *registers;
	struct instruction store = {0}, *instruction;
	int width;

	if (!read_access_modifiers(at, &access) || access.kind >= 0) {
		decode_unsupported(decoding, "opcode", at->mnemonic);
		return;
	}
	if (!decode_cache_hints(decoding, access_hints(&access, false), 2, 2))
		return;
	where = decode_address(decoding, &at->operands[0], access.space);
	registers = access.whole ? decode_whole(decoding, &at->operands[1])
				 : access_registers(decoding, &at->operands[1], access.vector);
	if (!registers || decoding->rc || decoding->unsupported ||
	    !check_variable_space(decoding, &where, access.space))
		return;
	if (where.parameter || where.space == PTX_SPACE_CONST) {
		decode_invalid(decoding, "%s memory cannot be written",
			       ptx_space_name(where.space));
		return;
	}
	width = type_bits(access.type) / 8;
	emit_release(decoding, &access);
	for (int i = 0; i < access.vector; i++)
		store.rows[i] = decode_store_source(decoding, &registers[i], width);
	instruction = emit_instruction(decoding, OP_STORE);
	memcpy(instruction->rows, store.rows, sizeof(store.rows));
	set_access_address(instruction, &where);
	instruction->width = (uint8_t)width;
	instruction->vector = (uint8_t)access.vector;
	instruction->type = (uint8_t)access.type;
	set_access_order(instruction, &access);
}

bool decode_memory(struct function_decoding *decoding)
{
	const char *base = decoding->at->base;

	if (strcmp(base, "ld") == 0 || strcmp(base, "ldu") == 0)
		decode_load(decoding);
	else if (strcmp(base, "st") == 0)
		decode_store(decoding);
	else
		return false;
	return true;
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
			uint32_t from, to;
			struct instruction *instruction;

			while (width > bytes - at || (base + at) % width)
				width /= 2;
			from = value_constant(decoding, (struct program_constant){
								.kind = CONSTANT_PARAMETER,
								.wide = width == 8,
								.bytes = (uint8_t)width,
								.extension = EXTEND_ZERO,
								.bits = (uint64_t)(base + at),
							});
			to = value_constant(
				decoding,
				(struct program_constant){
					.kind = CONSTANT_LOCAL,
					.bytes = 4,
					.bits = (uint64_t)decoding->parameter_copy_offsets[i],
				});
			instruction = emit_auxiliary(decoding, OP_STORE);
			instruction->space = PTX_SPACE_PARAM;
			instruction->a = to;
			instruction->narrow_address = true;
			instruction->offset = at;
			instruction->width = (uint8_t)width;
			instruction->vector = 1;
			instruction->rows[0] = from;
			at += width;
		}
	}
}
