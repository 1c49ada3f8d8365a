/*
 * handlers: the functions that execute instructions, in sets. Every .c file in
 * this folder but handlers.c is compiled once for each set, with LANES_SET
 * defined as the set's name (portable, avx2) and its machine flags; what it
 * exports is named by LANES_NAME(). A loop over the 32 lanes is written so that
 * the compiler vectorises it: see lanes.h.
 */
#ifndef EMULATOR_LANES_HANDLERS_H
#define EMULATOR_LANES_HANDLERS_H

#include "emulator/machine/machine.h"

struct handlers {
	const char *name; /* "portable", "avx2" */
	/* Each part answers for its own operations and NULL for others. */
	instruction_handler *(*alu)(const struct instruction *instruction);
	instruction_handler *(*memory)(
		const struct instruction *instruction); /* OP_LOAD, OP_STORE */
	instruction_handler *(*atomic)(const struct instruction *instruction); /* OP_ATOMIC */
	instruction_handler *(*exchange)(
		const struct instruction *instruction); /* shuffle … elect */
};
extern const struct handlers handlers_portable;
/* NULL where this build or this processor has no AVX2 and FMA. */
const struct handlers *handlers_avx2_or_null(void);

/* Control (branches, calls, barriers, print) is compiled once: machine/control.h. */

#define LANES_PASTE_(a, b) a##_##b
#define LANES_PASTE(a, b) LANES_PASTE_(a, b)
#define LANES_NAME(name) LANES_PASTE(name, LANES_SET)

/* What each file of this folder exports, once a set: alu.c alu_handler, memory.c memory_handler,
 * atomics.c atomic_handler, exchange.c exchange_handler. */
#define LANES_PARTS(set)                                                                  \
	instruction_handler *alu_handler_##set(const struct instruction *instruction);    \
	instruction_handler *memory_handler_##set(const struct instruction *instruction); \
	instruction_handler *atomic_handler_##set(const struct instruction *instruction); \
	instruction_handler *exchange_handler_##set(const struct instruction *instruction)
LANES_PARTS(portable);
LANES_PARTS(avx2);

#endif
