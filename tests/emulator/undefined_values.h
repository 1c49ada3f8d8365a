/* What one operation makes of values and their undefined bits. Part of the oracle. */
#ifndef TESTS_EMULATOR_UNDEFINED_VALUES_H
#define TESTS_EMULATOR_UNDEFINED_VALUES_H

#include "undefined_program.h"

/* Undefined bits of `bits` are 0. `from`: the origins that an undefined bit may have. */
struct bits_value {
	uint64_t bits, undefined, from;
};

static inline uint64_t low_mask(unsigned bits)
{
	return bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
}

/* An operation of SIMPLE_LIST on operands of `width` bits. */
struct bits_value simple_value(enum undefined_op op, unsigned width, const struct bits_value *s);
/* The result of DO_CVT in a register of register_bits. */
struct bits_value converted(const struct undefined_node *node, struct bits_value source,
			    unsigned register_bits);
struct bits_value all_undefined(unsigned width, uint64_t from);

#endif
