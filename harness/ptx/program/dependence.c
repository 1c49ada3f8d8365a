/*
 * What addresses and branches depend on. Values of a function are followed
 * without regard to the order of its code, before they share rows; local memory
 * counts as one cell of the whole program. That is more than depends in truth,
 * never less.
 */
#include "harness/ptx/program/decode.h"

#include <stdlib.h>
#include <string.h>

/* Besides enum dependence: on whatever local memory holds. */
#define DEPENDS_ON_LOCAL 4
/* Long chains written backwards would take as many rounds; beyond, everything depends. */
#define ROUNDS_MOST 64

struct dependence_search {
	struct program_function *function;
	unsigned char *values;
	bool changed;
};

static unsigned value_depends(const struct dependence_search *search, uint32_t value)
{
	return value & VALUE_CONSTANT ? 0 : search->values[value];
}

static bool space_has_local(uint8_t space)
{
	return space == PTX_SPACE_LOCAL || space == PTX_SPACE_PARAM || space == PTX_SPACE_GENERIC;
}

static void follow(struct dependence_search *search, struct instruction *instruction)
{
	struct program_function *function = search->function;
	unsigned address = value_depends(search, instruction->a);
	struct instruction_operands operands;
	unsigned bits = 0;

	instruction_operands(function, instruction, &operands);
	for (size_t i = 0; i < operands.read_count; i++)
		bits |= value_depends(search, *operands.reads[i]);
	/* A guard decides like a branch. */
	function->decided_by |= (uint8_t)value_depends(search, instruction->guard);
	switch (instruction->operation) {
	case OP_LOAD:
		function->decided_by |= (uint8_t)address;
		bits = instruction->space == PTX_SPACE_LOCAL ||
				       instruction->space == PTX_SPACE_PARAM
			       ? DEPENDS_ON_LOCAL
			       : DEPENDS_ON_DATA | DEPENDS_ON_LOCAL;
		break;
	case OP_STORE:
		function->decided_by |= (uint8_t)address;
		if (space_has_local(instruction->space))
			function->keeps |= (uint8_t)bits;
		break;
	case OP_ATOMIC:
		function->decided_by |= (uint8_t)address;
		bits = DEPENDS_ON_ATOMIC;
		break;
	case OP_BRX:
		function->decided_by |= (uint8_t)address;
		break;
	case OP_CALL:
		function->decided_by |= (uint8_t)value_depends(
			search, function->calls[instruction->target].pointer);
		break;
	default:
		break;
	}
	for (size_t i = 0; i < operands.write_count; i++) {
		unsigned char *at = &search->values[*operands.writes[i]];

		if ((*at | bits) != *at) {
			*at = (unsigned char)(*at | bits);
			search->changed = true;
		}
	}
}

void dependence_find(struct function_decoding *decoding)
{
	struct dependence_search search = {
		.function = decoding->out,
		.values = xcalloc(decoding->value_count, 1),
		.changed = true,
	};

	for (int round = 0; search.changed; round++) {
		if (round == ROUNDS_MOST) {
			decoding->out->decided_by = decoding->out->keeps =
				DEPENDS_ON_DATA | DEPENDS_ON_ATOMIC | DEPENDS_ON_LOCAL;
			break;
		}
		search.changed = false;
		for (size_t i = 0; i < decoding->out->code_count; i++)
			follow(&search, &decoding->out->code[i]);
	}
	free(search.values);
}

/* Marks what a function calls, and those whose address it takes; true: there are new ones. */
static bool reach_further(const struct program_function *function, bool *reached)
{
	bool more = false;

	for (size_t i = 0; i < function->call_count; i++) {
		uint32_t callee = function->calls[i].function;

		if (callee != UINT32_MAX && !reached[callee])
			reached[callee] = more = true;
	}
	for (size_t i = 0; i < function->constant_count; i++) {
		const struct program_constant *constant = &function->constants[i];

		if (constant->kind == CONSTANT_FUNCTION && !reached[constant->bits])
			reached[constant->bits] = more = true;
	}
	return more;
}

unsigned program_dependence(const struct ptx_program *program, const char *entry)
{
	bool *reached = xcalloc(program->function_count + 1, sizeof(*reached));
	unsigned decided_by = 0, keeps = 0;
	bool more = true;

	for (size_t i = 0; i < program->function_count; i++)
		reached[i] = program->functions[i].code &&
			     strcmp(program->functions[i].source->name, entry) == 0;
	while (more) {
		more = false;
		for (size_t i = 0; i < program->function_count; i++) {
			if (reached[i])
				more |= reach_further(&program->functions[i], reached);
		}
	}
	for (size_t i = 0; i < program->function_count; i++) {
		if (!reached[i])
			continue;
		decided_by |= program->functions[i].decided_by;
		keeps |= program->functions[i].keeps;
	}
	free(reached);
	if (decided_by & DEPENDS_ON_LOCAL)
		decided_by |= keeps;
	return decided_by & (DEPENDS_ON_DATA | DEPENDS_ON_ATOMIC);
}
