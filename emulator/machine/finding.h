/*
 * finding: findings that are reported after the instruction that caused them. Internal to
 * emulator/; warp_finding() of machine.h reports one at once.
 */
#ifndef EMULATOR_MACHINE_FINDING_H
#define EMULATOR_MACHINE_FINDING_H

#include <stdarg.h>

#include "emulator/machine/machine.h"

/* Where something happened. Borrows the program. */
struct finding_place {
	const char *entry;
	const struct ptx_module *module;
	const struct ptx_statement *statement;
	int64_t block[3], thread[3]; /* as in struct finding */
};
/* The place of an instruction of a running warp; lane -1: the whole warp. */
void finding_place_set(struct finding_place *out, const struct warp *warp,
		       const struct instruction *at, int lane);
/* Appends a finding, or counts it if the list has one of this kind and place. */
void finding_add_at(struct finding_list *list, enum finding_kind kind,
		    const struct finding_place *place, const char *format, ...) PRINTF_LIKE(4, 5);

/* ---- places as the race checks number them ---- */

/* By function: the number of its first instruction. */
uint32_t *instruction_numbers(const struct ptx_program *program);
/* The instruction with that number, and its function. */
const struct instruction *instruction_of_number(const struct ptx_program *program,
						const uint32_t *first, uint32_t number,
						uint32_t *function);
/* Appends " at x.cu:20". */
void instruction_place_text(struct text *out, const struct ptx_program *program,
			    const uint32_t *first, uint32_t number);

void finding_add(struct finding_list *list, enum finding_kind kind,
		 const struct finding_place *place, const char *format, va_list arguments);

#endif
