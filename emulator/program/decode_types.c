/* Types, modifiers and numbers of operands of statements. */
#include "emulator/program/decode.h"

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

	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		if (strcmp(types[i].name, name) == 0) {
			*type = types[i].type;
			return true;
		}
	}
	return false;
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

bool require_operands(struct function_decoding *decoding, size_t least, size_t most)
{
	size_t count = decoding->at->operand_count;

	if (count >= least && count <= most)
		return true;
	decode_invalid(decoding, "%zu operands instead of %zu", count,
		       count < least ? least : most);
	return false;
}
