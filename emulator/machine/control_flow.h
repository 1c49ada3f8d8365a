/*
 * control_flow: what the loop of warp.c needs to know about a function besides
 * its code: the basic blocks, how many instructions run without a check, which
 * branches may belong to a spin lock, and which instructions lie on every path
 * from one place to the end. Internal to emulator/.
 *
 * Basic blocks start here, whatever the decoder marked: at targets of branches,
 * after each instruction that can change the active lanes, and before and after
 * each instruction that can park lanes. So all instructions of a block execute
 * as often as its first one, with the same lanes, and only that one is counted.
 */
#ifndef EMULATOR_MACHINE_CONTROL_FLOW_H
#define EMULATOR_MACHINE_CONTROL_FLOW_H

#include "emulator/program/program.h"

enum guard_handling {
	GUARD_NONE,    /* no guard, or the handler evaluates it (branches) */
	GUARD_NARROWS, /* the handler runs with the lanes that have a true guard */
	GUARD_SPLITS,  /* the warp splits: the other lanes continue after the instruction */
};

struct flow_step {
	uint32_t end;    /* no guard and no block begins between here and `end` */
	uint32_t block;  /* that the instruction belongs to */
	uint32_t length; /* counted instructions of the block; set for its first instruction only */
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
	unsigned char **leads_through; /* by instruction; NULL until control_flow_leads_through()
					  needs it */
};

/* The kind of a backward branch in whose loop another thread may change what is read. */
#define BRANCH_MAY_SPIN 1

/*
 * Analyses a function and marks its branches. Its last instruction must not
 * continue past the end, and branches must stay inside. `code` is
 * function->code, writable. PL_ENOMEM.
 */
int control_flow_build(struct control_flow *flow, const struct program_function *function,
		       struct instruction *code, struct error *err);
void control_flow_release(struct control_flow *flow);

/*
 * Returns true if every path from instruction `from` to the end of the function
 * goes through `place`, and `place` is not the end itself. Results are cached.
 */
bool control_flow_leads_through(const struct control_flow *flow, uint32_t from, uint32_t place);

#endif
