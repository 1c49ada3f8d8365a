/* Types, modifiers and numbers of operands of statements; instructions, values and constants that a
 * function gets; special registers as operands. */
#include "emulator/program/decode.h"

#include <stdlib.h>
#include <string.h>

bool type_of_name(const char *name, enum value_type *type)
{
	static const struct {
		const char *name;
		enum value_type type;
	} types[] = {
#define X(name, c_type, width) {#name, TYPE_##name},
		VALUE_TYPE_LIST(X)
#undef X
			{"b8", TYPE_u8},
		{"f16", TYPE_b16},
		{"bf16", TYPE_b16},
		{"f16x2", TYPE_b32},
		{"bf16x2", TYPE_b32},
	};

	const size_t i = WORD_INDEX(types, name);

	*type = i < ARRAY_SIZE(types) ? types[i].type : *type;
	return i < ARRAY_SIZE(types);
}

int type_bits(enum value_type type)
{
	static const uint8_t widths[] = {
#define X(name, c_type, width) width,
		VALUE_TYPE_LIST(X)
#undef X
	};

	return widths[type];
}

bool statement_type(const struct ptx_statement *statement, enum value_type *type)
{
	for (size_t i = statement->modifier_count; i-- > 0;) {
		if (type_of_name(statement->modifiers[i], type))
			return true;
	}
	return false;
}

bool statement_has_modifier(const struct ptx_statement *statement, const char *modifier)
{
	for (size_t i = 0; i < statement->modifier_count; i++) {
		if (strcmp(statement->modifiers[i], modifier) == 0)
			return true;
	}
	return false;
}

size_t find_word(const void *rows, size_t count, size_t row_bytes, const char *word)
{
	const char *const *at = rows;

	for (size_t i = 0; i < count; i++, at = (const void *)((const char *)at + row_bytes))
		if (strcmp(*at, word) == 0)
			return i;
	return count;
}

size_t find_modifier(const struct ptx_statement *statement, const void *rows, size_t count,
		     size_t row_bytes)
{
	const char *const *at = rows;

	for (size_t i = 0; i < count; i++, at = (const void *)((const char *)at + row_bytes))
		if (statement_has_modifier(statement, *at))
			return i;
	return count;
}

bool has_only_words(const struct ptx_statement *at, size_t first, const char *const *words,
		    size_t count)
{
	for (size_t i = first; i < at->modifier_count; i++)
		if (find_word(words, count, sizeof(*words), at->modifiers[i]) == count)
			return false;
	return true;
}

bool see_flag(const struct word_flag *flags, size_t count, const char *word)
{
	const size_t i = find_word(flags, count, sizeof(*flags), word);

	return i < count && !*flags[i].seen && (*flags[i].seen = true);
}

bool name_find(const struct name_index *names, const char *name, uint32_t *number)
{
	const size_t at = name_index_find(names, name);

	*number = at == NO_NAME ? *number : (uint32_t)at;
	return at != NO_NAME;
}

void name_add(struct name_index *names, const char *name, size_t number)
{
	if (name_index_find(names, name) == NO_NAME)
		name_index_add(names, name, number);
}

bool require_operands(struct function_decoding *decoding, size_t least, size_t most)
{
	size_t count = decoding->at->operand_count;

	if (count >= least && count <= most)
		return true;
	decode_invalid(decoding, "%zu operands instead of %zu", count,
		       count < least ? least : most);
	return false;
}

/* ---- instructions, values, constants ---- */

struct instruction *emit_auxiliary(struct function_decoding *decoding, enum operation operation)
{
	struct program_function *out = decoding->out;
	struct instruction *instruction;

	out->code =
		xgrow(out->code, &decoding->code_capacity, out->code_count + 1, sizeof(*out->code));
	instruction = &out->code[out->code_count++];
	*instruction = (struct instruction){
		.operation = (uint16_t)operation,
		.statement = decoding->statement,
		.auxiliary = true,
	};
	return instruction;
}

struct instruction *emit_instruction(struct function_decoding *decoding, enum operation operation)
{
	struct instruction *instruction = emit_auxiliary(decoding, operation);

	instruction->auxiliary = false;
	if (decoding->at && decoding->at->guarded) {
		instruction->guard = decoding->at->guard + 1;
		instruction->guard_negated = decoding->at->guard_negated;
	}
	return instruction;
}

