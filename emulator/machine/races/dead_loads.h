/*
 * dead_loads: finds lanes of loads whose value nothing uses. Such a load cannot change a result, so
 * the checks of memory need not report what it reads. Internal to emulator/.
 *
 * Whether something uses a value shows only after the load, and even after a store that races with
 * it. So the launches run three times, from the same data. In the first run the check reports, and
 * names the loads that it reports. In the second one load_values.h follows the values of these
 * loads. In the third one the check leaves out the lanes whose value nothing used. The emulator is
 * deterministic: the n-th execution of these loads is the same one in the second and the third run.
 *
 * A value is used as load_values.h has it.
 */
#ifndef EMULATOR_MACHINE_RACES_DEAD_LOADS_H
#define EMULATOR_MACHINE_RACES_DEAD_LOADS_H

#include "emulator/machine/races/value_origins.h"

enum use_phase { PHASE_FIRST_RUN, PHASE_FOLLOW, PHASE_JUDGE };

struct suspect_load {
	const struct instruction *at;
	uint32_t function;
	instruction_handler *run; /* NULL: it is not followed yet */
};

struct dead_loads {
	enum use_phase phase;
	struct suspect_load *loads;
	size_t load_count, load_capacity;
	struct value_origins origins;
};

struct dead_loads *dead_loads_create(void);
void dead_loads_free(struct dead_loads *uses); /* NULL is allowed */

/* The check reports what an instruction of that function read. Does nothing unless it is a plain
 * load. Those of the same source line, which an unrolled loop has, become suspects with it. */
void dead_loads_suspect(struct dead_loads *uses, const struct ptx_program *program,
			uint32_t function, const struct instruction *at);
/* Whether there are suspects that no run has followed. */
bool dead_loads_has_suspects(const struct dead_loads *uses);
/* Begins the second run. The suspects in the code of the program get another handler. */
void dead_loads_follow(struct dead_loads *uses, struct ptx_program *program);
/* Begins the third run. */
void dead_loads_judge(struct dead_loads *uses);

#endif
