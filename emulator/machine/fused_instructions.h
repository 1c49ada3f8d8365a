/*
 * fused_instructions: prepares straight code for the loop of warp.c, which executes a series of
 * instructions in one step. Internal to emulator/.
 *
 * - A move of a constant is skipped if all that reads its result can read the constant instead. It
 *   is counted as before, because blocks of instructions are counted (control_flow.h).
 * - Instructions a * b + c, each of which has the result of the one before as an operand, form a
 *   chain. One handler executes it, and keeps the value in registers of the processor instead of
 *   waiting for the row that it has just stored. The first instruction is the head: its product is
 *   computed from its rows.
 *
 * Each instruction can still be executed alone, by `run`, with the same outcome.
 */
#ifndef EMULATOR_MACHINE_FUSED_INSTRUCTIONS_H
#define EMULATOR_MACHINE_FUSED_INSTRUCTIONS_H

#include "emulator/lanes/handlers.h"
#include "emulator/machine/control_flow.h"

/* How an instruction of a chain uses the value, which is the result of the one before. */
enum link_kind {
	LINK_FACTOR,      /* value * factor + row `other` */
	LINK_FACTOR_BITS, /* value * factor + `other`, which is the same in all lanes */
	LINK_ADDEND,      /* row `other` * factor + value */
};
struct chain_link {
	uint32_t factor, other; /* rows */
	uint32_t dst;           /* row; 0: nothing but the next link reads the result */
	enum link_kind kind;
};

/*
 * Sets run_series, next, links and link_count of all instructions, and replaces operands by
 * constants. `code` is flow->function->code, writable, with handlers. Returns the links, which the
 * caller frees after the code; NULL: none.
 */
struct chain_link *series_build(const struct control_flow *flow, struct instruction *code,
				const struct handlers *handlers);

#endif
