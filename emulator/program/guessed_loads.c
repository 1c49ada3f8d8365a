/* Loads whose value is only a guess. See decode.h. */
#include "emulator/program/decode.h"

#include <stdlib.h>

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
