/* Special registers as operands. */
#include "emulator/program/decode.h"

#include <string.h>

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

/* A predicate that is true in the lanes in which a 32-bit value is not 0. */
static uint32_t predicate_of(struct function_decoding *decoding, uint32_t value)
{
	uint32_t predicate = new_temporary(decoding, 1);

	emit_step(decoding, ALU_SETP_NE_U32, predicate, value, value_bits(decoding, 0, false), 0);
	return predicate;
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
	uint32_t value;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		const bool predicate = i == SPECIAL_IS_EXPLICIT_CLUSTER;

		if (strcmp(names[i], name) != 0)
			continue;
		if (predicate != (type == TYPE_pred)) {
			decode_invalid(decoding, "%s is %sa predicate", name,
				       predicate ? "" : "not ");
			return 0;
		}
		value = value_constant(decoding, (struct program_constant){
							 .kind = CONSTANT_SPECIAL,
							 .wide = type_bits(type) == 64,
							 .bytes = 4,
							 .bits = i,
						 });
		if (predicate)
			return predicate_of(decoding, value);
		return type_bits(type) < 32 ? emit_narrowing(decoding, value, type_bits(type))
					    : value;
	}
	for (size_t i = 0; i < ARRAY_SIZE(clocks); i++)
		if (strcmp(clocks[i].name, name) == 0)
			return clock_source(decoding, clocks[i].kind, type);
	decode_unsupported(decoding, "register", name);
	return 0;
}
