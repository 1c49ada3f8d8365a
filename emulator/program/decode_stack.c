/* alloca, stacksave and stackrestore: local memory that a thread takes while it runs. */
#include "emulator/program/decode.h"

#include <string.h>

#define DEFAULT_ALIGN 8
#define MOST_ALIGN (UINT64_C(1) << 23)

/* The type of addresses and sizes. */
static bool stack_type(const struct ptx_statement *at, enum value_type *type)
{
	if (at->modifier_count != 1)
		return false;
	*type = strcmp(at->modifiers[0], "u64") == 0 ? TYPE_u64 : TYPE_u32;
	return *type == TYPE_u64 || strcmp(at->modifiers[0], "u32") == 0;
}

static bool read_align(struct function_decoding *decoding, uint64_t *out)
{
	const struct ptx_operand *operands = decoding->at->operands;

	*out = DEFAULT_ALIGN;
	if (decoding->at->operand_count < 3)
		return true;
	*out = operands[2].bits;
	if (operands[2].kind == PTX_OPERAND_INTEGER && *out && !(*out & (*out - 1)) &&
	    *out <= MOST_ALIGN)
		return true;
	decode_invalid(decoding, "alloca needs an immediate alignment: a power of 2 up to 2^23");
	return false;
}

static void emit_stack(struct function_decoding *decoding, enum operation operation,
		       enum value_type type)
{
	const struct ptx_operand *operands = decoding->at->operands;
	const bool writes = operation != OP_STACK_RESTORE;
	struct instruction *instruction;
	uint32_t a = 0, dst = 0;
	uint64_t align = 0;

	if (operation == OP_ALLOCA && !read_align(decoding, &align))
		return;
	if (operation != OP_STACK_SAVE)
		a = decode_source(decoding, &operands[writes], type);
	if (writes)
		dst = decode_destination(decoding, &operands[0], type);
	decoding->out->allocates = true;
	instruction = emit_instruction(decoding, operation);
	instruction->dst = dst;
	instruction->a = a;
	instruction->offset = (int64_t)align;
	instruction->width = (uint8_t)(type_bits(type) / 8);
	if (writes)
		emit_extensions(decoding);
}

bool decode_stack(struct function_decoding *decoding)
{
	static const struct {
		const char *base;
		enum operation operation;
		size_t least, most; /* operands */
	} opcodes[] = {
		{"alloca", OP_ALLOCA, 2, 3},
		{"stacksave", OP_STACK_SAVE, 1, 1},
		{"stackrestore", OP_STACK_RESTORE, 1, 1},
	};
	enum value_type type;

	for (size_t i = 0; i < ARRAY_SIZE(opcodes); i++) {
		if (strcmp(opcodes[i].base, decoding->at->base) != 0)
			continue;
		if (!stack_type(decoding->at, &type))
			return false;
		if (require_operands(decoding, opcodes[i].least, opcodes[i].most))
			emit_stack(decoding, opcodes[i].operation, type);
		return true;
	}
	return false;
}
