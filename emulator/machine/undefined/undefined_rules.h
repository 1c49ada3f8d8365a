/*
 * undefined_rules: which bits of the result of an arithmetic operation are undefined, by the
 * table of docs/undefined-values.md. A rule knows the operands of one lane, and nothing of the
 * machine. Internal to undefined_alu.c.
 */
#ifndef EMULATOR_MACHINE_UNDEFINED_UNDEFINED_RULES_H
#define EMULATOR_MACHINE_UNDEFINED_UNDEFINED_RULES_H

#include "emulator/machine/undefined/undefined_parts.h"

#define UNDEFINED_OPERANDS 4

/* One lane of an instruction. Operands that the operation does not have are all zeroes. */
struct lane_operands {
	struct undefined_bits undefined[UNDEFINED_OPERANDS];
	uint64_t value[UNDEFINED_OPERANDS];
	unsigned width[UNDEFINED_OPERANDS + 1]; /* in bits: of the result, then of the operands */
	const struct alu_row *row;
};

/* The undefined bits of the result. It has the origin of the first operand that it depends on. */
struct undefined_bits undefined_result(struct lane_operands *of);

/* Every operation must have a rule. */
bool undefined_has_rule(const struct alu_row *row);

static inline uint64_t undefined_mask(unsigned bits)
{
	return bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
}

#endif
