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

void finding_add(struct finding_list *list, enum finding_kind kind,
		 const struct finding_place *place, const char *format, va_list arguments);

#endif
