/* Appends instructions, values and constants to a function. */
#include "emulator/program/decode.h"

#include <stdlib.h>
#include <string.h>

static struct instruction *emit_bare(struct function_decoding *decoding, enum operation operation)
{
	struct program_function *out = decoding->out;
	struct instruction *instruction;

	out->code =
		xgrow(out->code, &decoding->code_capacity, out->code_count + 1, sizeof(*out->code));
	instruction = &out->code[out->code_count++];
	*instruction = (struct instruction){
		.operation = (uint16_t)operation,
		.statement = decoding->statement,
	};
	return instruction;
}

struct instruction *emit_instruction(struct function_decoding *decoding, enum operation operation)
{
	struct instruction *instruction = emit_bare(decoding, operation);

	if (decoding->at && decoding->at->guarded) {
		instruction->guard = decoding->at->guard + 1;
		instruction->guard_negated = decoding->at->guard_negated;
	}
	return instruction;
}

struct instruction *emit_auxiliary(struct function_decoding *decoding, enum operation operation)
{
	struct instruction *instruction = emit_bare(decoding, operation);

	instruction->auxiliary = true;
	return instruction;
}

void emit_step(struct function_decoding *decoding, enum operation operation, uint32_t dst,
	       uint32_t a, uint32_t b, uint32_t c)
{
	/* A register, unlike a temporary, keeps its value in lanes whose guard is false. */
	bool guarded = dst <= decoding->source->register_count;
	struct instruction *step = guarded ? emit_instruction(decoding, operation)
					   : emit_auxiliary(decoding, operation);

	step->auxiliary = true;
	step->dst = dst;
	step->a = a;
	step->b = b;
	step->c = c;
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
	int width = value_width(decoding, value);
	uint32_t to;

	if (width == 64) {
		to = new_temporary(decoding, 32);
		emit_step(decoding, ALU_UNPACK_B32_0_OF_B64, to, value, 0, 0);
		value = to;
		width = 32;
	}
	if (width == 32 && bits <= 16) {
		to = new_temporary(decoding, 16);
		emit_step(decoding, ALU_UNPACK_B16_0_OF_B32, to, value, 0, 0);
		value = to;
	}
	return value;
}
