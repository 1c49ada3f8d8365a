/*
 * flow: what the loop wants to know of a function's code beyond the code: its
 * basic blocks, how far it runs without a question, which branches may belong
 * to a spin lock, and what lies behind a place on every way to the end.
 * Internal to emulator/.
 *
 * Blocks are cut here, whatever the decoder marked: at targets of branches,
 * after whatever can change the lanes that run, and before and after what can
 * park a warp's lanes. So a block's instructions run as often, and with as many
 * lanes, as its first one: it alone is counted.
 */
#ifndef EMULATOR_MACHINE_CONTROL_FLOW_H
#define EMULATOR_MACHINE_CONTROL_FLOW_H

#include "emulator/program/program.h"

enum guard_handling {
	GUARD_NONE,    /* there is no guard, or the handler looks at it (branches) */
	GUARD_NARROWS, /* the handler runs with the lanes whose guard holds */
	GUARD_SPLITS,  /* those lanes part from the others, which go on behind it */
};

struct flow_step {
	uint32_t end;    /* instructions from here to there need no look at guards and blocks */
	uint32_t block;  /* that it belongs to */
	uint32_t length; /* of that block, counted instructions; of its first instruction only */
	uint8_t guard;   /* enum guard_handling */
	bool leader;
};

struct block_count {
	uint64_t warps, lanes;
};

struct control_flow {
	const struct program_function *function;
	struct flow_step *steps;    /* code_count */
	struct block_count *blocks; /* block_count */
	size_t block_count;
	unsigned char *
		*behind; /* by instruction; NULL until asked for: control_flow_leads_through() */
};

/* Branches that go back over something another thread may change carry this as their kind. */
#define BRANCH_MAY_SPIN 1

/*
 * Plans a function and marks its branches. Its last instruction must not go on behind it, and
 * branches must stay inside. `code` is function->code, to be written. PL_ENOMEM.
 */
int control_flow_build(struct control_flow *flow, const struct program_function *function,
		       struct instruction *code, struct error *err);
void control_flow_release(struct control_flow *flow);

/*
 * Does every way from instruction `from` to the end of the function lead over `place`, which is
 * not the end itself? Remembered.
 */
bool control_flow_leads_through(const struct control_flow *flow, uint32_t from, uint32_t place);

#endif
