/*
 * Finds what addresses and branches depend on. The analysis ignores the order of the code and
 * treats each kind of memory as one cell for the whole program. It may report a dependence that
 * does not exist, but it misses none. It runs before values share rows.
 */
#include "emulator/program/decode.h"

#include <stdlib.h>
#include <string.h>

/* Added to enum dependence: depends on what this memory holds. In the order of keeps[]. */
#define DEPENDS_ON_LOCAL 4
#define DEPENDS_ON_SHARED 8
#define DEPENDS_ON_GLOBAL 16
#define DEPENDS_ON_MEMORIES (DEPENDS_ON_LOCAL | DEPENDS_ON_SHARED | DEPENDS_ON_GLOBAL)
#define MEMORIES 3
/* A long chain in reverse order takes one round per step. After this many rounds, everything counts
 * as dependent. */
#define MAX_ROUNDS 64

struct dependence_search {
	struct program_function *function;
	unsigned char *values;
	bool changed;
};

static unsigned value_dependence(const struct dependence_search *search, uint32_t value)
{
	return value & VALUE_CONSTANT ? 0 : search->values[value];
}

/* The memories that an access in this space may reach. */
static unsigned memories_of(uint8_t space)
{
	switch (space) {
	case PTX_SPACE_LOCAL:
	case PTX_SPACE_PARAM:
		return DEPENDS_ON_LOCAL;
	case PTX_SPACE_SHARED:
		return DEPENDS_ON_SHARED;
	case PTX_SPACE_GLOBAL:
	case PTX_SPACE_CONST:
		return DEPENDS_ON_GLOBAL;
	default:
		return DEPENDS_ON_MEMORIES;
	}
}

static void record_memory_dependence(struct program_function *function, unsigned memories,
				     unsigned bits)
{
	for (int i = 0; i < MEMORIES; i++) {
		if (memories & (DEPENDS_ON_LOCAL << i))
			function->keeps[i] |= (uint8_t)bits;
	}
}