struct instruction *emit_result(struct function_decoding *decoding, enum operation operation,
				uint32_t dst, uint32_t a, uint32_t b, uint32_t c)
{
	struct instruction *instruction = emit_instruction(decoding, operation);

	instruction->dst = dst;
	instruction->a = a;
	instruction->b = b;
	instruction->c = c;
	return instruction;
}

void emit_step(struct function_decoding *decoding, enum operation operation, uint32_t dst,
	       uint32_t a, uint32_t b, uint32_t c)
{
	struct instruction *step = emit_result(decoding, operation, dst, a, b, c);

	step->auxiliary = true;
	/* A register, unlike a temporary, keeps its value in lanes whose guard is false. */
	if (dst > decoding->source->register_count) {
		step->guard = 0;
		step->guard_negated = false;
	}
}

struct instruction *emit_frame_access(struct function_decoding *decoding, enum operation operation,
				      int64_t offset, int width, uint32_t row)
{
	struct instruction *access = emit_instruction(decoding, operation);

	access->auxiliary = true;
	access->space = PTX_SPACE_PARAM;
	access->a = value_constant(decoding, (struct program_constant){.kind = CONSTANT_LOCAL,
								       .bytes = 4,
								       .bits = (uint64_t)offset});
	access->narrow_address = true;
	access->width = (uint8_t)width;
	access->vector = 1;
	access->rows[0] = row;
	return access;
}

void emit_extensions(struct function_decoding *decoding)
{
	for (size_t i = 0; i < decoding->extension_count; i++)
		emit_step(decoding, decoding->extensions[i].operation, decoding->extensions[i].to,
			  decoding->extensions[i].from, 0, 0);
	decoding->extension_count = 0;
}

uint32_t new_temporary(struct function_decoding *decoding, int bits)
{
	decoding->widths = xgrow(decoding->widths, &decoding->value_capacity,
				 decoding->value_count + 1, sizeof(*decoding->widths));
	decoding->widths[decoding->value_count] = (uint8_t)bits;
	return (uint32_t)decoding->value_count++;
}

int value_width(const struct function_decoding *decoding, uint32_t value)
{
	if (value & VALUE_CONSTANT)
		return decoding->out->constants[value & ~VALUE_CONSTANT].wide ? 64 : 32;
	return decoding->widths[value];
}

static bool constants_equal(const struct program_constant *left,
			    const struct program_constant *right)
{
	return left->kind == right->kind && left->wide == right->wide &&
	       left->bytes == right->bytes && left->extension == right->extension &&
	       left->bits == right->bits;
}

static size_t constant_slot(const struct function_decoding *decoding,
			    const struct program_constant *constant)
{
	uint64_t hash = (constant->bits ^ (uint64_t)constant->kind << 56 ^ constant->wide) *
			UINT64_C(0x9e3779b97f4a7c15);
	size_t at = (size_t)(hash >> 32) & (decoding->constant_slot_count - 1);

	while (decoding->constant_slots[at] &&
	       !constants_equal(&decoding->out->constants[decoding->constant_slots[at] - 1],
				constant))
		at = (at + 1) & (decoding->constant_slot_count - 1);
	return at;
}

uint32_t value_constant(struct function_decoding *decoding, struct program_constant constant)
{
	struct program_function *out = decoding->out;
	size_t at;

	if (out->constant_count * 2 >= decoding->constant_slot_count) {
		free(decoding->constant_slots);
		decoding->constant_slot_count =
			decoding->constant_slot_count ? decoding->constant_slot_count * 2 : 64;
		decoding->constant_slots =
			xcalloc(decoding->constant_slot_count, sizeof(*decoding->constant_slots));
		for (size_t i = 0; i < out->constant_count; i++)
			decoding->constant_slots[constant_slot(decoding, &out->constants[i])] =
				(uint32_t)i + 1;
	}
	at = constant_slot(decoding, &constant);
	if (!decoding->constant_slots[at]) {
		out->constants = xgrow(out->constants, &decoding->constant_capacity,
				       out->constant_count + 1, sizeof(*out->constants));
		out->constants[out->constant_count++] = constant;
		decoding->constant_slots[at] = (uint32_t)out->constant_count;
	}
	return VALUE_CONSTANT | (decoding->constant_slots[at] - 1);
}

uint32_t value_bits(struct function_decoding *decoding, uint64_t bits, bool wide)
{
	return value_constant(decoding, (struct program_constant){
						.kind = CONSTANT_BITS,
						.wide = wide,
						.bytes = wide ? 8 : 4,
						.bits = wide ? bits : bits & UINT32_MAX,
					});
}

