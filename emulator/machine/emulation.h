/*
 * emulation: what launch.c and counts.c share of an emulation. Internal to
 * machine/.
 */
#ifndef EMULATOR_MACHINE_EMULATION_H
#define EMULATOR_MACHINE_EMULATION_H

#include "emulator/lanes/handlers.h"
#include "emulator/machine/control_flow.h"

struct emulation {
	/* A copy of the decoded program whose code has its handlers, and behind each function's end
	 * a return, uncounted, for labels that stand there. */
	struct ptx_program program;
	struct control_flow *flows; /* by function */
	struct instruction_count **counts;
	uint64_t *variables; /* addresses of the module's; 0: not in device memory */
	struct device_memory *memory;
	const struct handlers *handlers;
	uint64_t blocks_executed, blocks_total;
};

#endif