static void propagate_instruction(struct dependence_search *search, struct instruction *instruction)
{
	struct program_function *function = search->function;
	unsigned address = value_dependence(search, instruction->a);
	struct instruction_operands operands;
	unsigned bits = 0;

	instruction_operands(function, instruction, &operands);
	for (size_t i = 0; i < operands.read_count; i++)
		bits |= value_dependence(search, *operands.reads[i]);
	/* A guard decides like a branch. */
	function->decided_by |= (uint8_t)value_dependence(search, instruction->guard);
	switch (instruction->operation) {
	case OP_LOAD:
	case OP_MATRIX_LOAD:
		function->decided_by |= (uint8_t)address;
		bits = memories_of(instruction->space);
		if (bits != DEPENDS_ON_LOCAL)
			bits |= DEPENDS_ON_DATA;
		break;
	case OP_TEXTURE:
	case OP_SURFACE_LOAD:
		for (int i = TEXTURE_COORDINATES; i < 8; i++)
			function->decided_by |=
				(uint8_t)value_dependence(search, instruction->rows[i]);
		bits = DEPENDS_ON_GLOBAL | DEPENDS_ON_DATA;
		break;
	case OP_SURFACE_STORE:
	case OP_SURFACE_REDUCE:
		function->decided_by |= (uint8_t)bits;
		record_memory_dependence(function, DEPENDS_ON_GLOBAL, bits);
		break;
	case OP_STORE:
	case OP_MATRIX_STORE:
		function->decided_by |= (uint8_t)address;
		record_memory_dependence(function, memories_of(instruction->space), bits);
		break;
	case OP_GROUP_PRODUCT: /* its descriptors are addresses */
		function->decided_by |=
			(uint8_t)(address | value_dependence(search, instruction->b));
		bits |= DEPENDS_ON_SHARED | DEPENDS_ON_DATA;
		break;
	case OP_COPY:
		function->decided_by |= (uint8_t)(address | bits);
		record_memory_dependence(function, DEPENDS_ON_SHARED,
					 DEPENDS_ON_GLOBAL | DEPENDS_ON_DATA);
		break;
	case OP_BULK_COPY:
	case OP_BULK_REDUCE:
		function->decided_by |= (uint8_t)bits;
		record_memory_dependence(function, memories_of(instruction->space),
					 DEPENDS_ON_SHARED | DEPENDS_ON_GLOBAL | DEPENDS_ON_DATA);
		break;
	case OP_MAP_REPLACE: /* a map in memory has the addresses of later copies */
	case OP_MAP_COPY:
		function->decided_by |= (uint8_t)(bits | DEPENDS_ON_DATA);
		break;
	case OP_ATOMIC:
		function->decided_by |= (uint8_t)address;
		record_memory_dependence(function, memories_of(instruction->space), bits);
		bits = DEPENDS_ON_ATOMIC;
		break;
	case OP_CLOCK: /* these change with the order of the blocks, as atomics do */
	case OP_MALLOC:
		bits = DEPENDS_ON_ATOMIC;
		break;
	case OP_BRX:
		function->decided_by |= (uint8_t)address;
		break;
	case OP_CALL:
		function->decided_by |= (uint8_t)value_dependence(
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

void find_dependence(struct function_decoding *decoding)
{
	struct dependence_search search = {
		.function = decoding->out,
		.values = xcalloc(decoding->value_count, 1),
		.changed = true,
	};

	for (int round = 0; search.changed; round++) {
		if (round == MAX_ROUNDS) {
			decoding->out->decided_by = DEPENDS_ON_DATA | DEPENDS_ON_ATOMIC;
			record_memory_dependence(decoding->out, DEPENDS_ON_MEMORIES,
						 DEPENDS_ON_DATA | DEPENDS_ON_ATOMIC);
			break;
		}
		search.changed = false;
		for (size_t i = 0; i < decoding->out->code_count; i++)
			propagate_instruction(&search, &decoding->out->code[i]);
	}
	free(search.values);
}

/* Marks the functions that a function calls. An indirect call may reach every function. Returns
 * whether a function was newly marked. */
static bool mark_callees(const struct ptx_program *program, const struct program_function *function,
			 bool *reached)
{
	bool more = false;

	for (size_t i = 0; i < function->call_count; i++) {
		uint32_t callee = function->calls[i].function;
		size_t first = callee == UINT32_MAX ? 0 : callee;
		size_t last = callee == UINT32_MAX ? program->function_count : callee + 1;

		for (size_t j = first; j < last; j++) {
			if (!reached[j] && program->functions[j].code &&
			    !program->functions[j].source->entry)
				reached[j] = more = true;
		}
	}
	return more;
}

/* Adds what the memories in `bits` depend on, transitively. */
static unsigned add_memory_dependence(unsigned bits, const unsigned memories[MEMORIES])
{
	for (int round = 0; round < MEMORIES; round++) {
		for (int i = 0; i < MEMORIES; i++) {
			if (bits & (DEPENDS_ON_LOCAL << i))
				bits |= memories[i];
		}
	}
	return bits;
}

unsigned program_dependence(const struct ptx_program *program, const char *entry)
{
	bool *reached = xcalloc(program->function_count + 1, sizeof(*reached));
	unsigned decided_by = 0, memories[MEMORIES] = {0};
	bool more = true;

	for (size_t i = 0; i < program->function_count; i++)
		reached[i] = program->functions[i].code &&
			     strcmp(program->functions[i].source->name, entry) == 0;
	while (more) {
		more = false;
		for (size_t i = 0; i < program->function_count; i++) {
			if (reached[i])
				more |= mark_callees(program, &program->functions[i], reached);
		}
	}
	for (size_t i = 0; i < program->function_count; i++) {
		if (!reached[i])
			continue;
		decided_by |= program->functions[i].decided_by;
		for (int j = 0; j < MEMORIES; j++)
			memories[j] |= program->functions[i].keeps[j];
	}
	free(reached);
	return add_memory_dependence(decided_by, memories) & (DEPENDS_ON_DATA | DEPENDS_ON_ATOMIC);
}
