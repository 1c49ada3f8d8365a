/*
 * bulk_reductions: what a bulk copy can do with the elements of its destination, by the name of
 * their type. Internal to emulator/.
 */
#ifndef EMULATOR_PROGRAM_BULK_REDUCTIONS_H
#define EMULATOR_PROGRAM_BULK_REDUCTIONS_H

#include <stdbool.h>

#include "emulator/program/operations.h"

struct bulk_reduction {
	enum atomic_kind asked; /* ATOMIC_ADD, MIN, MAX, INC, DEC, AND, OR, XOR */
	const char *type;       /* "u32", "bf16" */
	bool of_shared;         /* in shared memory, too, and not only in global memory */
	bool noftz;             /* PTX wants the modifier */
	enum atomic_kind kind;  /* what is executed, on elements of type `executed` */
	enum value_type executed;
};
/* NULL: PTX has no such reduction. */
const struct bulk_reduction *bulk_reduction_find(enum atomic_kind asked, const char *type);

#endif
