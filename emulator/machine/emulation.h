/*
 * emulation: the struct behind the opaque type of emulator.h, shared by launch.c
 * and counts.c. Internal to machine/.
 */
#ifndef EMULATOR_MACHINE_EMULATION_H
#define EMULATOR_MACHINE_EMULATION_H

#include "emulator/lanes/handlers.h"
#include "emulator/machine/control_flow.h"

struct emulation {
	/* A copy of the decoded program in which each instruction has its handler. Each function
	 * has an uncounted return at its end, as the target of labels that stand there. */
	struct ptx_program program;
	struct control_flow *flows; /* by function */
	struct chain_link **links;  /* by function: those of its chains; fused_instructions.h */
	struct instruction_count **counts;
	uint64_t *variables; /* addresses of module variables; 0: not in device memory */
	struct device_memory *memory;
	struct device_heap *heap;
	struct dead_loads *uses;
	bool may_be_undefined;     /* a launch has found a value that may be undefined */
	struct follower *follower; /* NULL: values are not followed now */
	uint64_t kept_unchecked;   /* unchecked_requests when following began */
	uint64_t launches;         /* begun until now */
	uint64_t executed, clock;  /* as in struct launch, at the end of the last launch */
	const struct handlers *handlers;
	uint64_t blocks_executed, blocks_total;
	uint64_t unchecked_requests;
};

/* All requests to global memory since the last reset. */
uint64_t emulation_global_requests(const struct emulation *emulation);

#endif
