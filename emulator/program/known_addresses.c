/*
 * What is known of the addresses of accesses: which loads only guess what an atomic then finds, and
 * which shared variable the address of an access belongs to, so that a checked block can find
 * accesses that leave it for a neighbour. See decode.h.
 *
 * An address belongs to a variable if it is that of the variable, plus or minus plain numbers, on
 * every way that leads to the access: all definitions of a register count, in any order. Moves,
 * conversions of addresses, sums, differences and the addend of mad hand a variable on. A value
 * that is made of a variable in another way, of two, or once of one and once of none, is mixed; so
 * is what is computed from it, and nothing is concluded from it. A value from memory is a number.
 * Dynamic shared memory, whose parts the program divides up itself, is no variable here.
 */
#include "emulator/program/decode.h"

#include <stdlib.h>

/* ---- loads whose value is only a guess ---- */

static bool is_of_many_threads(const struct instruction *at)
{
	return at->space == PTX_SPACE_GLOBAL || at->space == PTX_SPACE_SHARED ||
	       at->space == PTX_SPACE_GENERIC;
}

/* Whether the atomic gives the right result whatever its thread read before. */
static bool corrects_guess(const struct instruction *at)
{
	return at->operation == OP_ATOMIC && is_of_many_threads(at) &&
	       (at->kind == ATOMIC_CAS || at->kind == ATOMIC_MIN || at->kind == ATOMIC_MAX);
}

/* Whether a compare-and-swap compares with what the load returned. */
static bool is_compared_guess(const struct instruction *atomic, const struct instruction *load)
{
	return atomic->kind == ATOMIC_CAS && load->vector == 1 && load->rows[0] == atomic->b;
}

#define NO_VALUE UINT32_MAX

/* By value: the value that its only definition copies; NO_VALUE: it is no copy. */
static uint32_t *find_copies(const struct function_decoding *decoding)
{
	const struct program_function *out = decoding->out;
	uint32_t *copies = xcalloc(decoding->value_count + 1, sizeof(*copies));
	bool *defined = xcalloc(decoding->value_count + 1, sizeof(*defined));

	for (size_t i = 0; i < decoding->value_count; i++)
		copies[i] = NO_VALUE;
	for (size_t i = 0; i < out->code_count; i++) {
		struct instruction *at = &out->code[i];
		struct instruction_operands operands;

		instruction_operands(out, at, &operands);
		for (size_t k = 0; k < operands.write_count; k++) {
			const uint32_t value = *operands.writes[k];

			if (!value || value >= decoding->value_count)
				continue;
			copies[value] =
				at->operation == ALU_MOV_B64 && !at->guard && !defined[value]
					? at->a
					: NO_VALUE;
			defined[value] = true;
		}
	}
	free(defined);
	return copies;
}

static uint32_t origin_of_address(const struct function_decoding *decoding, const uint32_t *copies,
				  uint32_t value)
{
	for (size_t steps = 0; steps < decoding->value_count; steps++) {
		if (value >= decoding->value_count || copies[value] == NO_VALUE)
			break;
		value = copies[value];
	}
	return value;
}

void mark_guessed_loads(struct function_decoding *decoding)
{
	struct program_function *out = decoding->out;
	uint32_t *copies = NULL;

	for (size_t i = 0; i < out->code_count; i++) {
		const struct instruction *atomic = &out->code[i];
		uint32_t address;

		if (!corrects_guess(atomic))
			continue;
		if (!copies)
			copies = find_copies(decoding);
		address = origin_of_address(decoding, copies, atomic->a);
		for (size_t k = 0; k < i; k++) {
			struct instruction *load = &out->code[k];

			load->guess |=
				load->operation == OP_LOAD && is_of_many_threads(load) &&
				load->vector * load->width == atomic->vector * atomic->width &&
				(is_compared_guess(atomic, load) ||
				 (load->offset == atomic->offset &&
				  origin_of_address(decoding, copies, load->a) == address));
		}
	}
	free(copies);
}

/* ---- shared variables ---- */

/* What is known of a value. It only grows from one of these to a later one, or from UNKNOWN to
 * IN_VARIABLE + the index of a variable of the function, and from there to MIXED. */
enum { UNKNOWN, NUMBER, MIXED, IN_VARIABLE };

struct search {
	struct function_decoding *decoding;
	uint32_t *known; /* by value other than constants */
};

static uint32_t join(uint32_t a, uint32_t b)
{
	return a == b || b == UNKNOWN ? a : a == UNKNOWN ? b : MIXED;
}

/* A constant names a variable by its offset. An empty variable has none of its own. */
static uint32_t variable_at(const struct program_function *out, uint64_t offset)
{
	uint32_t found = MIXED;

	for (size_t i = 0; i < out->shared_variable_count; i++) {
		if (out->shared_variables[i].offset != offset)
			continue;
		if (found != MIXED || out->shared_variables[i].bytes == 0)
			return MIXED;
		found = IN_VARIABLE + (uint32_t)i;
	}
	return found;
}

static uint32_t known_of(const struct search *search, uint32_t value)
{
	const struct program_constant *constant;

	if (!(value & VALUE_CONSTANT))
		return value ? search->known[value] : NUMBER;
	constant = &search->decoding->out->constants[value & ~VALUE_CONSTANT];
	return constant->kind == CONSTANT_SHARED
		       ? variable_at(search->decoding->out, constant->bits)
		       : NUMBER;
}

