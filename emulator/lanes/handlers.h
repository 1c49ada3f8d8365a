/*
 * handlers: the sets of functions that execute instructions. Every .c file in
 * this folder except handlers.c is compiled once per set, with LANES_SET defined
 * as the name of the set (portable, avx2) and with the compiler flags of the
 * set. LANES_NAME() names the exported functions. The compiler vectorises the
 * loops over the 32 lanes: see lanes.h.
 */
#ifndef EMULATOR_LANES_HANDLERS_H
#define EMULATOR_LANES_HANDLERS_H

#include "emulator/machine/machine.h"

struct handlers {
	const char *name; /* "portable", "avx2" */
	/* Each function returns the handler of an instruction, or NULL for operations of others. */
	instruction_handler *(*alu)(const struct instruction *instruction);
	instruction_handler *(*memory)(
		const struct instruction *instruction); /* OP_LOAD, OP_STORE */
	instruction_handler *(*atomic)(const struct instruction *instruction); /* OP_ATOMIC */
	instruction_handler *(*exchange)(
		const struct instruction *instruction); /* shuffle … elect */
	instruction_handler *(*matrix)(const struct instruction *instruction); /* OP_MATRIX_… */
	instruction_handler *(*warpgroup)(
		const struct instruction *instruction); /* OP_GROUP_PRODUCT */
	/* Returns the handler of a chain of instructions with this operation (machine/series.h);
	 * NULL: it executes each of them alone. */
	instruction_handler *(*chain)(const struct instruction *instruction);
};
extern const struct handlers handlers_portable;
/* NULL: this build or this processor does not support AVX2, FMA and BMI2. */
const struct handlers *handlers_avx2_or_null(void);

/* Control instructions (branches, calls, barriers, printf) are compiled once: machine/control.h. */

#define LANES_PASTE_(a, b) a##_##b
#define LANES_PASTE(a, b) LANES_PASTE_(a, b)
#define LANES_NAME(name) LANES_PASTE(name, LANES_SET)

/* The exports of this folder, once per set: alu_handler of alu.c, memory_handler of
 * memory_generic.c, atomic_handler of atomics.c, exchange_handler of exchange.c, matrix_handler of
 * matrix.c, warpgroup_handler of matrix_warpgroup.c, chain_handler of chain.c. */
#define LANES_PARTS(set)                                                                     \
	instruction_handler *alu_handler_##set(const struct instruction *instruction);       \
	instruction_handler *memory_handler_##set(const struct instruction *instruction);    \
	instruction_handler *atomic_handler_##set(const struct instruction *instruction);    \
	instruction_handler *exchange_handler_##set(const struct instruction *instruction);  \
	instruction_handler *matrix_handler_##set(const struct instruction *instruction);    \
	instruction_handler *warpgroup_handler_##set(const struct instruction *instruction); \
	instruction_handler *chain_handler_##set(const struct instruction *instruction);     \
	/* The parts of alu.def, which alu.c searches. */                                    \
	instruction_handler *alu_integer_##set(enum operation operation);                    \
	instruction_handler *alu_compare_##set(enum operation operation);                    \
	instruction_handler *alu_float_##set(enum operation operation);                      \
	instruction_handler *alu_convert_##set(enum operation operation);                    \
	instruction_handler *alu_narrow_##set(enum operation operation)
LANES_PARTS(portable);
LANES_PARTS(avx2);

#endif