enum operation require_operation(struct function_decoding *decoding, const char *mnemonic)
{
	enum operation operation = alu_find(mnemonic);

	if (operation == OPERATION_COUNT)
		decode_unsupported(decoding, "opcode", mnemonic);
	return operation;
}

uint32_t emit_narrowing(struct function_decoding *decoding, uint32_t value, int bits)
{
	uint32_t to;

	if (value_width(decoding, value) == 64) {
		to = new_temporary(decoding, 32);
		emit_step(decoding, ALU_UNPACK_B32_0_OF_B64, to, value, 0, 0);
		value = to;
	}
	if (value_width(decoding, value) == 32 && bits <= 16) {
		to = new_temporary(decoding, 16);
		emit_step(decoding, ALU_UNPACK_B16_0_OF_B32, to, value, 0, 0);
		value = to;
	}
	return value;
}

/* ---- statements that are one instruction ---- */

bool decode_plain(struct function_decoding *decoding)
{
	emit_instruction(decoding, decoding->form->operation);
	return false;
}

bool decode_without_operands(struct function_decoding *decoding)
{
	return require_operands(decoding, 0, 0) && decode_plain(decoding);
}

bool decode_group_wait(struct function_decoding *decoding)
{
	const enum operation operation = decoding->form->operation;
	const struct ptx_operand *pending = decoding->at->operands;

	if (!require_operands(decoding, 1, 1))
		return false;
	if (pending->kind != PTX_OPERAND_INTEGER || pending->bits > INT32_MAX)
		return decode_invalid(
			decoding, "%s",
			operation == OP_COPY_WAIT ? "cp.async.wait_group needs a number of groups"
			: operation == OP_BULK_WAIT
				? "cp.async.bulk.wait_group needs a number of groups"
				: "the number of groups that may be pending must be a number");
	emit_instruction(decoding, operation)->offset = (int64_t)pending->bits;
	return false;
}

/* ---- special registers ---- */

/* Each use of a clock reads it again, into a temporary. */
static uint32_t clock_source(struct function_decoding *decoding, enum clock_kind kind,
			     enum value_type type)
{
	int bits = kind == CLOCK_WHOLE || type_bits(type) == 64 ? 64 : 32;
	uint32_t value = new_temporary(decoding, bits);
	struct instruction *instruction = emit_auxiliary(decoding, OP_CLOCK);

	instruction->dst = value;
	instruction->kind = (uint8_t)kind;
	instruction->width = (uint8_t)(bits / 8);
	return type_bits(type) < bits ? emit_narrowing(decoding, value, type_bits(type)) : value;
}

uint32_t decode_special_source(struct function_decoding *decoding, const char *name,
			       enum value_type type)
{
	static const struct {
		const char *name;
		enum clock_kind kind;
	} clocks[] = {
		{"%clock", CLOCK_LOW},          {"%clock_hi", CLOCK_HIGH},
		{"%clock64", CLOCK_WHOLE},      {"%globaltimer", CLOCK_WHOLE},
		{"%globaltimer_lo", CLOCK_LOW}, {"%globaltimer_hi", CLOCK_HIGH},
	};
	static const char *const names[] = {
#define X(symbol, name) name,
		SPECIAL_REGISTER_LIST(X)
#undef X
	};
	const size_t i = WORD_INDEX(names, name), clock = WORD_INDEX(clocks, name);
	const bool predicate = i == SPECIAL_IS_EXPLICIT_CLUSTER;
	uint32_t value, holds;

	if (clock < ARRAY_SIZE(clocks))
		return clock_source(decoding, clocks[clock].kind, type);
	if (i == ARRAY_SIZE(names))
		return decode_unsupported(decoding, "register", name);
	if (predicate != (type == TYPE_pred))
		return decode_invalid(decoding, "%s is %sa predicate", name,
				      predicate ? "" : "not ");
	value = value_constant(decoding, (struct program_constant){
						 .kind = CONSTANT_SPECIAL,
						 .wide = type_bits(type) == 64,
						 .bytes = 4,
						 .bits = i,
					 });
	if (!predicate)
		return type_bits(type) < 32 ? emit_narrowing(decoding, value, type_bits(type))
					    : value;
	/* The register is 0 in the lanes in which the predicate is false. */
	holds = new_temporary(decoding, 1);
	emit_step(decoding, ALU_SETP_NE_U32, holds, value, value_bits(decoding, 0, false), 0);
	return holds;
}