/* What is known of a result that is a number if all operands are. */
static uint32_t known_of_numbers(const struct search *search, struct instruction *at)
{
	struct instruction_operands operands;
	uint32_t known = NUMBER;

	instruction_operands(search->decoding->out, at, &operands);
	for (size_t i = 0; i < operands.read_count; i++) {
		const uint32_t operand = known_of(search, *operands.reads[i]);

		if (operands.reads[i] == &at->guard)
			continue;
		if (operand >= MIXED)
			return MIXED;
		if (operand == UNKNOWN)
			known = UNKNOWN;
	}
	return known;
}

static uint32_t known_of_sum(uint32_t a, uint32_t b)
{
	if (a == UNKNOWN || b == UNKNOWN)
		return a == MIXED || b == MIXED ? MIXED : UNKNOWN;
	return a == NUMBER ? b : b == NUMBER ? a : MIXED;
}

/* What is known of a variable plus or minus a value that must be a number, such as a product. */
static uint32_t known_of_offset(uint32_t base, uint32_t number)
{
	return known_of_sum(base, number >= IN_VARIABLE ? MIXED : number);
}

static uint32_t known_of_result(const struct search *search, struct instruction *at)
{
	const uint32_t a = known_of(search, at->a), b = known_of(search, at->b);

	switch (at->operation) {
	case OP_LOAD:
	case OP_ATOMIC:
		return NUMBER;
	case ALU_MOV_B32:
	case ALU_MOV_B64:
	case ALU_CVTA_SHARED_U64:
	case ALU_CVTA_TO_SHARED_U64:
	case ALU_CVT_U64_U32:
	case ALU_CVT_S64_U32:
	case ALU_CVT_U64_S32:
	case ALU_CVT_S64_S32:
	case ALU_CVT_U32_U64:
	case ALU_CVT_S32_U64:
	case ALU_CVT_U32_S64:
	case ALU_CVT_S32_S64:
	case ALU_UNPACK_B32_0_OF_B64:
		return a;
	case ALU_ADD_U32:
	case ALU_ADD_S32:
	case ALU_ADD_U64:
	case ALU_ADD_S64:
	case ALU_OR_B32:
	case ALU_OR_B64:
		return known_of_sum(a, b);
	case ALU_SUB_U32:
	case ALU_SUB_S32:
	case ALU_SUB_U64:
	case ALU_SUB_S64:
		return known_of_offset(a, b);
	case ALU_MAD_LO_U32:
	case ALU_MAD_LO_S32:
	case ALU_MAD_LO_U64:
	case ALU_MAD_LO_S64:
	case ALU_MAD_WIDE_U32:
	case ALU_MAD_WIDE_S32:
	case ALU_MAD24_LO_U32:
	case ALU_MAD24_LO_S32:
		return known_of_offset(
			known_of(search, at->c),
			known_of_sum(known_of_offset(NUMBER, a), known_of_offset(NUMBER, b)));
	case ALU_SELP_B32:
	case ALU_SELP_B64:
		return join(a, b);
	default:
		return known_of_numbers(search, at);
	}
}

/* Returns whether more is known than before. */
static bool follow_instruction(struct search *search, struct instruction *at)
{
	struct instruction_operands operands;
	bool grown = false;
	uint32_t result;

	instruction_operands(search->decoding->out, at, &operands);
	if (operands.write_count == 0)
		return false;
	result = known_of_result(search, at);
	for (size_t i = 0; i < operands.write_count; i++) {
		uint32_t *known = &search->known[*operands.writes[i]];
		const uint32_t now = join(*known, result);

		grown |= now != *known;
		*known = now;
	}
	return grown;
}

static bool is_access(const struct instruction *at)
{
	return (at->operation == OP_LOAD || at->operation == OP_STORE ||
		at->operation == OP_ATOMIC || at->operation == OP_COPY ||
		at->operation == OP_MATRIX_LOAD || at->operation == OP_MATRIX_STORE) &&
	       (at->space == PTX_SPACE_SHARED || at->space == PTX_SPACE_GENERIC);
}

static void list_variables(struct function_decoding *decoding)
{
	const struct function_reach *reach = decoding->reach;
	struct program_function *out = decoding->out;

	out->shared_variables = xcalloc(reach->shared.count, sizeof(*out->shared_variables));
	for (size_t i = 0; i < reach->shared.count; i++) {
		const struct shared_variable *from = &decoding->all->shared[reach->shared.items[i]];

		out->shared_variables[out->shared_variable_count++] =
			(struct program_shared_variable){
				.name = from->variable->name,
				.offset = (uint32_t)from->offset,
				.bytes = (uint32_t)from->variable->bytes,
			};
	}
}

void mark_shared_variables(struct function_decoding *decoding)
{
	struct program_function *out = decoding->out;
	struct search search = {.decoding = decoding};
	bool grown = true;

	if (!decoding->reach->shared.count)
		return;
	list_variables(decoding);
	search.known = xcalloc(decoding->value_count, sizeof(*search.known));
	while (grown) {
		grown = false;
		for (size_t i = 0; i < out->code_count; i++)
			grown |= follow_instruction(&search, &out->code[i]);
	}
	for (size_t i = 0; i < out->code_count; i++) {
		struct instruction *at = &out->code[i];
		const uint32_t known = is_access(at) ? known_of(&search, at->a) : UNKNOWN;

		if (known >= IN_VARIABLE)
			at->shared_variable = known - IN_VARIABLE + 1;
	}
	free(search.known);
}
